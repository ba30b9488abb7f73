# A launch script of Megatron-LM is a run file, as plain JSON. A setting that changes memory or time
# and has no key stops the import, unless --assume says what is to be done.
$ orrery import $ROOT/tests/exchange/data/pretrain_llama.sh --node dgx-h100 -o part.json
! exit 2
! stderr pretrain_llama.sh: --hybrid-layer-pattern M-M*: 4 letters, and 32 layers (model.layer_pattern is left open); --assume model.layer_pattern=VALUE
$ orrery import $ROOT/tests/exchange/data/pretrain_llama.sh --node dgx-h100 --assume --hybrid-layer-pattern=none -o run.json
! stderr next: orrery estimate run.json
! json run.json:assumed[0].path = "--hybrid-layer-pattern"
! json len(run.json:assumed) > 1
$ orrery import $ROOT/tests/exchange/data/pretrain_llama.sh --assume --hybrid-pattern=none
! exit 2
! stderr --assume: --hybrid-pattern: found a name that no file has
$ orrery estimate run.json --json
! json inputs.parallel.tp = 4
! json inputs.parallel.pp = 2
! json inputs.parallel.vpp = 4
! json inputs.parallel.dp = 16
! json inputs.parallel.zero = 1
! json inputs.parallel.schedule = "interleaved"

# Flags say what a format has no word for; without them it is missing.
$ orrery import $ROOT/tests/exchange/data/ds_config.json > part.json
! exit 2
! stderr ds_config.json: train_micro_batch_size_per_gpu 2 x gradient_accumulation_steps 4: of how many replicas; give --gpus, or --global-batch (training.global_batch is left open)
$ orrery import $ROOT/tests/exchange/data/ds_config.json --global-batch 512 > part.json
! exit 2
! stderr ds_config.json: still missing: model, cluster.node, cluster.gpus
! stderr ds_config.json: training.sequence_length: no file given says it; --sequence-length VALUE, or --assume training.sequence_length=VALUE
! stderr ds_config.json: parallel.recompute: no file given says it; --recompute VALUE, or --assume parallel.recompute=VALUE
$ orrery estimate part.json --model llama-3-8b --node dgx-h100 --gpus 64 --sequence-length 4096 --recompute none --json > a.json
$ orrery import $ROOT/tests/exchange/data/ds_config.json --model llama-3-8b --node dgx-h100 --gpus 64 --sequence-length 4096 --recompute none > whole.json
! stderr noted: activation_checkpointing.partition_activations true
$ orrery estimate whole.json --json > b.json
! json without(a.json:, "inputs") = without(b.json:, "inputs")
! json without(a.json:inputs, "stated") = without(b.json:inputs, "stated")
! json a.json:inputs.stated[path="model"].where = "--model"
! json b.json:inputs.stated[path="model"].where = "whole.json"

# An estimate repeats the origins that the file records, until another value goes over them.
$ orrery import $ROOT/tests/exchange/data/pretrain_llama.sh --node dgx-h100 --assume --hybrid-layer-pattern=none > llama.json
! stderr taken from $ROOT/tests/exchange/data/pretrain_llama.sh (Megatron-LM): layers 32, width 4096, dgx-h100, GPUs 128
$ orrery estimate llama.json --json > c.json; orrery estimate llama.json --set training.flash_attention=true --json > d.json
! json c.json:inputs.assumed[path="training.flash_attention"].why = "Transformer Engine's choice (transformer_config.py:1314)"
! json len(c.json:inputs.assumed[*path="--hybrid-layer-pattern"]) = 1
! json d.json:inputs.stated[path="training.flash_attention"].where = "--flash-attention"

