#!/bin/bash
ARGS=(--seq-length 4096 --hidden-size 4096)
if [ -d checkpoints/latest ]; then
    ARGS+=(--load checkpoints/latest --swiglu)
fi
[[ $(nvidia-smi -L) == *H100* ]] && ARGS+=(--bf16)
torchrun pretrain_gpt.py "${ARGS[@]}"
