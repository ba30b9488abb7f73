# Names that people type: hub names, GPUs by count, frameworks, optimizers. The answer says what each was taken for.
$ orrery estimate --model meta-llama/Llama-3.1-8B --node 8xA100 --framework axolotl --sequence-length 4096 --global-batch 32 --lora 16 --gradient-checkpointing --optimizer adamw > answer.txt
$ grep -E '^Llama|^8 GPUs|^Names' answer.txt
> Llama 3 8B: 8.03 B parameters, ... train (lora of rank 16), ...
> 8 GPUs a100-sxm4-80gb in 1 node dgx-a100-80gb, bf16, framework hf-trainer, ...
> Names  meta-llama/Llama-3.1-8B: model llama-3-8b ...
$ orrery estimate --model meta-llama/Llama-3.1-8B --node 8xA100 --framework axolotl --sequence-length 4096 --global-batch 32 --lora 16 --gradient-checkpointing --optimizer adamw --json
! json inputs.training.adapter.kind = "lora"
! json inputs.training.adapter.rank = 16
! json inputs.parallel.recompute = "full"
! json inputs.training.optimizer = "adam"
! json inputs.cluster.gpus = 8
! json inputs.assumed[path="framework"].where = "name axolotl"
! json inputs.assumed[path="cluster.node"].value = "dgx-a100-80gb"

# Counts in a node's name are GPUs; fewer than a node has make nodes of so many, in one word.
$ orrery estimate --model llama-3.2-1b --node '2 nodes of 4 A100 40GB' --framework fsdp --sequence-length 4096 --global-batch 32 --json
! json inputs.cluster.gpus = 8
! json inputs.cluster.devices_per_node = 4
$ orrery estimate --model llama-3.2-1b --node p4d-24xlarge --set cluster.devices_per_node=4 --gpus 8 --framework fsdp --sequence-length 4096 --global-batch 32 --json
! json inputs.cluster.devices_per_node = 4
$ orrery estimate --model llama-3.2-1b --node 4x4090 --framework fsdp --sequence-length 2048 --global-batch 8 --json
! json inputs.cluster.gpus = 4
! json inputs.cluster.node = "rtx-4090-4x"
$ orrery estimate --model llama-3-8b --node h100 --nodes 4 --sequence-length 8192 --global-batch 64 --json
! json inputs.cluster.gpus = 32
$ orrery estimate --model llama-3-8b --node a3-mega --nodes 4 --gpus 30 --sequence-length 8192 --global-batch 60
! exit 2
! stderr /found 30 GPUs in 4 nodes; allowed: a multiple of the nodes/

# A hub's name of no shipped model: what to fetch, and the nearest.
$ orrery estimate --model Qwen/Qwen9-900B --node 8xH100 --sequence-length 4096 --global-batch 8
! exit 2
! stderr /of which no shipped model is; allowed: its config.json by path \(huggingface.co\/Qwen\/Qwen9-900B\/raw\/main\/config.json\)/
$ orrery estimate --model Qwen/Qwen2.5-7B-Instruct-AWQ --node 8xH100 --sequence-length 4096 --global-batch 8
! exit 2
! stderr /weights that are packed \(awq\)/
$ orrery show run llama-3-8b-8-h100 --model https://huggingface.co/Qwen/Qwen3-32B | head -1
> Qwen3 32B...

# Flags of trainers are answered with ours.
$ orrery estimate llama-3-8b-8-h100 --batch-size 4
! exit 2
! stderr /the flag --batch-size; allowed: --micro-batch \(sequences of a GPU at once\) or --global-batch/
$ orrery estimate llama-3-8b-8-h100 --tensor-parallel 4
! exit 2
! stderr /the flag --tensor-parallel; .*did you mean "--tp"\?/
$ orrery estimate llama-3-8b-8-h100 --qlora 8 --json
! json inputs.training.adapter.kind = "qlora"

# A collective and what is shown take the same names.
$ orrery collective all-reduce --node 8xH100 --size 1GiB --json
! json inputs.cluster.node = "dgx-h100"
! json inputs.cluster.gpus = 8

$ orrery show node h100 --json
! json name = "dgx-h100"

$ orrery show model meta-llama/Llama-3.1-8B --json
! json name ~ /^llama-3/

# All that is missing of a run by flags, as it is typed; a model's name is no run.
$ orrery estimate --model meta-llama/Llama-3.1-8B --node 8xH100 --lora 16
! exit 2
! stderr /found no sequence length, no global batch; allowed: it with --sequence-length N --global-batch N$/
$ orrery search --model Qwen/Qwen3-32B
! exit 2
! stderr /found no node, no GPUs, no sequence length, no global batch; allowed: it with --node NAME --gpus N --seq/
$ orrery estimate --model flux.1-dev --node 8xH100
! exit 2
! stderr /found no global batch; allowed: it with --global-batch N$/
$ orrery estimate meta-llama/Llama-3.1-8B
! exit 2
! stderr /found a model where a run is asked for; allowed: --model meta-llama\/Llama-3.1-8B with --node/

