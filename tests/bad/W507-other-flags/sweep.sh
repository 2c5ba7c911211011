#!/bin/bash
for MBS in 1 2 4; do
    torchrun pretrain_gpt.py --seq-length 4096 --hidden-size 4096 --micro-batch-size $MBS
done
torchrun pretrain_gpt.py --seq-length 4096 --hidden-size 1024
