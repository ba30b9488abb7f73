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

# A kind of node with a count, beside a script that says its GPUs: the script's number stays.
$ printf 'torchrun --nnodes 2 --nproc_per_node 8 pretrain_gpt.py --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 1 --global-batch-size 64 --tensor-model-parallel-size 8 --bf16 --vocab-size 50304 --train-iters 10\n' > two.sh; orrery estimate two.sh --node 8xH100 --json > two.json
! json two.json:inputs.cluster.gpus = 16

# A script of fewer GPUs than the node has: its number stays, and a warning names both.
$ sed 's/--nnodes 2 --nproc_per_node 8/--nnodes 1 --nproc_per_node 4/; s/--tensor-model-parallel-size 8/--tensor-model-parallel-size 4/' two.sh > few.sh; orrery estimate few.sh --node 8xH100 --json > few.json
! stderr /GPUs: 4, not the 8 of the node; --gpus 8 for all/
! json few.json:inputs.cluster.gpus = 4

# Settings that nobody understands are named, whatever the command.
$ printf 'model_name_or_path: meta-llama/Llama-3.1-8B\nstage: sft\ndo_train: true\nfinetuning_type: full\ncutoff_len: 2048\nper_device_train_batch_size: 1\nbf16: true\ndeepspeed: z3.json\nwarp_drive: 9\n' > odd.yaml; echo '{"zero_optimization": {"stage": 3}, "bf16": {"enabled": true}, "train_micro_batch_size_per_gpu": 1}' > z3.json; orrery estimate odd.yaml --node dgx-h100 --gpus 8 > odd.txt
! stderr /warning: .*not understood: warp_drive 9/

# A notebook's call within a call: bf16 on a T4 is refused, as the trainer does.
$ printf 'from unsloth import FastLanguageModel\nmodel, tok = FastLanguageModel.from_pretrained(model_name="unsloth/llama-3-8b-bnb-4bit", max_seq_length=2048, load_in_4bit=True)\nmodel = FastLanguageModel.get_peft_model(model, r=16, use_gradient_checkpointing="unsloth")\ntrainer = SFTTrainer(model=model, args=TrainingArguments(per_device_train_batch_size=1, gradient_accumulation_steps=4, bf16=True, optim="adamw_8bit"))\ntrainer.train()\n' > book.py; orrery estimate book.py --node 1xT4
! exit 2
! stderr /training.precision: found "bf16"/

# YAML in braces with comments is GPT-NeoX's own style.
$ printf '{\n  # sizes\n  "num_layers": 24, "hidden_size": 2048, "num_attention_heads": 16, "seq_length": 2048, "max_position_embeddings": 2048,\n  "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 1, "pipe_parallel_size": 1, "model_parallel_size": 2,\n  "precision": "bfloat16", "zero_optimization": {"stage": 1}, "optimizer": {"type": "Adam"}\n}\n' > neox.yml; orrery estimate neox.yml --node dgx-h100 --gpus 8 --recompute none --states adam-fp32-gradients-18 --json > neox.json
! json neox.json:inputs.parallel.tp = 2

# Another number of GPUs by --nodes than the file's goes over it, with a word.
$ printf 'python -m openrlhf.cli.train_ppo_ray --advantage_estimator group_norm --actor_num_nodes 1 --actor_num_gpus_per_node 3 --vllm_num_engines 3 --vllm_tensor_parallel_size 1 --pretrain Qwen/Qwen2.5-7B-Instruct --train_batch_size 72 --rollout_batch_size 72 --n_samples_per_prompt 8 --micro_train_batch_size 1 --prompt_max_len 1024 --generate_max_len 4096 --zero_stage 3 --bf16 --gradient_checkpointing\n' > rl.sh
$ orrery estimate rl.sh --node 8xH100 --nodes 3 --prompt-length 300 --response-mean 1200
> ...
! stderr /warning: rl.sh: GPUs: 24 by --nodes, not the 6 of the file/
! exit 0

# A model's config.json alone is the model: what else a run needs is asked for as flags.
$ echo '{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 131072, "rope_theta": 500000.0, "tie_word_embeddings": false}' > config.json
$ orrery estimate config.json
! exit 2
! stderr /found no node, no GPUs, no sequence length, no global batch; allowed: it with --node NAME --gpus N --sequence-length N --global-batch N$/
$ orrery estimate config.json --node 8xH100 --sequence-length 4096 --global-batch 64 --json > byfile.json; orrery estimate --model ./config.json --node 8xH100 --sequence-length 4096 --global-batch 64 --json > byflag.json
! json byfile.json:step_time_s = byflag.json:step_time_s
! json byfile.json:memory.peak_gib = byflag.json:memory.peak_gib

# Beside a trainer's file it has the dimensions of the model that the file names, in either order.
$ orrery estimate full.yaml apart/z2.json config.json --node dgx-h100 --gpus 8 --json > last.json; orrery estimate config.json full.yaml apart/z2.json --node dgx-h100 --gpus 8 --json > first.json
! json last.json:inputs.model.hidden_size = 4096
! json first.json:step_time_s = last.json:step_time_s
! json first.json:memory.peak_gib = last.json:memory.peak_gib

# An answer names what it read and by whose defaults; JSON holds the lines.
$ orrery memory axolotl.yaml --node dgx-h100 --gpus 8 --micro-batch 1 > read.txt
! stderr /^taken from axolotl.yaml \(axolotl\): /
$ orrery memory axolotl.yaml --node dgx-h100 --gpus 8 --micro-batch 1 --json > read.json
! json len(read.json:read) = 2
! json read.json:read[1] ~ /^assumed: /

# A sweep varies any of them.
$ orrery sweep axolotl.yaml --node dgx-h100 --gpus 8 --vary sequence_length=2048,4096 --json > rows.jsonl; wc -l < rows.jsonl
> 2
$ orrery sweep axolotl.yaml --node dgx-h100
! exit 2
! stderr /axolotl.yaml: found a training of another tool, in which nothing varies; allowed: --vary KEY=VALUES beside it/
