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
# A change alone is what the command line gives with that key; a default that another key changes is not tried.
$ sed 's/"selective"/"full"/' a.json > full.json
$ sed 's/megatron-core/torchtitan/' a.json > titan.json
$ orrery compare a.json full.json titan.json --json > c.json
$ orrery estimate a.json --recompute full --json > full.out
$ orrery estimate a.json --framework torchtitan --json > titan.out
$ python3 -c 'import json; j = json.load(open("c.json")); said = {k["path"]: k for k in j["changed"] if k["alone"]}; print(all(abs(said[p]["alone"]["step_time_s"] - json.load(open(f))["step_time_s"]) < 1e-9 for p, f in (("parallel.recompute", "full.out"), ("framework", "titan.out"))), {k["reason"] for k in j["changed"] if not k["alone"]})'
> True {'follows from the others'}
# Sequence parallelism that a file says counts where a change brings ranks to split over.
$ sed 's/"tp": 2, "zero": 1, "recompute": "selective"/"tp": 1, "sequence_parallel": true/' a.json > one.json; sed 's/"tp": 1/"tp": 4/' one.json > four.json
$ orrery compare one.json four.json --json > c.json; orrery estimate one.json --tp 4 --json > four.out
$ python3 -c 'import json; j = json.load(open("c.json")); print([k["alone"]["step_time_s"] == json.load(open("four.out"))["step_time_s"] for k in j["changed"] if k["path"] == "parallel.tp"])'
> [True]
# A default of the adapter that its kind picks follows from the kind.
$ sed 's/"global_batch": 32/"global_batch": 32, "adapter": {"kind": "lora"}/' a.json > lora.json; sed 's/lora/qlora/' lora.json > qlora.json
$ orrery compare lora.json qlora.json --json > c.json; orrery estimate qlora.json --json > qlora.out
$ python3 -c 'import json; j = json.load(open("c.json")); print([(k["path"], k["alone"]["step_time_s"] == json.load(open("qlora.out"))["step_time_s"]) if k["alone"] else (k["path"], k["reason"]) for k in j["changed"]])'
> [('training.adapter.kind', True), ('training.adapter.base_precision', 'follows from the others'), ('training.adapter.double_quantisation', 'follows from the others')]
$ orrery compare a.json
! exit 2
! stderr orrery compare: found 1 run; allowed: two to eight runs
