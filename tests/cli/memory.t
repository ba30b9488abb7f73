$ orrery memory gpt3-175b-1024-a100
> GPT-3 175B: ...
> ...
> memory            fits: ... GiB of 79.3 GiB on the fullest stage; probability of fitting ...
> ...
> Memory of the fullest stage, 0
> ...
> Stages, in GiB; in flight: micro batches held, of all chunks
>   stage   peak  in flight  weights  grads  optim  activ  recomp  transit  context  comms  frag
>       0 ...  8 ...
> ...
>       7 ...  1 ...
> ...
> answer            fits (over 99 %): 30.6 of 79.3 GiB, most for activations 9.6 GiB, ...
> ...
$ orrery memory gpt3-175b-1024-a100 --csv | cut -d, -f1,3 | head -3
> stage,in_flight
> 0,8
> 1,7
$ orrery memory gpt3-175b-1024-a100 --recompute none --micro-batch 4 > /dev/null
! exit 3

# Activations go to the host all, by name or in a share of the layers, and only those that move cross the link; MaxText's policies name theirs.
$ orrery estimate llama-3-8b-8-h100 --recompute none --json > stay.json
$ orrery estimate llama-3-8b-8-h100 --recompute none --set parallel.offload.activations=host --json > all.json
$ orrery estimate llama-3-8b-8-h100 --recompute none --set parallel.offload.activations=host --set parallel.offload.activations_fraction=0.5 --json > half.json
$ orrery estimate llama-3-8b-8-h100 --recompute none --set parallel.offload.activations=host --set 'parallel.offload.tensors=["core_attn"]' --json > core.json
! json all.json:memory.activations_gib < half.json:memory.activations_gib
! json half.json:memory.activations_gib < core.json:memory.activations_gib
! json core.json:memory.activations_gib < stay.json:memory.activations_gib
! json half.json:breakdown_s.offload_exposed < all.json:breakdown_s.offload_exposed
! json core.json:step_time_s = stay.json:step_time_s
$ orrery simulate llama-3-8b-8-h100 --recompute none --set parallel.offload.activations=host --set 'parallel.offload.tensors=["core_attn"]' --json > played.json
! json played.json:memory.activations_gib = core.json:memory.activations_gib ± 1e-9 %
$ orrery estimate llama-3-8b-8-h100 --set 'parallel.offload.tensors=["core_attn"]'
! exit 2
! stderr host or nvme beside tensors or activations_fraction
$ orrery estimate llama-3-8b-8-h100 --set parallel.offload.activations=host --set 'parallel.offload.tensors=["moe_act"]'
! exit 2
! stderr expert_fc1 and moe_act of experts
$ for p in save_dot_except_mlp save_qkv_proj save_out_proj qkv_proj_offloaded; do orrery memory llama-3-70b-512-v5p --set parallel.framework_options.remat_policy=$p --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["memory"]["activations_gib"])'; done | python3 -c 'import sys; rows=[float(l) for l in sys.stdin]; print(rows == sorted(rows, reverse=True))'
> True

# 80 layers of 8,192 tokens keep Q, K and V of 10,240 columns beside their input, 12.5 GiB, or the output of attention's projection, 10 GiB.
$ orrery memory llama-3-70b-512-v5p --recompute full --set parallel.framework_options.remat_policy=full --json > full.json
$ orrery memory llama-3-70b-512-v5p --set parallel.framework_options.remat_policy=save_qkv_proj --json > qkv.json
$ orrery memory llama-3-70b-512-v5p --set parallel.framework_options.remat_policy=save_out_proj --json > out.json
! json qkv.json:memory.activations_gib - full.json:memory.activations_gib = 12.5 ± 0.01
! json out.json:memory.activations_gib - full.json:memory.activations_gib = 10 ± 0.01
