#!/bin/bash
ARGS="--seq-length 4096 --hidden-size 4096 --micro-batch-size 1"
torchrun pretrain_gpt.py $ARGS --micro-batch-size 4
