# Devices beyond NVIDIA's: which have published runs, and what their estimates rest on.
$ orrery list devices --csv | grep -E '^(device|h100-sxm5-80gb|tpu-v5e|trainium-2-core|vr200),'
> ...
$ orrery estimate $ROOT/configs/runs/llama-3-70b-512-v5p.json --json
! json feasible = true
! json rests_on[part="attention"].basis = "assumed"
! json rests_on[part="network: ici"].basis = "measured elsewhere"
$ orrery estimate $ROOT/configs/runs/llama-3-70b-1024-trn2.json --json
! json feasible = true
! json rests_on[part="matrix products"].basis = "assumed"
# What is announced was measured by nobody.
$ orrery show device vr200 | grep -c '\[announced\]'
> ...
$ orrery estimate --model llama-3-8b --node vr200-nvl72 --gpus 72 --sequence-length 8192 --global-batch 72 --micro-batch 1 --framework megatron-core --json
! json rests_on[part="attention"].basis = "assumed"
# Importers of their stacks.
$ printf '%s\n' 'model_source: hf' 'trainer: {devices: 64, num_nodes: 8}' 'distributed_strategy: {tensor_model_parallel_size: 32, zero1: True}' 'data: {micro_batch_size: 1, global_batch_size: 64}' 'model: {encoder_seq_length: 8192, activations_checkpoint_granularity: full, fusions: {flash_attention: True}, optim: {name: adamw}}' 'precision: {type: mixed_precision}' > nxd.yaml
$ orrery import nxd.yaml --model llama-3-8b --node trn2-48xlarge > run.json
! stderr taken from nxd.yaml (nxd-training)
! json cluster.gpus = 512
! json framework = "neuron"
! json parallel.recompute = "full"
$ orrery import nxd.yaml --node trn2-48xlarge
! exit 2
! stderr give that config.json with --model
> ...
$ orrery estimate --model llama-2-7b --node tpu-v5e-16x16 --gpus 256 --sequence-length 2048 --global-batch 1024 --micro-batch 4 --precision int8 --framework maxtext --json
! json inputs.training.precision = "int8"