# An export reads back to the same numbers; what was left open is said, so that advice differs.
$ orrery export llama-3-70b-64-h100 --as run > again.json; orrery estimate again.json --json > c.json; orrery estimate llama-3-70b-64-h100 --json > d.json
! json without(c.json:, "inputs", "advice") = without(., "inputs", "advice")
$ orrery export llama-3-70b-64-h100 --as megatron > train.sh; orrery import train.sh --node dgx-h100 > back.json; orrery estimate back.json --json
! stderr taken from
! json step_time_s = d.json:step_time_s
! json memory.peak_gib = d.json:memory.peak_gib
$ grep 'no equivalent' train.sh
> # no equivalent in Megatron-LM: cluster.node = dgx-h100
> # no equivalent in Megatron-LM: model.name = Llama 3 70B
> # no equivalent in Megatron-LM: model.stated_parameters = 70553706496.0
$ grep -c '^# to add.*--rotary-base.*--tokenizer-type.*--train-iters' train.sh
> 1
$ orrery export llama-3-8b-8-h100 --as torchtitan-toml | grep -v '^#' | head -3
> [activation_checkpoint]
> mode = ...
> ...
$ orrery export llama-3-8b-8-h100 --as deepspeed > ds.json
! stderr no equivalent in DeepSpeed: model
! json train_batch_size = 16
! json zero_optimization.stage in [0, 1, 2, 3]

# Overrides of Megatron-Bridge and Accelerate's YAML come back; a job's header keeps its first line.
$ orrery export llama-3-70b-64-h100 --as bridge > bridge.yaml; orrery import bridge.yaml --node dgx-h100 --gpus 64 > back.json; orrery estimate back.json --json > back_answer.json; orrery estimate llama-3-70b-64-h100 --json
! stderr taken from
! json back_answer.json:step_time_s = step_time_s
! json back_answer.json:memory.peak_gib = memory.peak_gib
$ orrery export llama-3-8b-8-h100 --as sbatch | sed -n '1p;$p'
> #!/bin/bash
> #SBATCH --exclusive
$ orrery export llama-3-70b-64-h100 --as accelerate
! exit 2
! stderr parallel.pp: found 4; allowed: 1: Accelerate starts no pipeline

# The winner of a search as a run file is the winner.
$ echo '{"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 16}, "training": {"sequence_length": 8192, "global_batch": 32}, "framework": "megatron-core", "search": {"axes": {"recompute": ["none", "full"]}}}' > open.json
$ orrery search open.json --json > answer.json; orrery search open.json --print run > winner.json; orrery estimate winner.json --json
! json without(., "inputs") in answer.json:best[0]
$ orrery search open.json --print megatron | grep -c 'torchrun --nproc-per-node 8 --nnodes 2 pretrain_gpt.py'
> 1

# Another profile has other switches: what it lacks is left out, so that the run is whole.
$ orrery import $ROOT/tests/exchange/data/pretrain_llama.sh --node dgx-h100 --framework megatron-lm --assume --hybrid-layer-pattern=none > lm.json
! stderr taken from
$ orrery estimate lm.json --json
! json inputs.framework = "megatron-lm"

# A tool's own defaults are written out and listed: DeepSpeed's one step, torchtitan's checkpoints.
$ echo '{"train_micro_batch_size_per_gpu": 4, "fp16": {"enabled": true}}' > micro.json
$ orrery import micro.json --model llama-3-8b --node dgx-h100 --gpus 64 --sequence-length 4096 --recompute none | grep -E 'gradient_acc|global_batch'
! stderr taken from
> ..."global_batch":256...
> ..."path":"gradient_accumulation_steps","value":"1","why":"DeepSpeed's default"...
$ printf '[model]\nname = "llama3"\nflavor = "8B"\n[training]\nlocal_batch_size = 2\nseq_len = 8192\n' > min.toml
$ orrery import min.toml --node dgx-h100 --gpus 16 | grep -o -E '"recompute".*:16|"full of one.*"'
! stderr taken from
> "recompute":"full","recompute_method":"block","recompute_layers":16
> "full of one layer in 2","why":"activation_checkpoint.selective_ac_option 2, torchtitan's default (000204a4, class ActivationCheckpoint)","known":"default","where":""

