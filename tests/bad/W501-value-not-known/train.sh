#!/bin/bash
SEQ=${SEQ:-4096}
LAYERS=$(python count_layers.py)
GPUS=8
torchrun --nproc_per_node $GPUS --nnodes $NNODES pretrain_gpt.py \
    --seq-length $SEQ --num-layers $LAYERS --micro-batch-size $MBS \
    --hidden-size $((SEQ / 2)) --swiglu $EXTRA_ARGS
