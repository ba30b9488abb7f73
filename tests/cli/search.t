# Times move with calibration; the shape of the page does not.
$ orrery search --model llama-3-8b --node dgx-h100 --gpus 16 --sequence-length 8192 --global-batch 32 --framework megatron-core
> Llama 3 8B: ...
> ...
> search            ... candidates: ... illegal, ... do not fit, ...
> ...
> ties              ...
> ...
> Best
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
$ orrery search run.json --json --jobs 3 > three.json
$ cmp one.json three.json && echo same
> same
$ python3 -c 'import json; r = json.load(open("run.json")); b = json.load(open("one.json"))["best"][0]; r.update({"parallel": b["strategy"]["parallel"]}); r["training"].update(b["strategy"]["training"]); json.dump(r, open("winner.json", "w"))'
$ orrery estimate winner.json --json > winner-estimate.json
$ python3 -c 'import json; b = json.load(open("one.json"))["best"][0]; e = json.load(open("winner-estimate.json")); print(all(b[k] == e[k] for k in e if k != "inputs"), b["feasible"])'
> True True
$ python3 -c 'import json; j = json.load(open("one.json")); print(j["candidates"] == sum(j["rejected"].values()) + j["does_not_fit"] + j["too_risky"] + j["pruned_by_bound"] + j["estimated"], len(j["best"]), min(b["step_time_s"] for b in j["best"]) == j["best"][j["fastest"]]["step_time_s"], j["best"][0]["why"].startswith("recommended"), j["best"][0]["memory"]["fit_probability"] >= 0.9)'
> True 5 True True True

