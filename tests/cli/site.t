# A site's levels from two steps, and what they change.
$ cat > steps.json
< [{"run": "gpt3-175b-1024-a100", "step_time": "26 s"},
<  {"run": {"model": "llama-2-7b", "cluster": {"node": "dgx-a100-80gb", "gpus": 8},
<           "training": {"sequence_length": 4096, "global_batch": 64, "precision": "bf16"},
<           "parallel": {"zero": 1, "recompute": "full"}, "framework": "megatron-lm"},
<   "measured": {"tokens_per_s_per_gpu": 2500, "peak_memory_gib": 40}}]
$ orrery calibrate site steps.json -o hall.json
> hall: 2 steps of 2 models on a100-sxm4-80gb
> ...
$ orrery calibrate site steps.json --name hall --json
! json name = "hall"
! json device = "a100-sxm4-80gb"
! json steps = 2
! json levels.products.factor > 1
! json levels.products.spread < 0.08
! json levels.network_links.prior = 0.4
! json runs[0].error_before < -0.1
! json memory.factor > 0.2
# The levels go over the documents'; the interval is that of the levels.
$ orrery estimate gpt3-175b-1024-a100 --site hall.json | grep -A1 '^accuracy'
> accuracy          8 of 10 steps measure ... less to ... more than predicted: by 2 steps of 2
>                   models measured at hall
$ orrery estimate gpt3-175b-1024-a100 --site hall.json --json
! json inputs.cluster.site = "hall.json"
! json step_time_s > 23
# What does not go together.
$ echo '[{"run": "gpt3-175b-1024-a100", "step_time": "30 s"}]' > own.json
$ orrery estimate gpt3-175b-1024-a100 --site hall.json --observed own.json
! exit 2
! stderr a site beside `stack`
$ orrery estimate gpt3-175b-1024-a100 --observed steps.json
! exit 2
! stderr steps.json: found a run without a step time; allowed: step_time or step_time_s
$ orrery estimate llama-3-70b-64-h100 --site hall.json
! exit 2
! stderr cluster.site: found levels of a100-sxm4-80gb; allowed: a site of this run's device, h100-sxm5-80gb
$ orrery calibrate site
! exit 2
! stderr error: orrery calibrate site: found no FILE; allowed: logs of trainings, or arrays of runs with their step times
$ echo '[{"run": "llama-3-70b-64-h100", "measured": {"mfu": 0.4}}, {"run": "gpt3-175b-1024-a100", "step_time": "20 s"}]' > mixed.json
$ orrery calibrate site mixed.json
! exit 2
! stderr error: mixed.json: found runs on h100-sxm5-80gb and on a100-sxm4-80gb; allowed: runs on one device: a site each
