# A step of reinforcement learning by phase: colocated, with memory by phase.
$ orrery estimate grpo-qwen3-30b-a3b-32-h100
> grpo: 64 prompts of 150 tokens, 2,048 sequences to learn from, answers of 3,200 tokens in the mean,
>   lognormal with spread 0.50, cut at 4,096
> 16 engines of vllm, tp 2, weights in bf16
> colocated on 32 GPUs, sleep level 2
>
> Qwen3 30B-A3B: 30.53 B parameters, ...
> ...
> memory            fits
> step              ... s (80 % interval ... s to ... s)
> speed             ... tokens/s, ... tokens/s/GPU, ... sequences/s
>
> Time by phase
>   phase            time  80 % interval
>   generate ...
>   old_log_probs ...
>   reference ...
>   update ...
>   handover ...
>   sleep ...
>   wake ...
>
> Generation on the slowest of 16 engines
> ...
> Memory of the fullest GPU by phase, GiB
>   phase      engine  learner  reference  logits    all  capacity
>   generate ...
>   log_probs ...
>   update ...
>   handover ...
>
> What holds the step
>   the longest phase is generating answers, ... % of the step
> ...

$ orrery estimate grpo-qwen3-30b-a3b-32-h100 --json > a.json
! json feasible = true
! json rl.placement = "colocated"
! json rl.phases.generate.time_s > 0
! json len(rl.phases) = 9
! json rl.memory.update.fits = true
! json inputs.training.rl.response.distribution = "lognormal"
! json inputs.cluster.gpus = 32

# `inputs`, read again, gives the same answer.
$ python3 -c "import json; json.dump(json.load(open('a.json'))['inputs'], open('again.json', 'w'))"
$ orrery estimate again.json --json > b.json
! json step_time_s = a.json:step_time_s ± 1e-9 %

# One step ahead, the longer of generator and learner sets the step.
$ orrery estimate grpo-llama-3-8b-16-h100-async --json > async.json
! json rl.placement = "async"
! json rl.queue.period_s = step_time_s ± 1e-9 %
! json rl.memory.generate.learner_gib <= 0

# Memory alone, by phase.
$ orrery memory grpo-llama-3-8b-16-h100-async | grep -A2 '^Engine'
> Engine
>   engine, awake                      GiB
>   weights                          14.96

# What does not fit names the phase, and a change that fits.
$ orrery estimate grpo-qwen3-30b-a3b-32-h100 --memory-share 0.95 --set placement.offload_weights=false --set placement.offload_optimizer=false > fit.txt
! exit 3
$ grep -E '^(memory|would fit)' fit.txt
> memory            does not fit: generate: ... GiB of 79.7 GiB on the fullest GPU...
> would fit         type: --set ...

# Lengths of answers are asked for by their flag.
$ orrery estimate --model llama-3-8b --node dgx-h100 --gpus 8 --rl grpo --prompts 64 --group 8 --prompt-length 200
! exit 2
! stderr /training.rl.response.mean: found nothing; allowed: .*--response-mean/
$ orrery estimate --model llama-3-8b --node dgx-h100 --gpus 8 --rl grpo --prompts 64 --group 8 --prompt-length 200 --response-mean 800 --response-cap 2048 --engine sglang --engine-tp 1 --memory-share 0.5 --set placement.offload_optimizer=true | grep -c '^step'
> 1

# Nobody else knows the step yet, and says so.
$ orrery search grpo-qwen3-30b-a3b-32-h100
! exit 2
! stderr training.rl: found a step of reinforcement learning; allowed: `orrery estimate` and
$ orrery simulate grpo-qwen3-30b-a3b-32-h100
! exit 2
! stderr training.rl: found a step of reinforcement learning
$ orrery explain grpo-qwen3-30b-a3b-32-h100
! exit 2
! stderr training.rl: found a step of reinforcement learning

# Rules between keys.
$ orrery estimate grpo-qwen3-30b-a3b-32-h100 --engine-tp 3
! exit 2
! stderr rollout.tp: found 3 GPUs an engine (tp·pp·dp); allowed: a divisor of the 32 GPUs that generate
$ orrery estimate grpo-qwen3-30b-a3b-32-h100 --group 1
! exit 2
! stderr training.rl.group: found 1; allowed: 2 or more with grpo
$ orrery estimate grpo-qwen3-30b-a3b-32-h100 --engine vllmm
! exit 2
! stderr /vllmm.*did you mean "vllm"/

# Published decode points and steps, with what was predicted.
$ orrery validate $ROOT/validation/rl/steps.json --json > steps.json
! json len(rows) = 55
! json pairs.right >= 13
$ orrery list engines | head -1
> engine ...

# Other placements and engines are tried; a step as it is resolved can be written and read again.
$ orrery estimate grpo-qwen3-30b-a3b-32-h100 --json > faster.json
! json rl.faster[0].step_time_s <= step_time_s
$ orrery export grpo-qwen3-30b-a3b-32-h100 --as run > whole.json
$ orrery estimate whole.json --json > whole-answer.json
! json step_time_s = faster.json:step_time_s ± 1e-9 %
