# Recompute by ranges of layers: the same in the closed form, the simulator and the explanation.
$ echo '{"model": "mixtral-8x7b", "cluster": {"node": "dgx-h100", "gpus": 64}, "training": {"sequence_length": 4096, "global_batch": 256, "micro_batch": 1}, "framework": "megatron-core", "parallel": {"tp": 2, "pp": 4, "ep": 4, "recompute": "none", "layers": [{"range": "0-15", "recompute": "full"}, {"range": "4", "recompute": "none"}]}}' > layers.json
$ orrery estimate layers.json --all | grep -c 'recompute none but layers'
> 1
$ orrery estimate layers.json --json > e.json
! json sum(breakdown_s) = step_time_s ± 1e-9 %
! json inputs.parallel.layers[1].range = "4"
$ orrery simulate layers.json --without contention --json
! json step_time_s = e.json:step_time_s ± 0.5 %
$ orrery explain layers.json breakdown_s.recompute --json
! json value > 0
$ orrery search layers.json --keep tp --keep ep --keep layers --top 1 --json
! json best[0].inputs.parallel.layers[0].range = "0-15"

# A ZeRO of a range: the same in the closed form, the simulator and the explanation.
$ orrery estimate layers.json --set 'parallel.layers=[{"range": "0-15", "zero": 3}, {"range": "embedding", "zero": 3}]' --json > zero.json
! json sum(breakdown_s) = step_time_s ± 1e-9 %
! json inputs.parallel.layers[0].zero = 3
$ orrery simulate layers.json --set 'parallel.layers=[{"range": "0-15", "zero": 3}, {"range": "embedding", "zero": 3}]' --without contention --json
! json step_time_s = zero.json:step_time_s ± 0.5 %
$ orrery explain layers.json step_time_s --set 'parallel.layers=[{"range": "0-15", "zero": 3}]' --json > tree.json; orrery estimate layers.json --set 'parallel.layers=[{"range": "0-15", "zero": 3}]' --json
! json step_time_s = tree.json:value ± 1e-12 %
$ orrery estimate layers.json --set 'parallel.layers=[{"range": "0-15", "zero": 3}]' --all | grep -c '0-15 ZeRO 3'
> 1
$ orrery search layers.json --keep layers --set 'parallel.layers=[{"range": "0-15", "zero": 3}]'
! exit 2
! stderr /ranges with a zero of their own in a search/
$ orrery estimate mixed-llama-2-70b-64-a100-64-h100 --set 'parallel.layers=[{"range": "0-15", "zero": 3}]'
! exit 2
! stderr /ranges with a zero of their own; allowed: ranges of recompute, where groups differ/

# Stages of balanced layers.
$ orrery estimate layers.json --set parallel.stage_layers=balanced --json > balanced.json
! json step_time_s <= e.json:step_time_s
! json sum(inputs.parallel.stage_layers) = 32
$ orrery simulate layers.json --set parallel.stage_layers=balanced --without contention --json
! json step_time_s = balanced.json:step_time_s ± 0.5 %
$ orrery search layers.json --set parallel.stage_layers=balanced
! exit 2
! stderr /parallel.stage_layers: found balanced stages in a search/

# What does not stand.
$ orrery estimate layers.json --set 'parallel.layers=[{"range": "30-32", "recompute": "full"}]'
! exit 2
! stderr /parallel.layers: found layers 30-32 full/
$ orrery estimate layers.json --set parallel.vpp=2 --set parallel.stage_layers=balanced
! exit 2
! stderr /balanced stages of several chunks/
