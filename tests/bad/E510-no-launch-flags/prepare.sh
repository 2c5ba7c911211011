#!/bin/bash
# Fetches the data; the training is started by hand.
source cluster.sh
python tools/preprocess.py --input data.json --workers 8
