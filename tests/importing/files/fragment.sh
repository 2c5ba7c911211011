#!/bin/bash
# Read by another script, which launches.
LAYERS=28
MODEL_ARGS=" \
    --num-layers ${LAYERS} \
    --hidden-size 1024 \
    --num-attention-heads 16 \
    --seq-length 32768 "
ALL_ARGS="$MODEL_ARGS --tensor-model-parallel-size ${TP} --micro-batch-size 1"
