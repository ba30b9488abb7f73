# A step of reinforcement learning on one screen: the phases by their shares, the fullest GPU, what to type next.
$ orrery estimate grpo-qwen3-30b-a3b-32-h100 > short.txt; test $(wc -l < short.txt) -le 30 && grep -E '^(fullest|spends|answer|next)' short.txt
> fullest           update: engine ... GiB, learner ... GiB (... GiB), of 79.7 GiB
> spends            generate ... %, update ... %, ...; --all: all tables
> answer            ..., ... %: ... of 79.7 GiB in update, ... s a step
> next              orrery estimate grpo-qwen3-30b-a3b-32-h100 --...

# All tables: time and memory by phase.
$ orrery estimate grpo-qwen3-30b-a3b-32-h100 --all
> grpo: 64 prompts of 150 tokens, 2,048 sequences to learn from, answers of 3,200 tokens in the mean,
>   lognormal with spread 0.50, cut at 4,096
> 16 engines of vllm, tp 2, weights in bf16, ...
> colocated on 32 GPUs, sleep level 2
>
> Qwen3 30B-A3B: 30.53 B parameters, ...
> ...
> memory            ..., ... %
> step              ... s (80 % interval ... s to ... s)
> speed             ... tokens/s, ... tokens/s/GPU, ... sequences/s
> spread            half of the steps under ... s, 80 % ... s to ... s, 99 % under ... s...
> ...
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

# Entropy holds a copy of the logits and a softmax.
$ orrery memory grpo-llama-3-8b-16-h100-async --set training.rl.entropy=learned --json > entropy.json
! exit 3
! json rl.memory.update.logits_gib > 1
$ python3 -c "import json; a=json.load(open('async.json'))['rl']['memory']; b=json.load(open('entropy.json'))['rl']['memory']; print(round(b['log_probs']['logits_gib']/a['log_probs']['logits_gib'], 6))"
> 2.333333

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
> would fit         type: --memory-share ...

# Lengths of answers are asked for by their flag.
$ orrery estimate --model llama-3-8b --node dgx-h100 --gpus 8 --rl grpo --prompts 64 --group 8 --prompt-length 200
! exit 2
! stderr /training.rl.response.mean: found nothing; allowed: .*--response-mean/
$ orrery estimate --model llama-3-8b --node dgx-h100 --gpus 8 --rl grpo --prompts 64 --group 8 --prompt-length 200 --response-mean 800 --response-cap 2048 --engine sglang --engine-tp 1 --memory-share 0.5 --set placement.offload_optimizer=true | grep -c '^step'
> 1

# Placements, splits, engines and layouts of the learner are searched; what a flag sets is held.
# The run's own layout fits as likely as not, which a search takes at even odds alone.
$ orrery search grpo-llama-3-8b-16-h100-async --recompute full --risk 0.5 --json > search.json
! json feasible = true
! json placements > 100000
! json best[0].step_time_s <= own.step_time_s
! json best[0].phases_s.generate > 0
! json of_placement[0].step_time_s >= best[0].step_time_s
$ orrery search grpo-llama-3-8b-16-h100-async --engine-tp 2 --placement colocated --json > held.json
! json best[0].placement = "colocated"
! json beyond_framework = false
! json held[0].path = "rollout.tp"
! json best[0].run.rollout.tp = 2
$ python3 -c "import json; json.dump(json.load(open('search.json'))['best'][0]['run'], open('winner.json', 'w'))"
$ orrery estimate winner.json --json > winner-answer.json
! json step_time_s = search.json:best[0].step_time_s ± 1e-9 %
# For money, where devices differ by their rent; only where a condition holds.
$ orrery search grpo-llama-3-8b-16-h100-async --recompute full --risk 0.5 --prices market-2026 --minimize cost --json > cheap.json
! json minimized = "cost"
! json prices.learner_gpu_hour = 3.24 ± 1e-9 %
! json best[0].cost <= best[1].cost
! json own.cost >= best[0].cost
$ orrery search grpo-llama-3-8b-16-h100-async --set rollout.node=dgx-a100-80gb --prices market-2026 --minimize cost --where "rl.phases.generate_s <= 80" --where "tp <= 2" --json > mixed.json
! json prices.generator_gpu_hour = 1.99 ± 1e-9 %
! json best[*].phases_s.generate <= 80
! json best[*].run.parallel.tp <= 2
$ orrery search grpo-llama-3-8b-16-h100-async --rent 2.5 | grep -E '^(rent|answer)'
> rent              2.50 USD a GPU-hour to learn, 2.50 USD a GPU-hour to generate; ...
> answer            step ... s, ... USD a step, ...
$ orrery search grpo-llama-3-8b-16-h100-async --minimize cost
! exit 2
! stderr --minimize: found cost without a price; allowed: --prices NAME or --rent MONEY
$ orrery search grpo-llama-3-8b-16-h100-async --minimize mfu
! exit 2
! stderr --minimize: found "mfu"
$ orrery search grpo-llama-3-8b-16-h100-async --where "mfu > 0.4"
! exit 2
! stderr /--where: found "mfu"/
$ orrery search grpo-llama-3-8b-16-h100-async --set rollout.node=alps-gh200 --prices market-2026
! exit 2
! stderr /gpus\..*gh200.*\.rent: found nothing/
$ orrery search llama-3-8b-8-h100 --rent 2
! exit 2
! stderr --rent: found a run without training.rl
$ orrery search grpo-llama-3-8b-16-h100-async --keep placement,parallel
! exit 2
! stderr --keep
$ orrery search grpo-llama-3-8b-16-h100-async --pareto step_time_s --pareto mfu
! exit 2
! stderr /--pareto.*training.rl/