$ orrery capacity --model llama-3-8b --sequence-length 8192 --tokens 20e9 --deadline 30d --node h100,8xA100 --global-batch 256 --gpus 64 --json
! json distinct(options[*].node) = ["dgx-a100-80gb", "dgx-h100"]

# A plan takes them too, in its run and in the clusters of its scenarios.
$ echo '{"name": "p", "run": {"model": "meta-llama/Llama-3.1-8B", "cluster": {"node": "8xH100", "gpus": 64}, "training": {"sequence_length": 8192, "global_batch": 512}}, "goal": {"tokens": 1e12}, "gpus": [64], "scenarios": [{"name": "a", "cluster": {"node": "h200"}}, {"name": "b", "cluster": {"node": "8xB200"}}]}' > plan.json
$ orrery capacity plan.json --json
! json options[0].node = "hgx-h200"
! json options[1].node = "hgx-b200"

# The number of GPUs chooses among nodes of one GPU; the next command keeps --nodes.
$ orrery estimate --model llama-3.2-1b --node 8x3090 --framework fsdp --sequence-length 2048 --global-batch 8 --json
! json inputs.cluster.node = "rtx-3090-8x"
! json inputs.cluster.gpus = 8

$ orrery estimate --model llama-3.2-1b --node 1x4090 --gpus 4 --framework fsdp --sequence-length 2048 --global-batch 8 --json
! json inputs.cluster.node = "rtx-4090-1x"

$ orrery estimate --model llama-3.2-1b --node 4090 --gpus 4 --framework fsdp --sequence-length 2048 --global-batch 8 --json
! json inputs.cluster.node = "rtx-4090-pcie"

$ orrery estimate --model llama-2-7b --node 4xA100-40GB --nodes 2 --framework fsdp --sequence-length 2048 --global-batch 32 > answer.txt
$ tail -n 3 answer.txt | grep -o -e '--nodes 2'
> --nodes 2

# A GPU that nobody knows is named as what it is.
$ orrery estimate --model llama-3.2-1b --node 16xA11 --framework fsdp --sequence-length 2048 --global-batch 16
! exit 2
! stderr /cluster.node: found "16xA11", and no node of a11; allowed: .* as 8xA100; or one of your own, [^;]*$/

# A tool's own default, of a profile that several tools share.
$ orrery estimate --model llama-3.2-1b --node 8xA100 --framework llamafactory --sequence-length 2048 --global-batch 16 --lora 8 --json
! json inputs.parallel.zero = 0

$ orrery estimate --model llama-3.2-1b --node 8xA100 --framework Megatron-LM --sequence-length 2048 --global-batch 16 --json
! json inputs.framework = "megatron-lm"

$ orrery show model deepseek-ai/DeepSeek-R1-Distill-Qwen-32B
> ...

# Slices of TPUs as Google Cloud names them: by cores, by chips, by shape.
$ orrery estimate --model llama-2-70b --node v5p-128 --framework maxtext --sequence-length 4096 --micro-batch 2 --global-batch 128 --json
! json inputs.cluster.gpus = 64
! json inputs.cluster.node = "tpu-v5p-4x4x4"
$ orrery estimate --model llama-3.2-1b --node v5litepod-8 --framework maxtext --sequence-length 4096 --global-batch 8 --json
! json inputs.cluster.gpus = 8
! json inputs.cluster.node = "tpu-v5e-2x4"
$ orrery estimate --model llama-3.2-1b --node v4-2x2x4 --framework maxtext --sequence-length 4096 --global-batch 16 --json
! json inputs.cluster.gpus = 16
$ orrery estimate --model llama-3.2-1b --node v9z-128 --sequence-length 4096 --global-batch 8
! exit 2
! stderr /cluster.node: found "v9z-128", and no node of v9z-128/
$ orrery estimate --model llama-3.2-1b --node 1x7800XTX --sequence-length 4096 --global-batch 8
! exit 2
! stderr /no node of 7800xtx/

# Unsloth by its name has the kernels and the checkpointing that its files have.
$ orrery estimate --model llama-3-8b --node 1x4090 --framework unsloth --qlora 16 --sequence-length 2048 --global-batch 1 --json
! json inputs.parallel.framework_options.kernels = "liger"
! json inputs.parallel.recompute = "full"
! json inputs.parallel.offload.activations = "host"
$ orrery estimate --model llama-3-8b --node 1x4090 --framework unsloth --qlora 16 --sequence-length 2048 --global-batch 1 --recompute none --json
! json no inputs.parallel.offload