# An axis is fixed, listed or bounded; what the run file says stays.
$ orrery search run.json --tp 2 --set search.axes.pp=[1,2] --set 'search.axes.micro_batch={"max": 2}' --set search.axes.recompute=[\"none\",\"full\"] --json --top 2 > few.json
$ python3 -c 'import json; j = json.load(open("few.json")); print(sorted({b["inputs"]["parallel"]["tp"] for b in j["best"]}), sorted({(f["axis"], f["value"]) for f in j["families"] if f["axis"] in ("pp", "micro_batch", "recompute", "tp")}))'
> [2] [('micro_batch', 1), ('micro_batch', 2), ('pp', 1), ('pp', 2), ('recompute', 'full'), ('recompute', 'none')]

# Nothing fits: the answer is no, with what would come nearest.
$ orrery search --model gpt3-175b --node dgx-a100-80gb --gpus 8 --sequence-length 2048 --global-batch 8 --framework megatron-lm --json > nothing.json
! exit 3
$ python3 -c 'import json; j = json.load(open("nothing.json")); print(j["feasible"], j["best"], j["nearest"]["feasible"], j["nearest"]["memory"]["peak_gib"] > 80)'
> False [] False True

# How many GPUs it takes, and how sure it shall be.
$ orrery search --model gpt3-13b --node dgx-h100 --sequence-length 2048 --global-batch 64 --framework megatron-core --fewest --top 2 | grep -E "^GPUs"
> GPUs              4 are the fewest of usual sizes on which a usual layout fits
$ orrery search llama-3-70b-64-h100 --fewest --top 2 | grep -E "^GPUs"
> GPUs              32 are the fewest of usual sizes on which a usual layout fits

# Hugging Face's Trainer recomputes all layers or none.
$ orrery search --model llama-3-70b --framework hf-trainer --node dgx-h100 --gpus 64 --sequence-length 8192 --global-batch 128 --json > hf.json
$ python3 -c 'import json; print(sorted({b["strategy"]["parallel"]["recompute"] + " " + str(b["strategy"]["parallel"].get("recompute_layers", 0)) for b in json.load(open("hf.json"))["best"]}))'
> ['full 0']
$ orrery search run.json --tp 2 --pp 2 --risk 0.02 --json > sure.json
$ python3 -c 'import json; j = json.load(open("sure.json")); print(all(b["memory"]["fit_probability"] >= 0.98 for b in j["best"]), j["too_risky"] > 0)'
> True True
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
$ orrery search run.json --set parallel.stage_layers=[17,15] --json > uneven.json
$ python3 -c 'import json; j = json.load(open("uneven.json")); print({b["inputs"]["parallel"]["pp"] * b["inputs"]["parallel"]["vpp"] for b in j["best"]})'
> {2}
$ orrery search run.json --tp 2 --set search.axes.gpus=[8,16] --set 'search.axes.offload="free"' --pareto step_time_s --pareto gpus --pareto memory.peak_gib --json --jobs 2 > front.json
$ orrery search run.json --tp 2 --set search.axes.gpus=[8,16] --set 'search.axes.offload="free"' --pareto step_time_s --pareto gpus --pareto memory.peak_gib --json --jobs 1 | cmp - front.json && echo same
> same
$ python3 -c 'import json; j = json.load(open("front.json")); f = [p["values"] for p in j["pareto"]["front"]]; print(len(f) > 5, {v[1] for v in f} == {8, 16}, f[0][0] == j["best"][j["fastest"]]["step_time_s"], any(all(a <= b for a, b in zip(x, y)) and x != y for x in f for y in f))'
> True True True False
$ orrery estimate run.json --set search.top=3
! exit 2
! stderr --set search.top=3: search.top: found a key that `orrery search` alone reads; allowed: keys of the run
$ python3 -c 'import json; r = json.load(open("run.json")); r["search"] = {"top": 3}; json.dump(r, open("with.json", "w"))'
$ orrery estimate with.json --csv > with.csv; orrery estimate run.json --csv | cmp - with.csv && echo same
> same

# With an objective the best, ties and losses are by it.
$ orrery search llama-3-8b-8-h100 --minimize memory.peak_gib
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
$ orrery search llama-3-8b-8-h100 --maximize tokens_per_s --beside | grep -E "ties|fastest|3  another|ZeRO 3.*by"
> ties              none: no other strategy has tokens_per_s >= ...
>    3  another kind, ... % worse than the best by tokens_per_s: ...
>   tp 1, dp 8 ZeRO 3, ... % worse than the best by
$ orrery search llama-3-8b-8-h100 --minimize memory.peak_gib --json > least.json
$ python3 -c 'import json; j = json.load(open("least.json")); f = [x for x in j["families"] if "step_time_s" in x]; b = j["best"][j["fastest"]]; print(b["memory"]["peak_gib"] == b["objective_value"] == min(x["objective_value"] for x in f), min(x["step_time_s"] for x in f) < b["step_time_s"], "fastest" in b["why"])'
> True True False

# The winner's sensitivity, what it takes when simulated, the run's own strategy beside it, and a page of it all.
$ orrery search run.json --tp 2 --pp 2 --set training.micro_batch=1 --beside --refine 2 --html page.html --top 8 --json > beside.json
$ python3 -c 'import json; j = json.load(open("beside.json")); e = j["elasticity"]; print(j["own"]["inputs"]["parallel"]["tp"], j["own"]["step_time_s"] >= j["best"][0]["step_time_s"], len(j["refined"]), e["peak_flops"] < -0.3, all(abs(r["simulated_s"] / r["estimated_s"] - 1) < 0.1 for r in j["refined"]))'
> 2 True 2 True True
$ python3 -c 'import json, re; p = open("page.html").read(); d = json.loads(re.search("points-data.>\n(.*?)\n</script>", p).group(1)); q = d["points"]; b = json.load(open("beside.json"))["best"]; print({x["kind"] for x in q}, q[0]["totals"] == [b[0]["step_time_s"], b[0]["memory"]["peak_gib"]], [abs(sum(x) / t - 1) < 1e-9 for x, t in zip(q[0]["parts"], q[0]["totals"])], p.count("class=\"shade0\"") > 0, "http" in p.replace("http://www.w3.org/2000/svg", ""))'
> {0, 1, 2} True [True, True] True False
$ orrery search run.json --html page.html --heat tp,zero
! exit 2
! stderr --heat: found "zero"; allowed: two axes of the search, as in tp,pp

# A family is what there are candidates of, and says which of rule and constraint refused it.
$ orrery search run.json --set search.axes.zero=1 | grep -c "zero 0"
! exit 1
> 0
$ orrery search run.json --set 'search.axes.zero=[0,1]' --where 'tp <= 2' | grep "tp 4"
>   tp 4                      refused by the constraints
