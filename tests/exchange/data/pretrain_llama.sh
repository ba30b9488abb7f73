#!/bin/bash
# Written for this test after the shape of Megatron-LM's examples.
export CUDA_DEVICE_MAX_CONNECTIONS=1
GPUS_PER_NODE=8
NNODES=${SLURM_NNODES:-16}
WORLD_SIZE=$((GPUS_PER_NODE * $NNODES))
TP=4
PP="2"   # two stages
CHECKPOINT_PATH=$1

DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes $NNODES
    --master_addr ${MASTER_ADDR}
)
MODEL_ARGS="
    --num-layers 32 --hidden-size 4096 \
    --ffn-hidden-size=14336
    --num-attention-heads 32 --group-query-attention --num-query-groups 8
    --seq-length 8192 --max-position-embeddings 8192 --vocab-size 128256
    --swiglu --normalization RMSNorm --position-embedding-type rope
    --disable-bias-linear --untie-embeddings-and-output-weights
    --attention-dropout 0.0 --hidden-dropout 0.0
"
torchrun "${DISTRIBUTED_ARGS[@]}" pretrain_gpt.py \
    ${MODEL_ARGS} \
    --tensor-model-parallel-size ${TP} \
    --pipeline-model-parallel-size $PP \
    --num-layers-per-virtual-pipeline-stage 4 \
    --sequence-parallel --use-distributed-optimizer --overlap-grad-reduce \
    --micro-batch-size 1 --global-batch-size 512 --train-iters 1000 \
    --recompute-granularity selective --recompute-modules core_attn mlp \
    --bf16 --lr 3e-4 --seed 42 --save "$CHECKPOINT_PATH" \
    --hybrid-layer-pattern 'M-M*' 2>&1 | tee log.txt
