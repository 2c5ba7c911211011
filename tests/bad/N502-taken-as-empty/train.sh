#!/bin/bash
ARGS=(--seq-length 4096 --hidden-size 4096)
if [ "$PRECISION" = bf16 ]; then
    ARGS+=(--bf16)
fi
torchrun pretrain_gpt.py "${ARGS[@]}"
