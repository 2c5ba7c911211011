#!/bin/bash
# sh options.sh SIZE MBS GBS SEQ TP PP AC FL
set -e
MODEL_SIZE=$1
BATCH_SIZE=$2
GLOBAL_BATCH_SIZE=$3
SEQ_LEN=$4
TP=$5
PP=$6
AC=$7
FL=$8

if [ $MODEL_SIZE = 7B ]; then
NUM_LAYERS=32
HIDDEN_SIZE=4096
NUM_ATTN_HEADS=32
INTERMEDIATE_SIZE=11008
gqa_options=""
elif [ $MODEL_SIZE = 70B ]; then
NUM_LAYERS=80
HIDDEN_SIZE=8192
NUM_ATTN_HEADS=64
INTERMEDIATE_SIZE=28672
gqa_options=" \
		    --group-query-attention \
		    --num-query-groups 8"
fi

if [ $AC = full ]; then
    activation_checkpoint_options=" \
		    --recompute-method uniform \
            --recompute-num-layers 1 \
		    --recompute-granularity full"
elif [ $AC = sel ]; then
    activation_checkpoint_options=" \
        --recompute-activations"
elif [ $AC = none ]; then
    activation_checkpoint_options=" \
    "
fi

if [ $FL = true ]; then
    flash_options=" \
		    --use-flash-attn"
else
    flash_options=" \
                    "
fi

options=" \
        --swiglu \
        --normalization RMSNorm \
        --num-layers ${NUM_LAYERS} \
        --hidden-size ${HIDDEN_SIZE} \
        --num-attention-heads ${NUM_ATTN_HEADS} \
        --ffn-hidden-size ${INTERMEDIATE_SIZE} \
        --seq-length ${SEQ_LEN} \
        --max-position-embeddings ${SEQ_LEN} \
        --micro-batch-size ${BATCH_SIZE} \
        --global-batch-size ${GLOBAL_BATCH_SIZE} \
        --tensor-model-parallel-size ${TP} \
        --pipeline-model-parallel-size ${PP} \
        --sequence-parallel \
        --extra-vocab-size 0 \
        --bf16 \
        "

run_cmd="torchrun --nproc_per_node=8 --nnodes=2 pretrain_llama.py
 ${options} ${activation_checkpoint_options} ${gqa_options} ${flash_options}"

echo ${run_cmd}
eval ${run_cmd}
set +x
