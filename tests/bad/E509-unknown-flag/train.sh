#!/bin/bash
MODEL_ARGS=(
    --seq-len 4096          # the flag is --seq-length
    --hidden_size 4096
    --micro-batch-sise 2
)
torchrun --nproc_per_node 8 pretrain_gpt.py "${MODEL_ARGS[@]}" "--num-layers 8"
