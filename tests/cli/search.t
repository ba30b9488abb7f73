# Times move with calibration; the shape of the page does not.
$ orrery search --model llama-3-8b --node dgx-h100 --gpus 16 --sequence-length 8192 --global-batch 32 --framework megatron-core --all
> Llama 3 8B: ...
> ...
> search            ... candidates: ... illegal, ... do not fit, ...
> ...
> ties              ...
> ...
> Best...
>         step     MFU ...
>   1 ... s ...
> ...
> Limit  ...
> ...
> The best with each value, beside the fastest
>   tp 1 ...
> ...
> Illegal by the rule that says so first
> ...

# The best is an estimate like any other, its strategy a run file's keys; threads change nothing.
$ echo '{"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 16}, "training": {"sequence_length": 8192, "global_batch": 32}, "framework": "megatron-core"}' > run.json
$ orrery search run.json --json --jobs 1 > one.json
! json candidates = sum(rejected) + does_not_fit + too_risky + pruned_by_bound + estimated
! json len(best) = 5
! json best[fastest].step_time_s = min(best[*].step_time_s)
! json best[0].why ~ /^recommended/
! json best[0].memory.fit_probability >= 0.9
$ orrery search run.json --json --jobs 3 > three.json
$ cmp one.json three.json && echo same
> same
$ python3 -c 'import json; r = json.load(open("run.json")); b = json.load(open("one.json"))["best"][0]; r.update({"parallel": b["strategy"]["parallel"]}); r["training"].update(b["strategy"]["training"]); json.dump(r, open("winner.json", "w"))'
$ orrery estimate winner.json --json
! json without(., "inputs") in one.json:best[0]
! json one.json:best[0].feasible = true

# A run file's own strategy stands beside the best; a flag, --keep and search.axes hold keys, which the first line names.
$ orrery search gpt3-175b-1024-a100 --keep framework_options --keep flash_attention --json > free.json
! json best[fastest].step_time_s < 0.86 * own.step_time_s
! json own.inputs.parallel.tp = 8
! json switches.set = {}
! json best[0].inputs.assumed[path="parallel.pp"].known = "chosen"
$ orrery search gpt3-175b-1024-a100 --beside --keep framework_options --keep flash_attention --json | cmp - free.json && echo same
> same
$ orrery search gpt3-175b-1024-a100 --tp 8 --keep parallel.pp | grep -E "^held|^  *yours"
> held              tp 8 (--tp), pp 8 (--keep); model, cluster, batch, length, precision, optimizer
>   yours  ...
>   yours  ... % more than the fastest found: ...
$ orrery search gpt3-175b-1024-a100 --tp 8 --keep pp --set search.axes.micro_batch=[1,2] --json
! json best[*].inputs.parallel.tp = 8
! json best[*].inputs.parallel.pp = 8
! json held[2].by = "search.axes"
! json held[2].path = "micro_batch"
! json switches.set["training.flash_attention"] = true
! json best[0].strategy.training.flash_attention = true
! json best[0].strategy.parallel.framework_options.overlap_grad_reduce = true
$ orrery search gpt3-175b-1024-a100 --keep ttp
! exit 2
! stderr /--keep: found "ttp"; allowed: keys of a strategy: parallel, tp, .*did you mean "tp"/
$ orrery search gpt3-175b-1024-a100 --keep parallel --keep micro_batch --keep flash_attention --json
! json candidates = 1
! json best[0].step_time_s = own.step_time_s

