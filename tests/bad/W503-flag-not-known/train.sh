#!/bin/bash
torchrun pretrain_gpt.py --seq-length 4096 --hidden-size 4096 --my-own-attention fancy
