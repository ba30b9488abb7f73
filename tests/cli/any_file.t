# Wherever a run is asked for, a file of another tool will do; what it leaves open is asked for in one line.
$ printf 'base_model: meta-llama/Llama-3.1-8B\nadapter: lora\nlora_r: 16\nlora_target_linear: true\nsequence_len: 4096\nsample_packing: true\nmicro_batch_size: 2\ngradient_accumulation_steps: 4\nbf16: true\ngradient_checkpointing: true\n' > axolotl.yaml; orrery import axolotl.yaml --node dgx-h100 --gpus 8 > run.json; orrery estimate run.json --json > a.json; orrery estimate axolotl.yaml --node dgx-h100 --gpus 8 --json > b.json
! stderr taken from axolotl.yaml (axolotl): dgx-h100, GPUs 8, tokens 4096, global batch 64, micro batch 2, bf16, recompute full
! json a.json:step_time_s = b.json:step_time_s
! json a.json:memory.peak_gib = b.json:memory.peak_gib
! json b.json:inputs.training.adapter.rank = 16

$ orrery estimate axolotl.yaml
! exit 2
! stderr /^error: axolotl.yaml: training.global_batch: found .*of how many replicas; give --gpus and 2 more open; allowed: --global-batch, --node, --gpus; /

# The tool's defaults are told apart from what the file gives.
$ sed -i '/gradient_checkpointing/d' axolotl.yaml; orrery estimate axolotl.yaml --node dgx-h100 --gpus 8 --micro-batch 1 --json > c.json
! json c.json:inputs.parallel.recompute = "none"
! json c.json:inputs.assumed[path="parallel.recompute"].known = "default"

# A file that it names and that lies beside it is read with it.
$ mkdir -p ds; echo '{"zero_optimization": {"stage": 2}, "bf16": {"enabled": "auto"}, "train_micro_batch_size_per_gpu": "auto"}' > ds/z2.json; printf 'base_model: meta-llama/Llama-3.1-8B\nsequence_len: 2048\nsample_packing: true\nmicro_batch_size: 1\nbf16: true\ngradient_checkpointing: true\ndeepspeed: ds/z2.json\n' > full.yaml; orrery memory full.yaml --node dgx-h100 --gpus 8 --json > d.json
! json d.json:inputs.parallel.zero = 2
$ rm ds/z2.json; orrery memory full.yaml --node dgx-h100 --gpus 8
! exit 2
! stderr /full.yaml: .*deepspeed ds/z2.json: is not given; give it too/

# Or it stands beside it on the line.
$ mkdir -p apart; echo '{"zero_optimization": {"stage": 2}, "bf16": {"enabled": "auto"}, "train_micro_batch_size_per_gpu": "auto"}' > apart/z2.json; orrery memory full.yaml apart/z2.json --node dgx-h100 --gpus 8 --json > g.json
! json g.json:inputs.parallel.zero = 2
$ orrery memory run.json apart/z2.json
! exit 2
! stderr /one argument too many: apart\/z2.json; allowed: one run, or files of one training of another tool/
$ orrery estimate absent.yaml --node dgx-h100 --gpus 8
! exit 2
! stderr /absent.yaml: found No such file or directory/

# A run file stays one, whatever its name, and a name of ours goes before a file of that name.
$ cp run.json mine; orrery estimate ./mine --json > e.json; echo nothing > llama-3-8b-8-h100; orrery estimate llama-3-8b-8-h100 --json > f.json
! json e.json:step_time_s = a.json:step_time_s
! json f.json:feasible = true