# Two adapters are one too many.
$ orrery estimate --model llama-3-8b --node 1x4090 --lora 8 --qlora 16 --sequence-length 2048 --global-batch 1
! exit 2
! stderr /--qlora: found it beside --lora 8; allowed: one of them/

# A picture's size is a flag.
$ orrery estimate --model flux.1-dev --node 8xH100 --global-batch 8
! exit 2
! stderr /found no training.height; allowed: it with --image-height/

# Cards that people own, by their numbers; one that is not shipped is like none of another number.
$ orrery estimate --model gpt2 --node 8xA10 --sequence-length 512 --global-batch 8 --json
! json inputs.cluster.node ~ /a10-8x/
$ orrery estimate --model gpt2 --node 2xTITANXp --sequence-length 512 --global-batch 8 --json
! json inputs.training.precision = "fp32"
$ orrery estimate --model gpt2 --node 1xA11 --sequence-length 512 --global-batch 8
! exit 2
! stderr /no node of a11; allowed: a number and a GPU or a node .*; or one of your own, a file by path [^;]*$/

# A name of a family names the family, not another model of as many parameters.
$ orrery estimate --model wan2.1-14b --node 1x4090
! exit 2
! stderr /allowed: wan2.1-t2v-1.3b or wan2.1-t2v-14b, or another/

# Cards as nvidia-smi prints them, with their memory; another memory is another card.
$ orrery estimate --model gpt2 --node 'NVIDIA A100-SXM4-80GB' --gpus 8 --sequence-length 512 --global-batch 8 --json
! json inputs.cluster.node = "dgx-a100-80gb"
$ orrery estimate --model gpt2 --node '2xRTX3090-24GB' --sequence-length 512 --global-batch 8 --json
! json inputs.cluster.node ~ /rtx-3090/
$ orrery estimate --model gpt2 --node '2xRTX3090-12GB' --sequence-length 512 --global-batch 8
! exit 2
! stderr /no node of rtx3090-12gb/
$ orrery estimate --model gpt2 --node '8xA100-80GB,8xV100-32GB' --sequence-length 512 --global-batch 8
! exit 2
! stderr /several kinds of node; allowed: one of them, or `cluster.groups`/

# Optimizers of 8 bits keep Adam's moments in a byte each: 2 + 2 + 12 bytes become 2 + 2 + 6, and pure
# 16-bit states 2 + 2 + 2.
$ orrery estimate --model gpt2 --node 1x3090 --sequence-length 512 --global-batch 8 --optimizer PagedAdamW8bit --json
! json inputs.training.optimizer = "adam-8bit"
$ orrery memory --model gpt2 --node 1x3090 --sequence-length 512 --global-batch 8 --optimizer adamw8bit --zero 0 --states pure-16bit --json
! json memory.optimizer_gib = 0.2318 ± 2 %

# Tokens as people count them, in flags and in files.
$ orrery estimate --model gpt2 --node 8xA100-40GB --sequence-length 1024 --global-batch 480 --tokens '300 B'
> ...
> training          300 B tokens are 610,352 steps, ...
> ...
$ echo '{"model": "gpt2", "cluster": {"node": "dgx-a100-40gb", "gpus": 8}, "training": {"sequence_length": 1024, "global_batch": 480, "tokens": "15T"}}' > tokens.json
$ orrery estimate tokens.json
> ...
> training          15 T tokens are 30,517,579 steps, ...
> ...
$ orrery estimate --model gpt2 --node 8xA100-40GB --sequence-length 1024 --global-batch 480 --tokens 300X
! exit 2
! stderr /found "300X"; allowed: a number of tokens, as 300B, 15T or 2.5e12/

# A group of one card.
$ echo '{"model": "gpt2-xl", "cluster": {"groups": [{"name": "a", "node": "1x3090"}, {"name": "b", "node": "1x4090"}], "links": [{"bandwidth": "12 GB/s", "latency": "10 us"}]}, "training": {"sequence_length": 1024, "global_batch": 8, "micro_batch": 1, "precision": "fp16"}, "parallel": {"zero": 1}}' > box.json
$ orrery estimate box.json
> ...
>   a      rtx-3090-nvlink ...
> ...

# The fewest GPUs need no number of them.
$ orrery limits --model llama-2-7b --node dgx-a100-80gb --sequence-length 4096 --global-batch 256 --of gpus
> ...
> answer            fewest GPUs: ...
> ...

$ orrery list states
> recipe ...
> ...