# A sweep over lengths; what breaks a rule is a row.
$ echo '{"run": "grpo-llama-3-8b-16-h100-async", "axes": {"training.rl.response.mean": [500, 1000], "placement.rollout_gpus": [8, 16]}, "columns": ["step_time_s", "rl.phases.generate_s"]}' > sweep.json
$ orrery sweep sweep.json --csv | cut -d, -f4-9
> training.rl.response.mean,placement.rollout_gpus,status,reason,step_time_s,rl.phases.generate_s
> 500,8,fits,,...
> 500,16,illegal,...
> 1000,8,fits,,...
> 1000,16,illegal,...

# Two steps by phase, and each key alone.
$ orrery export grpo-llama-3-8b-16-h100-async --recompute full --as run > own.json
$ orrery compare own.json winner.json --json > compare.json
! json runs[0].numbers.step_time_s >= runs[1].numbers.step_time_s
! json len(keys) > 2
$ orrery compare grpo-llama-3-8b-16-h100-async llama-3-8b-8-h100
! exit 2
! stderr with and without training.rl

# A phase down to its inputs; the tree adds up.
$ orrery explain grpo-llama-3-8b-16-h100-async generate --json > phase.json
! json metric = "rl.phases.generate_s"
! json value = async.json:rl.phases.generate.time_s ± 1e-9 %
$ orrery explain grpo-llama-3-8b-16-h100-async --json | grep -c '"one update"'
> 1
$ orrery explain grpo-llama-3-8b-16-h100-async mfu
! exit 2
! stderr rl.phases.generate_s

# Played steps, their spread, and a trace.
$ orrery simulate grpo-llama-3-8b-16-h100-async --steps 8 --trace steps.json --json > played.json
! json len(steps) = 8
! json played.p10_s <= played.p90_s
! json played.p90_s <= played.p99_s
! json played.p99_s <= played.longest_s
! json groups[0].name = "generate, 8"
$ python3 -c "import json; print(len([e for e in json.load(open('steps.json'))['traceEvents'] if e['ph'] == 'X']) > 30)"
> True
$ orrery estimate grpo-llama-3-8b-16-h100-async --set training.rl.agent.turns=4 --set training.rl.agent.tool="2 s" --set training.rl.agent.hung=0.0001 --set training.rl.agent.timeout="900 s" --json > agents.json
! json rl.spread.longest_s > 900
! json rl.spread.p50_s < 300
$ orrery estimate grpo-llama-3-8b-16-h100-async --set training.rl.agent.turns=4 --set training.rl.agent.tool="2 s" --set training.rl.agent.hung=0.0001
! exit 2
! stderr training.rl.agent.timeout: found nothing
$ orrery simulate grpo-llama-3-8b-16-h100-async --steps 4 | grep -c 'half are shorter'
> 1
$ orrery simulate grpo-llama-3-8b-16-h100-async --slow gpu:1=2
! exit 2
! stderr /--slow.*reinforcement learning/
$ orrery simulate llama-3-8b-8-h100 --steps 4
! exit 2
! stderr --steps

# Days and GPU hours of a whole training; a teacher that scores; pairs for a reward model.
$ orrery estimate grpo-llama-3-8b-16-h100-async --rl-steps 1000 --json > whole.json
! json rl.training.gpu_hours > 1
$ orrery estimate grpo-llama-3-8b-16-h100-async --rl distill
! exit 2
! stderr --teacher
$ orrery estimate grpo-llama-3-8b-16-h100-async --rl distill --teacher llama-3-70b --json > distill.json
! exit 3
! json rl.phases.reference.time_s > async.json:rl.phases.reference.time_s

