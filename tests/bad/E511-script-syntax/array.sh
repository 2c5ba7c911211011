#!/bin/bash
ARGS=(
    --seq-length 4096
    --hidden-size 4096
torchrun pretrain_gpt.py "${ARGS[@]}"
