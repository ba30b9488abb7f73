# Differences and their effects, sorted by effect.
$ echo '{"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 16}, "training": {"sequence_length": 8192, "global_batch": 32}, "parallel": {"tp": 2, "zero": 1, "recompute": "selective"}, "framework": "megatron-core"}' > a.json
$ sed 's/"tp": 2/"tp": 4/; s/"global_batch": 32/"global_batch": 64/' a.json > b.json
$ orrery compare a.json b.json
> A  a.json: Llama 3 8B on 16 of dgx-h100
> B  b.json: Llama 3 8B on 16 of dgx-h100
>
> Answer
> ...
> Parts of the step that differ, the largest change first
> ...
> Changed from A to B, and what each does to A alone
>   training.global_batch: 32 → 64 ... step +...
> ...
$ orrery compare a.json b.json --json > c.json
$ python3 -c 'import json; j = json.load(open("c.json")); print([k["path"] for k in j["changed"]], len(j["runs"]), all(abs(a["values"][1] - a["values"][0]) >= abs(b["values"][1] - b["values"][0]) for a, b in zip(j["time"], j["time"][1:])))'
> ['training.global_batch', 'parallel.tp'] 2 True
$ orrery compare a.json
! exit 2
! stderr orrery compare: found 1 run; allowed: two to eight runs
