#!/usr/bin/env bash
#SBATCH --job-name=dense-13b
#SBATCH --nodes=4
# Pre-training of a dense model with 13 billion parameters.
set -euo pipefail

export CUDA_DEVICE_MAX_CONNECTIONS=1
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
GPUS_PER_NODE=${GPUS_PER_NODE:-8}
NNODES=${SLURM_NNODES:-4}
NODE_RANK=${SLURM_NODEID:-0}
TP=4 PP=2
VPP=5                      # layers of one model chunk
SEQ=4096
MBS=1
GBS=$(( MBS * 64 * 8 ))
PRECISION=${PRECISION:-bf16}

DISTRIBUTED_ARGS=(
    --nproc_per_node "$GPUS_PER_NODE" --nnodes "$NNODES" --node_rank "$NODE_RANK"
    --rdzv_endpoint "${MASTER_ADDR:-localhost}:6000"
)

MODEL_ARGS=(
    --num-layers 40
    --hidden-size 5120
    --ffn-hidden-size 13824      # SwiGLU
    --num-attention-heads 40
    --group-query-attention
    --num-query-groups 8
    --seq-length "$SEQ"
    --max-position-embeddings $SEQ
    --position-embedding-type rope
    # --rotary-percent 0.5
    --normalization RMSNorm --swiglu --disable-bias-linear
    --untie-embeddings-and-output-weights
    --attention-dropout 0.0
    --hidden-dropout=0.0
)

PARALLEL_ARGS="--tensor-model-parallel-size $TP --pipeline-model-parallel-size ${PP} \
    --num-layers-per-virtual-pipeline-stage $VPP --sequence-parallel"
[[ $TP -gt 8 ]] && PARALLEL_ARGS+=" --tp-comm-overlap"

TRAINING_ARGS=(
    --micro-batch-size $MBS --global-batch-size $GBS
    --train-iters 250000 --lr 3.0e-4 --min-lr 3.0e-5 --lr-decay-style cosine --weight-decay 0.1
    --use-distributed-optimizer --overlap-grad-reduce
    --recompute-granularity selective
)
if [ "$PRECISION" = bf16 ]; then
    TRAINING_ARGS+=(--bf16)
elif [ "$PRECISION" = fp16 ]; then
    TRAINING_ARGS+=(--fp16 --initial-loss-scale 65536)
fi
if [ -d "$ROOT/checkpoints" ]; then
    TRAINING_ARGS+=(--load "$ROOT/checkpoints")
fi

DATA_ARGS=(--data-path "${DATA:?}" --tokenizer-type Llama2Tokenizer --tokenizer-model $ROOT/tokenizer.model
           --vocab-size 32000 --split 990,8,2)

echo "--num-layers is ${MODEL_ARGS[1]}"
torchrun "${DISTRIBUTED_ARGS[@]}" "$ROOT/pretrain_gpt.py" \
    "${MODEL_ARGS[@]}" \
    $PARALLEL_ARGS \
    "${TRAINING_ARGS[@]}" \
    "${DATA_ARGS[@]}" \
    --save-interval 1000 "$@" 2>&1 | tee "$ROOT/train.log"
