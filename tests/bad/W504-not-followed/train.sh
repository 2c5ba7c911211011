#!/bin/bash
source ./cluster.sh
. "$(dirname "$0")/model.sh"
torchrun pretrain_gpt.py --seq-length 4096 --hidden-size 4096
