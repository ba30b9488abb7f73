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
! json changed[*].path = ["training.global_batch", "parallel.tp"]
! json len(runs) = 2
! json abs(time[:-1].values[1] - time[:-1].values[0]) >= abs(time[1:].values[1] - time[1:].values[0])
# A change alone is what the command line gives with that key; a default that another key changes is not tried.
$ sed 's/"selective"/"full"/' a.json > full.json
$ sed 's/megatron-core/torchtitan/' a.json > titan.json
$ orrery compare a.json full.json titan.json --json > c.json
$ orrery estimate a.json --recompute full --json > full.out
$ orrery estimate a.json --framework torchtitan --json
! json c.json:changed[path="parallel.recompute"].alone.step_time_s = full.out:step_time_s ± 1e-9
! json c.json:changed[path="framework"].alone.step_time_s = step_time_s ± 1e-9
! json c.json:changed[*alone=null].reason = "follows from the others"
# Sequence parallelism that a file says counts where a change brings ranks to split over.
$ sed 's/"tp": 2, "zero": 1, "recompute": "selective"/"tp": 1, "sequence_parallel": true/' a.json > one.json; sed 's/"tp": 1/"tp": 4/' one.json > four.json
$ orrery compare one.json four.json --json > c.json; orrery estimate one.json --tp 4 --json
! json c.json:changed[path="parallel.tp"].alone.step_time_s = step_time_s
# A default of the adapter that its kind picks follows from the kind.
$ sed 's/"global_batch": 32/"global_batch": 32, "adapter": {"kind": "lora"}/' a.json > lora.json; sed 's/lora/qlora/' lora.json > qlora.json
$ orrery compare lora.json qlora.json --json > c.json; orrery estimate qlora.json --json
! json c.json:changed[*].path = ["training.adapter.kind", "training.adapter.base_precision", "training.adapter.double_quantisation", "training.adapter.keeps_inputs", "training.adapter.other_precision"]
! json c.json:changed[0].alone.step_time_s = step_time_s
! json c.json:changed[1:].alone = null
! json c.json:changed[1:].reason = "follows from the others"
$ orrery compare a.json
! exit 2
! stderr orrery compare: found 1 run; allowed: two to eight runs