# TOML as its standard has it: hex numbers, quoted and dotted keys, escapes, dates.
$ printf '"training".seq_len = 0x2000\ntraining.local_batch_size = 1_6\n[model]\nname = "llama\\u0033"\nflavor = "8B"\nstart = 2025-11-22\n' > hex.toml
$ orrery import hex.toml --node dgx-h100 --gpus 16 | grep -o -E '"sequence_length":[0-9]*|"micro_batch":[0-9]*|"model": "[^"]*"'
! stderr not understood: model.start 2025-11-22 (no key of a run file)
> "model": "llama-3-8b"
> "sequence_length":8192
> "micro_batch":16
$ printf '[training]\nseq_len = 1\n[training]\nseq_len = 2\n' | orrery import - --from torchtitan-toml
! exit 2
! stderr standard input: line 3, column 1: found table header: cannot redefine existing table 'training'; allowed: TOML
$ printf '[training]\nseq_len = 8\nseq_len = 9\n' | orrery import - --from torchtitan-toml
! exit 2
! stderr standard input: line 3, column 11: found key-value pair: cannot redefine existing integer 'seq_len'; allowed: TOML
$ printf '[model]\nname = "llama\\q"\n' | orrery import - --from torchtitan-toml
! exit 2
! stderr standard input: line 2, column 15: found string: unknown escape sequence '\q'; allowed: TOML

# A run that a tool cannot do is refused.
$ orrery export llama-3-70b-64-h100 --set parallel.schedule=breadth-first --as megatron
! exit 2
! stderr parallel.schedule: found "breadth-first"; allowed: 1f1b or interleaved: Megatron-LM has no other
$ orrery search open.json --set 'search.axes={"pp": [2], "schedule": ["breadth-first"]}' --print megatron
! exit 2
! stderr parallel.schedule: found "breadth-first"
$ orrery export bloom-176b-384-a100 --as megatron
! exit 2
! stderr model.position_embedding: found "alibi"

# An error is one line.
$ printf -- '--num-layers 5.5\n' > wrong.sh; orrery import wrong.sh
! exit 2
! stderr wrong.sh: --num-layers: found "5.5"; allowed: a whole number from 0 to
$ printf -- '--recompute-granularity ful --tensor-model-parallel-size 8\n' | orrery import -
! exit 2
! stderr standard input: --recompute-granularity: found "ful"; allowed: selective or full; did you mean "full"?
$ echo '[training' | orrery import - --from torchtitan-toml
! exit 2
! stderr standard input: line 1, column 10: found table header: expected ']', saw '\n'; allowed: TOML
$ echo '{"train_batch_size": 5.5}' | orrery import -
! exit 2
! stderr standard input: train_batch_size: found 5.5; allowed: a whole number
$ orrery import wrong.sh --from megatorn
! exit 2
! stderr --from: found "megatorn"; allowed: megatron, deepspeed, torchtitan, torchtitan-toml, bridge, accelerate,

# A file of another kind is refused by what it looks like.
$ echo nothing | orrery import -
! exit 2
! stderr standard input: found text without a setting; allowed: a training file of a tool of `orrery list tools`
$ echo '{"traceEvents": []}' | orrery import -
! exit 2
! stderr standard input: found a Kineto trace; allowed: orrery diagnose and orrery calibrate fit read it
$ printf 'import torch\ndef main(): pass\n' | orrery import -
! exit 2
! stderr found Python source; allowed: give the printed configuration
$ printf '[ -z "$TP" ] && TP=8\npretrain_gpt.py --num-layers 2 --tensor-model-parallel-size $TP\n' | orrery import - | grep -c '"tp":8'
> 1
! stderr still missing
$ printf 'parallelism: {dp: 2}\ntokens: {}\n' | orrery import -
! exit 2
! stderr found nanotron's YAML
$ orrery export llama-3-8b-8-h100 --as megatronn
! exit 2
! stderr found "megatronn"; allowed: run, megatron, deepspeed, torchtitan, torchtitan-toml, bridge, accelerate or sbatch; did you mean "megatron"?
$ orrery search open.json --print run --csv
! exit 2
! stderr --print and --csv