# An axis is fixed, listed or bounded.
$ orrery search run.json --tp 2 --set search.axes.pp=[1,2] --set 'search.axes.micro_batch={"max": 2}' --set search.axes.recompute=[\"none\",\"full\"] --json --top 2
! json best[*].inputs.parallel.tp = 2
! json distinct(families[*axis="micro_batch"].value) = [1, 2]
! json distinct(families[*axis="pp"].value) = [1, 2]
! json distinct(families[*axis="recompute"].value) = ["full", "none"]
! json families[*axis="tp"].value = []

# Nothing fits: the answer is no, with what would come nearest.
$ orrery search --model gpt3-175b --node dgx-a100-80gb --gpus 8 --sequence-length 2048 --global-batch 8 --framework megatron-lm --json
! exit 3
! json feasible = false
! json best = []
! json nearest.feasible = false
! json nearest.memory.peak_gib > 80

# How many GPUs it takes, and how sure it shall be.
$ orrery search --model gpt3-13b --node dgx-h100 --sequence-length 2048 --global-batch 64 --framework megatron-core --fewest --top 2 | grep -E "^GPUs"
> GPUs              4 are the fewest of usual sizes on which a usual layout fits
$ orrery search llama-3-70b-64-h100 --fewest --top 2 | grep -E "^GPUs"
> GPUs              24 are the fewest of usual sizes on which a usual layout fits

# The Trainer recomputes all layers or none, and accumulates whole gradients unless told otherwise.
$ orrery search --model llama-3-70b --framework hf-trainer --set parallel.framework_options.sync_each_batch=true --node dgx-h100 --gpus 64 --sequence-length 8192 --global-batch 128 --json
! json best[*].strategy.parallel.recompute = "full"
! json no best[*].strategy.parallel.recompute_layers
$ orrery search run.json --tp 2 --pp 2 --risk 0.02 --json
! json best[*].memory.fit_probability >= 0.98
! json too_risky > 0
$ orrery search run.json --risk 0.9
! exit 2
! stderr risk

# An empty space names what emptied it.
$ orrery search run.json --set search.axes.tp=[3]
! exit 2
! stderr run.json: search.axes: found an empty space: no values of all axes together make a strategy of 16 GPUs
$ orrery search run.json --set parallel.cp=3 --set cluster.gpus=48 --set training.global_batch=7
! exit 2
! stderr /an empty space: of [0-9,]* candidates the rule/
$ orrery search run.json --tp 2 --set search.axes.tp=[1,2]
! exit 2
! stderr search.axes.tp: found parallel.tp is given too; allowed: one of them
$ orrery search run.json --set search.axes.ttp=[1]
! exit 2
! stderr /search.axes.ttp: found an axis that names nothing; .*did you mean "e?tp"/
$ orrery search run.json --minimize cost
! exit 2
! stderr found cost without a price; allowed: search.price with gpu_hour or kwh
$ orrery search run.json --set 'search.axes.gpus={"min": 8, "max": 4}'
! exit 2
! stderr search.axes.gpus
$ orrery search run.json --set 'search.axes.offload="all"'
! exit 2
! stderr search.axes.offload

# Stages as the run file splits them; a front between two aims, the same for any number of threads.
$ orrery search run.json --set parallel.stage_layers=[17,15] --json
! json best[*].inputs.parallel.pp * best[*].inputs.parallel.vpp = 2
$ orrery search run.json --tp 2 --set search.axes.gpus=[8,16] --set 'search.axes.offload="free"' --pareto step_time_s --pareto gpus --pareto memory.peak_gib --json --jobs 2 > front.json
$ orrery search run.json --tp 2 --set search.axes.gpus=[8,16] --set 'search.axes.offload="free"' --pareto step_time_s --pareto gpus --pareto memory.peak_gib --json --jobs 1 | cmp - front.json && echo same
> same
$ python3 -c 'import json; f = [p["values"] for p in json.load(open("front.json"))["pareto"]["front"]]; print([y for y in f if any(all(a <= b for a, b in zip(x, y)) and x != y for x in f)])'
> []
! json len(front.json:pareto.front) > 5
! json distinct(front.json:pareto.front[*].values[1]) = [8.0, 16.0]
! json front.json:pareto.front[0].values[0] = front.json:best[front.json:fastest].step_time_s
$ orrery estimate run.json --set search.top=3
! exit 2
! stderr --set search.top=3: search.top: found a key that `orrery search` alone reads; allowed: keys of the run
$ sed 's/}$/, "search": {"top": 3}}/' run.json > with.json; orrery estimate with.json --csv > with.csv; orrery estimate run.json --csv | cmp - with.csv && echo same
> same

# With an objective the best, ties and losses are by it.
$ orrery search llama-3-8b-8-h100 --minimize memory.peak_gib --all
> ...
> ties              none: no other strategy has memory.peak_gib <= ...
> ...
>    1  recommended, and the best by memory.peak_gib
>    2  ... worse than the best by memory.peak_gib...
> ...
> The best with each value, beside the best by memory.peak_gib
> ...
> ... % worse: a step of ... GiB
> ...
$ orrery search llama-3-8b-8-h100 --maximize tokens_per_s --all | grep -E "^ties|4  another|yours.*worse"
> ties              none: no other strategy has tokens_per_s >= ...
>    4  another kind, ... % worse than the best by tokens_per_s: ...
>   yours  ... % worse than the best by tokens_per_s found
$ orrery search llama-3-8b-8-h100 --minimize memory.peak_gib --json
! json best[fastest].memory.peak_gib = best[fastest].objective_value
! json best[fastest].memory.peak_gib = min(families[*step_time_s > 0].objective_value)
! json best[fastest].step_time_s > min(families[*step_time_s > 0].step_time_s)
! json best[fastest].why !~ /fastest/

# The winner's sensitivity, what it takes when simulated, the run's own strategy beside it, and a page of it all.
$ sed 's/"framework"/"parallel": {"tp": 2, "pp": 2}, "framework"/' run.json > own.json
$ orrery search own.json --set training.micro_batch=1 --refine 2 --html page.html --top 8 --json > beside.json
! json own.inputs.parallel.tp = 2
! json held[*].path = "training.micro_batch"
! json held[*].by = "--micro-batch"
! json best[*].inputs.training.micro_batch = 1
! json own.step_time_s >= best[0].step_time_s
! json len(refined) = 2
! json elasticity.peak_flops < -0.3
! json refined[*].simulated_s = refined[*].estimated_s ± 10 %
$ sed -n '/points-data.>/,/<\/script>/p' page.html | sed '1d;$d'
! json distinct(points[*].kind) = [0, 1, 2]
! json points[0].totals = [beside.json:best[0].step_time_s, beside.json:best[0].memory.peak_gib]
! json sum(points[0].parts[0]) = points[0].totals[0] ± 1e-7 %
! json sum(points[0].parts[1]) = points[0].totals[1] ± 1e-7 %
! json len(points[0].parts) = 2
$ sed 's,http://www.w3.org/2000/svg,,g' page.html | grep -o 'class="shade0"\|http' | sort -u
> class="shade0"
$ orrery search run.json --html page.html --heat tp,zero
! exit 2
! stderr --heat: found "zero"; allowed: two axes of the search, as in tp,pp

# A family is what there are candidates of, and says which of rule and constraint refused it.
$ orrery search run.json --set search.axes.zero=1 | grep -c "zero 0"
! exit 1
> 0
$ orrery search run.json --set 'search.axes.zero=[0,1]' --where 'tp <= 2' --all | grep "tp 4"
>   tp 4                      refused by the constraints

# Under a limit of power each device has the cap that keeps it, and the answer shows others.
$ orrery search llama-3-8b-8-h100 --power 8kW --json > power.json
! json best[*].inputs.cluster.power_cap = "425 W"
! json power.limit_w = 8000 ± 1e-6
! json power.own.within_limit = true
! json power.others[0].cap_w = 700 ± 1e-6
! json power.others[0].within_limit = false
! json power.others[0].step_time_s < power.own.step_time_s
! json power.others[0].peak_w > power.own.peak_w
$ orrery search llama-3-8b-8-h100 --power 20kW --json
! json power.own.cap_w = 700 ± 1e-6
! json power.own.within_limit = true
$ orrery search llama-3-8b-8-h100 --power 1kW
! exit 2
! stderr error: command line: --power: found 1 kW; allowed: at least 7.4 kW on 8 GPUs at their least cap of 350 W; or fewer GPUs
$ orrery search gpt3-175b-1024-a100 --power 100kW
! exit 2
! stderr /whose clock under a cap is not known/
$ orrery search llama-3-8b-8-h100 --power 8kW --fewest
! exit 2
! stderr --power: found --fewest beside it; allowed: one of them

# Replicas over several sites: a search has the steps of estimate.
$ orrery search --model llama-3-8b --node 8xH100 --gpus 64 --sequence-length 8192 --global-batch 512 --framework fsdp --set 'cluster.sites={"count":4,"bandwidth":"1 Gb/s","latency":"80 ms"}' > sites.txt
$ grep -c '^answer .*ZeRO 3 over 16' sites.txt
> 1

# Where nothing fits, the answer names what would, with the memory that is short, and a search that finds it.
$ orrery search --model llama-3-70b --node 8xH100 --gpus 8 --sequence-length 4096 --global-batch 64 --framework fsdp
> ...
> What would fit
>   --set parallel.offload.optimizer=host  ...
> ...
> answer            nothing fits; the strategy above needs least memory, ... of 79.7 GiB
> next              orrery search --model llama-3-70b --node 8xH100 --gpus 8 --sequence-length 4096
>                   --global-batch 64 --framework fsdp --set parallel.offload.optimizer=host
> ...
! exit 3
$ orrery search --model llama-3-70b --node 8xH100 --gpus 8 --sequence-length 4096 --global-batch 64 --framework fsdp --set parallel.offload.optimizer=host --json
! json best[0].memory.fit_probability >= 0.9