# A whole training in days and money: steps, failures, the prices of both groups.
$ orrery capacity grpo-llama-3-8b-16-h100-async
! exit 2
! stderr training.rl.steps: found nothing; allowed: steps of the whole training: --rl-steps N
$ orrery capacity grpo-llama-3-8b-16-h100-async --rl-steps 1000 --prices market-2026 --json > money.json
! json options[0].rl.steps = 1000
! json options[0].rl.step_time_s = async.json:step_time_s ± 1e-9 %
! json options[0].gpus_paid = 16
! json options[0].rl.generators.gpus = 8
! json options[0].time.gpu_hours = whole.json:rl.training.gpu_hours ± 1e-9 %
$ python3 -c "import json; o=json.load(open('money.json'))['options'][0]; print(abs(o['cost']['total'] - 3.24*o['time']['gpu_hours']) < 1e-6*o['cost']['total'])"
> True
$ orrery capacity grpo-llama-3-8b-16-h100-async --rl-steps 1000 --set rollout.node=dgx-a100-80gb --prices market-2026 --json > two.json
$ python3 -c "import json; o=json.load(open('two.json'))['options'][0]; print(abs(o['cost']['total'] - (3.24+1.99)*8*o['time']['hours']) < 1e-6*o['cost']['total'])"
> True
$ orrery capacity grpo-llama-3-8b-16-h100-async --rl-steps 1000 --prices market-2026 --failures llama-3 --deadline 1h > late.txt
! exit 3
$ grep -c 'No option meets it' late.txt
> 1
$ orrery capacity grpo-llama-3-8b-16-h100-async --rl-steps 1000 --sizes '[16,24]' --json > sizes.json
! json options[1].rl.generators.gpus = 12
$ orrery capacity grpo-llama-3-8b-16-h100-async --rl-steps 1000 --sizes '[15]' > fifteen.txt
! exit 3
$ orrery capacity grpo-llama-3-8b-16-h100-async --rl-steps 1000 --materials fat-tree
! exit 2
! stderr beside training.rl
$ orrery capacity grpo-llama-3-8b-16-h100-async --rl-steps 1000 --tokens-per-parameter 20
! exit 2
! stderr goal: found it beside training.rl

# A log beside the prediction.
$ printf 'step:%d - timing_s/gen:%d - timing_s/update_actor:20.0 - timing_s/step:%d - response_length/mean:900.0\n' 1 90 130 2 60 100 3 62 102 > verl.log
$ orrery diagnose verl.log --run grpo-llama-3-8b-16-h100-async --json > log.json
! json form = "verl"
! json steps = 3
! json phases[1].time_s = 61 ± 1e-9 %
$ orrery diagnose verl.log | grep -c 'verl, 3 steps'
> 1

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
! json len(rows) = 64
! json pairs.right >= 17
! json ran_out_of_memory.all = 6
! json len(async_over_colocated) >= 13
# The figures of docs/rl.md are those.
$ python3 - $ROOT/docs/rl.md
< import json, sys
< page = open(sys.argv[1], encoding='utf-8').read()
< answer = json.load(open('steps.json'))
< scopes = {'lengths known': 'all with lengths', 'NeMo RL': 'NeMo RL', 'other tools': 'other tools'}
< for s in answer['summaries']:
<     if s['scope'] not in scopes or (s['scope'] == 'lengths known' and s['quantity'] != 'step'): continue
<     e = s['errors']
<     row = f"| {s['quantity']} | {scopes[s['scope']]} | {e['rows']} | {100 * e['median']:.1f}, {100 * e['p90']:.1f} % |"
<     if row not in page: print('docs/rl.md lacks', row)
< stated = f"in {answer['pairs']['right']} of {answer['pairs']['all']} pairs"
< if stated not in page: print('docs/rl.md lacks', stated)
< verl = [r for r in answer['async_over_colocated'] if r['colocated'].startswith('verl-7b')]
< ratios = '{:.2f}, {:.2f} and {:.2f}'.format(*(r['predicted'] for r in verl))
< if ratios not in page: print('docs/rl.md lacks', ratios)
$ orrery list engines | head -1
> engine ...

# Other placements and engines are tried; a step as it is resolved can be written and read again.
$ orrery estimate grpo-qwen3-30b-a3b-32-h100 --json > faster.json
! json rl.faster[0].step_time_s <= step_time_s
$ orrery export grpo-qwen3-30b-a3b-32-h100 --as run > whole.json
$ orrery estimate whole.json --json > whole-answer.json
! json step_time_s = faster.json:step_time_s ± 1e-9 %

# Names of a node and of the algorithm as people type them; a key that this placement does not read is warned of.
$ orrery estimate grpo-llama-3-8b-16-h100-async --set rollout.node=8xH200 --json > node.json
! json inputs.rollout.node = "hgx-h200"
$ orrery estimate grpo-llama-3-8b-16-h100-async --set rollout.node=8xZ9000
! exit 2
! stderr /rollout.node: found "8xZ9000"/
$ orrery estimate grpo-llama-3-8b-16-h100-async --rl GRPO --json > upper.json
! json rl.algorithm = "grpo"
$ orrery estimate grpo-llama-3-8b-16-h100-async --set rollout.drafted=4 --set rollout.acceptance=0.8 --json > drafts.json
! json inputs.rollout.tokens_per_pass = 3.3616 ± 1e-9 %
$ orrery estimate grpo-qwen3-30b-a3b-32-h100 --set placement.transfer=p2p --json | grep -c "placement.transfer has no effect"
> 1
$ echo '{"run": "grpo-llama-3-8b-16-h100-async", "axes": {"training.rl.response.mean": [500]}}' > peaks.json
$ orrery sweep peaks.json --csv | head -1 | grep -c memory.peak_gib
> 1