# A whole script of Megatron-DeepSpeed: switches that its profile lacks are dropped, and the run answers.
$ printf 'deepspeed --num_gpus 8 --num_nodes 2 pretrain_gpt.py --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 4 --global-batch-size 128 --fp16 --vocab-size 50257 --deepspeed --zero-stage 1\n' > ds.sh
$ orrery import ds.sh --node dgx-a100-80gb -o ds.json
! stderr taken from ds.sh (Megatron-LM): layers 24, width 2048, dgx-a100-80gb, GPUs 16
$ orrery estimate ds.json --json
! json inputs.framework = "megatron-deepspeed"
! json inputs.training.flash_attention = false
! json inputs.parallel.zero = 1
# What a user gets whose events are TensorBoard's: where they are of use.
$ printf '\030\0\0\0\0\0\0\0\243\177K"\011\0\0\300v;\241\327A\032\015brain.Event:2l\276\357\250' > events
$ orrery import events
! exit 2
! stderr found TensorBoard's events; allowed: orrery diagnose reads it, and --observed FILE
$ orrery estimate gpt3-175b-1024-a100 --against events
! exit 2
! stderr events: found no log of a training
# Logs of a training are named as such, also where a line looks like JSON.
$ printf "iteration: 1 / 100 | time_per_iteration_ms: 1.41K | global_batch_size: 256 | lm_loss: 11\n" > nanotron.log
$ orrery import nanotron.log
! exit 2
! stderr found a log of nanotron; allowed: orrery diagnose reads it, and --observed FILE of orrery estimate
$ printf "{'loss': 2.3, 'epoch': 0.1}\n{'train_runtime': 142.0}\n" > trainer.log
$ orrery import trainer.log
! exit 2
! stderr found a log of Hugging Face's Trainer; allowed: orrery diagnose reads it, and --observed FILE of orrery estimate
# A step that no stack has is of another run, and so is a batch of MLPerf's lines.
$ printf "x | elapsed time per iteration (ms): 5000000.0 |\n" > far.log
$ orrery estimate gpt3-175b-1024-a100 --observed far.log
! exit 2
! stderr /^error: far.log: found a step of [0-9]+ times the predicted one; allowed: a log of this run/
$ printf ':::MLLOG {"key": "global_batch_size", "value": 8}\n:::MLLOG {"key": "tracked_stats", "value": {"train_step_time": 30.5}}\n' > mlperf.log
$ orrery estimate gpt3-175b-1024-a100 --observed mlperf.log
! exit 2
! stderr mlperf.log: found training.global_batch 8 in the log, 1536 here; allowed: a log of this run
# Steps of a ramp of batches are no steps of the run.
$ for b in 32 32 32 1536; do printf "x | elapsed time per iteration (ms): ${b}0.0 | global batch size:  $b | loss 1\n"; done > ramp.log
$ orrery estimate gpt3-175b-1024-a100 --against ramp.log | grep Against
> Against 1 step of a log of Megatron-LM; 3 of another batch left out
# The step of any tool's log sets the level of the stack.
$ printf "[2026-01-01 00:00:00] [INFO] CurrSamplesPerSec=60.5, MemAllocated=1GB\n{'loss': 1}\n" > steps.log
$ orrery estimate gpt3-175b-1024-a100 --observed steps.log --json
! json inputs.stack.steps = 1

# Megatron pads experts to their capacity only where it is told to.
$ printf 'python pretrain_gpt.py --num-layers 8 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 --micro-batch-size 1 --global-batch-size 8 --max-position-embeddings 2048 --vocab-size 32000 --num-experts 8 --moe-grouped-gemm --moe-router-topk 2 --moe-expert-capacity-factor 1.5 --bf16 --swiglu --normalization RMSNorm --disable-bias-linear --position-embedding-type rope --use-flash-attn' > drop.sh
$ sed 's/$/ --moe-pad-expert-input-to-capacity/' drop.sh > pad.sh
$ for f in drop pad; do orrery import $f.sh --assume cluster.node=dgx-h100 --assume cluster.gpus=8 --json; done
! json .[*].run.model.moe_pad_expert_input_to_capacity = [false, true]