# A change of a tier by name keeps the part of each node that the run has.
$ orrery estimate --model llama-3-8b --node 4xA100 --nodes 2 --framework fsdp --global-batch 64 --sequence-length 4096 --recompute full --set cluster.tiers.infiniband.latency=9us
> ...
> 8 GPUs a100-sxm4-80gb in 2 nodes dgx-a100-80gb, bf16, framework fsdp, states fsdp-amp
> ...
$ orrery estimate --model llama-3.2-1b --node 1xA100 --nodes 2 --global-batch 64 --sequence-length 2048 --set cluster.tiers.nvswitch.bandwidth=1GB/s
! exit 2
! stderr /cluster.tiers.nvswitch: found no such tier; allowed: tiers of this part of a node: infiniband/

# A part of a node that is one of its inner tiers.
$ orrery estimate --model llama-3.2-1b --node 4xV100 --nodes 2 --global-batch 64 --sequence-length 2048
> ...
> 8 GPUs v100-sxm2-32gb in 2 nodes dgx-1-v100-32gb, fp16, framework generic, states adam-mixed-16
> ...

# What a tool takes by itself: its share of a device beside a learner, its states in its precision alone.
$ orrery estimate --model qwen2.5-7b --node 8xH100 --rl grpo --prompts 128 --group 8 --prompt-length 512 --response-mean 2048 --framework trl --zero 3 --json
! json inputs.rollout.memory_share = 0.3
$ orrery estimate --model gpt2 --node 1xA100 --sequence-length 512 --global-batch 8 --framework torchtune --json
! json inputs.training.states ~ /pure-16bit/
$ orrery estimate --model gpt2 --node 1xA100 --sequence-length 512 --global-batch 8 --framework torchtune --precision fp32 --json
! json inputs.training.states ~ /fp32-adam-16/

# SHARD_GRAD_OP keeps offloaded weights until the backward pass ends: 8.030 B of two bytes, and the gradient of a layer of 218.1 M.
$ orrery memory --model llama-3-8b --node 8xH100 --framework fsdp --sequence-length 512 --global-batch 8 --zero 2 --recompute full --set parallel.offload.parameters=host --json
! json memory.lines.gathered_weights_gib = 15.3638 ± 0.01 %

# Other spellings: a count behind the name, flags as trainers call them, an adapter without a rank.
$ orrery estimate --model llama-3-8b --node H100x8 --seq-len 4096 --global-batch-size 64 --framework fsdp --json > a.json; orrery estimate --model llama-3-8b --node H100:8 --seq-length 4096 --global_batch_size 64 --framework fsdp --json > b.json; orrery estimate --model llama-3-8b --node dgx-h100 --sequence-length=4096 --global-batch 64 --framework fsdp --json > c.json
! json a.json:inputs.cluster.gpus = 8
! json b.json:step_time_s = a.json:step_time_s
! json c.json:step_time_s = a.json:step_time_s
$ orrery estimate --model llama-3-8b --node 8xH100 --sequence-length 4096 --global-batch 64 --framework fsdp --qlora --gradient-checkpointing true --json > q.json
! stderr /--qlora: rank 8, the default of PEFT/
! json q.json:inputs.training.adapter.rank = 8
! json q.json:inputs.parallel.recompute = "full"
$ orrery estimate --model llama-3-8b --node 8xH100 --nodes 32 --gpus 128 --sequence-length 4096 --global-batch 512
! exit 2
! stderr /128 GPUs beside 32 nodes of 8; allowed: 256/
$ orrery estimate --model deepseek-ai/DeepSeek-V3.1 --node nvl72 --sequence-length 4096 --global-batch 512 --framework megatron --gpus 64 --json > v.json
! exit 3
! json v.json:inputs.cluster.node = "gb200-nvl72"
$ orrery estimate --model llama-3-8b --node 8xH100 --sequence-length 4096 --global-batch 64 --framework xtuner --json
! json inputs.framework = "fsdp"

# A paged optimizer is one, not its states alone.
$ orrery estimate --model llama-3-70b --node 8xA100 --sequence-length 2048 --global-batch 16 --framework torchtune --optimizer paged_adamw --json > p.json
! json p.json:inputs.parallel.framework_options.optimizer_kernel = "paged"
$ orrery estimate --model llama-3-8b --node 8xA100 --sequence-length 2048 --global-batch 16 --framework hf-trainer --zero 3 --optimizer paged_adamw_8bit --json > h.json
! json h.json:inputs.parallel.framework_options.optimizer_kernel = "paged"
$ orrery estimate --model llama-3-8b --node 8xA100 --sequence-length 2048 --global-batch 16 --framework deepspeed --zero 3 --optimizer paged_adamw_8bit --json > n.json
! json n.json:inputs.parallel.zero = 3
