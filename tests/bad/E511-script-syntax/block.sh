#!/bin/bash
ARGS=(--seq-length 4096)
if [ "$FP8" = 1 ]; then
    ARGS+=(--swiglu)
torchrun pretrain_gpt.py "${ARGS[@]}"