# A card alone, by nvidia-smi's list: one GPU of a node that has such cards.
$ printf 'name, memory.total [MiB]\nNVIDIA GeForce RTX 4090, 24564 MiB\n' > card.csv
$ orrery import card.csv --as cluster
> {
>   "node": "rtx-4090-pcie",
>   "gpus": 1
> }

# What follows from the model is known with it: DeepSpeed's prefetch by its width, Primus's ranks of experts not at all.
$ echo '{"train_batch_size": 64, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3, "stage3_prefetch_bucket_size": "auto"}}' > auto.json
$ orrery import auto.json --model llama-3-8b --node dgx-h100 --gpus 8 --sequence-length 4096 --recompute full | grep -o '"stage3_prefetch_bucket_size":[0-9]*'
! stderr taken from
> "stage3_prefetch_bucket_size":15099494
$ orrery import auto.json --node dgx-h100 --gpus 8 > open.json
! exit 2
! stderr zero_optimization.stage3_prefetch_bucket_size auto: 0.9 of the square of the model's width; give --model
$ printf 'modules:\n  pre_trainer:\n    framework: megatron\n    model: deepseek_v3.yaml\n    overrides:\n      tensor_model_parallel_size: 1\n' > experts.yaml; orrery import experts.yaml > open.json
! exit 2
! stderr experts.yaml: parallel.ep: the file of the model says it, which is not given
$ sed 's/deepseek_v3/llama3.1_8B/' experts.yaml > dense.yaml; orrery import dense.yaml | grep -o '"ep":1'
! stderr still missing
> "ep":1
# A file's own setting may be called like a key of a run: --assume gives its meaning, and no key.
$ printf '[model]\nname = "llama3"\nflavor = "8B"\n[training]\nlocal_batch_size = 1\nseq_len = 8192\nglobal_batch_size = 8\ngradient_accumulation_steps = 2\n[activation_checkpoint]\nmode = "full"\n' > own.toml; orrery import own.toml --node dgx-h100 --gpus 8 > open.json
! exit 2
! stderr --assume training.gradient_accumulation_steps=none
$ orrery import own.toml --node dgx-h100 --gpus 8 --assume training.gradient_accumulation_steps=none | grep -o '"micro_batch":1'
! stderr taken from
> "micro_batch":1

# A job whose program no reader knows is refused by the program's name, however it is started.
$ for command in 'make train' 'julia train.jl' 'apptainer run img.sif' 'srun pretrain.sif --bf16' 'mpirun -np 8 train_gpt'; do printf '#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --gpus-per-node=8\nmodule load cuda\nnvidia-smi\n%s\n' "$command" > job.sh; orrery import job.sh --model llama-3-8b --node dgx-h100 --sequence-length 4096 --micro-batch 1 --global-batch 256 2>&1 | grep -o 'read: [a-z_.]*' ; done
> read: make
> read: julia
> read: img.sif
> read: pretrain.sif
> read: train_gpt

# A schedule by a flag has none of the chunks that are assumed for the file's own.
$ printf 'recipe: TrainFinetuneRecipeForNextTokenPrediction\nstep_scheduler: {global_batch_size: 64, local_batch_size: 4}\nmodel: {_target_: nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained, pretrained_model_name_or_path: meta-llama/Llama-3.1-8B}\ndistributed: {strategy: fsdp2, pp_size: 2, tp_size: 1, cp_size: 1, pipeline: {pp_schedule: interleaved1f1b, pp_microbatch_size: 1}}\npacked_sequence: {packed_sequence_size: 4096}\n' > chunks.yaml; orrery import chunks.yaml --node hgx-h200 --gpus 32 --schedule 1f1b 2>&1 | grep -c '"vpp"' ; orrery import chunks.yaml --node hgx-h200 --gpus 32 2>&1 | grep -o '"vpp":2'
> 0
> "vpp":2
