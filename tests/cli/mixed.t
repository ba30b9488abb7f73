# A run on several kinds of node: which group holds which stage, and what each takes.
$ orrery estimate mixed-llama-2-70b-64-a100-64-h100 --json > pipeline.json
! json mixed.groups[0].name = "a100"
! json mixed.groups[1].device = "h100-sxm5-80gb"
! json len(mixed.stages) = 4
! json mixed.stages[0].group = "a100"
! json mixed.stages[3].group = "h100"
! json sum(mixed.stages[*].layers) = 80
! json mixed.links[0].given = true
! json sum(breakdown_s) = step_time_s ± 1e-9 %
! json inputs.cluster.groups[0].gpus = 64
$ orrery estimate mixed-llama-2-70b-64-a100-64-h100 --all | grep -c 'a100 ×2 → h100 ×2'
> 1
$ orrery estimate mixed-llama-2-70b-64-a100-64-h100 > short.txt; test $(wc -l < short.txt) -le 30 && grep -E '^(spends|answer|next)' short.txt
> spends            compute ... %, ...
> answer            fits (over 99 %): ... of ... GiB, ... s a step, MFU ... %
> next              orrery search mixed-llama-2-70b-64-a100-64-h100
$ orrery memory mixed-llama-2-70b-64-a100-64-h100 --json
! json memory.by_stage[0].group = "a100"
! json memory.by_stage[3].capacity_gib > 79
$ orrery comm mixed-llama-2-70b-64-a100-64-h100 --json
! json communication[0].dimension = "tp"
$ orrery explain mixed-llama-2-70b-64-a100-64-h100 step_time_s --depth 1 | head -3
> step_time_s: one optimizer step
>
> several kinds of node: inputs of hardware are of the kind that their term is of (stage ... on ...
$ orrery simulate mixed-llama-2-70b-64-a100-64-h100 --json
! json step_time_s = pipeline.json:step_time_s ± 0.5 %

# Replicas of two kinds, and FSDP.
$ orrery estimate mixed-llama-3-8b-32-a100-32-h100 --json
! json len(mixed.replicas) = 2
! json mixed.replicas[1].micro_batches > 20
$ orrery estimate mixed-fsdp-llama-3-8b-16-a100-40gb-16-h100 --json
! json mixed.groups[1].micro_batch > 2
! json mixed.groups[0].state_share < 1

# One group is the plain cluster.
$ echo '{"model": "llama-3-8b", "cluster": {"groups": [{"name": "all", "node": "dgx-h100", "gpus": 64}]}, "training": {"sequence_length": 8192, "global_batch": 256}}' > one.json
$ echo '{"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 64}, "training": {"sequence_length": 8192, "global_batch": 256}}' > plain.json
$ orrery estimate one.json --json > a.json; orrery estimate plain.json --json > b.json; sed -i 's/one.json/plain.json/' a.json; cmp a.json b.json && echo same
> same

# Nobody gave the link: it is named, and open.
$ echo '{"model": "llama-2-70b", "cluster": {"groups": [{"name": "a", "node": "dgx-a100-80gb", "gpus": 32}, {"name": "h", "node": "dgx-h100", "gpus": 32}]}, "training": {"sequence_length": 4096, "global_batch": 128}, "parallel": {"tp": 8, "pp": 4, "recompute": "full"}}' > two.json
$ orrery estimate two.json | grep -c 'nobody gave the network between a and h'
> 1

# Sweeps and comparisons of groups: the numbers of estimate.
$ orrery sweep mixed-llama-3-8b-32-a100-32-h100 --vary training.global_batch=256,512 --vary cluster.groups.1.gpus=32,64 --json > rows.jsonl
$ python3 -c "import json; rows = [json.loads(l) for l in open('rows.jsonl')]; print(len(rows), all(r['status'] == 'fits' for r in rows), rows[1]['step_time_s'] < rows[0]['step_time_s'])"
> 4 True True
$ orrery estimate mixed-llama-3-8b-32-a100-32-h100 --set training.global_batch=256 --json > one-row.json
$ python3 -c "import json; print(json.loads(open('rows.jsonl').readline())['step_time_s'] == json.load(open('one-row.json'))['step_time_s'])"
> True
$ orrery compare mixed-llama-2-70b-64-a100-64-h100 mixed-llama-2-70b-64-a100-64-h100 --json
! json len(changed) = 0

# A node more of each kind: never slower, and the faster kind brings more.
$ echo '{"model": "llama-3.2-1b", "cluster": {"groups": [{"name": "a", "node": "dgx-a100-80gb", "gpus": 8}, {"name": "h", "node": "dgx-h100", "gpus": 8}], "links": [{"bandwidth": "100 GB/s", "latency": "10 us"}]}, "training": {"sequence_length": 4096, "global_batch": 64}, "framework": "megatron-core"}' > pair.json
$ orrery search pair.json --one-more --json > more.json; python3 -c "import json; a = json.load(open('more.json')); m = [x['step_time_s'] for x in a['marginals']]; print(len(m), m[1] < m[0] <= a['best'][0]['step_time_s'])"
> 2 True
$ orrery search llama-3-8b-8-h100 --one-more
! exit 2
! stderr cluster.groups beside it

# Limits: each row's flags give its numbers, also where a group alone remains.
$ orrery limits mixed-fsdp-llama-3-8b-16-a100-40gb-16-h100 --of gpus,sequence_length --json > limits.json
! json len(limits) = 5
! json limits[1].group = "a100"
! json limits[1].path = "cluster.groups.0.gpus"
! json limits[1].value = 0
! json limits[3].fit_probability >= 0.9
$ for i in 1 3 4; do python3 -c "import json; print(json.load(open('limits.json'))['limits'][$i]['type'])" | xargs orrery estimate mixed-fsdp-llama-3-8b-16-a100-40gb-16-h100 --json > row$i.json; done
$ cat row1.json
! json step_time_s = limits.json:limits[1].step_time_s
$ cat row3.json
! json memory.fit_probability = limits.json:limits[3].fit_probability
$ cat row4.json
! json memory.fit_probability = limits.json:limits[4].fit_probability
$ orrery limits mixed-fsdp-llama-3-8b-16-a100-40gb-16-h100 --versus dgx-h100
! exit 2
! stderr /--versus: found a run with cluster.groups/

# Purchases: so many GPUs of one kind beside those that are there.
$ orrery capacity pair.json --tokens 1e9 --sizes '[0,8]' --rent dgx-h100=3,dgx-a100-80gb=1 --json > buy.json
! json len(rows) = 2
! json rows[0].groups[0] = "a"
! json rows[1].time_s < rows[0].time_s
! json rows[1].grown_rent.amount > 0
! json one_more[1].time_s <= own.time_s
$ orrery capacity pair.json --tokens 1e9 --sizes '[8]' | grep -c 'One node more of each kind'
> 1

# What does not stand, in one line.
$ orrery capacity pair.json
! exit 2
! stderr /training.tokens: found no number of tokens/
$ orrery capacity pair.json --tokens 1e9 --deadline 3d
! exit 2
! stderr /--deadline: found a run with cluster.groups/
$ orrery capacity pair.json --tokens 1e9 --grow x
! exit 2
! stderr /--grow: found "x"; allowed: a or h/
$ orrery capacity llama-3-8b-8-h100 --tokens 1e9 --grow x
! exit 2
! stderr /--grow: found a run on one kind of node/
$ orrery estimate two.json --set cluster.gpus=64
! exit 2
! stderr /cluster.gpus: found a key beside `groups`/
$ orrery estimate two.json --set parallel.stage_groups='["a","a","h","x"]'
! exit 2
! stderr /the unknown group "x"; allowed: a or h/
$ orrery estimate two.json --set parallel.dp=4
! exit 2
! stderr /parallel.dp: found nothing, where the groups' GPUs make 2 stages of dp 4/
$ orrery estimate two.json --set parallel.group_tp='{"b": 4}'
! exit 2
! stderr /the unknown group "b"/
$ orrery estimate plain.json --set parallel.group_tp='{"b": 4}'
! exit 2
! stderr /parallel.group_tp: found a placement on groups; allowed: cluster.groups beside it/
$ orrery simulate two.json --jitter 0.1
! exit 2
! stderr /--jitter: found a run with cluster.groups/
$ orrery simulate two.json --steps 3
! exit 2
! stderr /--steps: found a run with cluster.groups/
$ orrery search two.json --where 'tp <= 4'
! exit 2
! stderr /--where: found a run with cluster.groups/
$ orrery search two.json --set search.top=3
! exit 2
! stderr /search: found a search over groups of nodes; allowed: --keep and --top/

# A search over placements.
$ echo '{"model": "llama-3-8b", "cluster": {"groups": [{"name": "a", "node": "dgx-a100-80gb", "gpus": 8}, {"name": "h", "node": "dgx-h100", "gpus": 8}], "links": [{"bandwidth": "100 GB/s", "latency": "10 us"}]}, "training": {"sequence_length": 4096, "global_batch": 64}, "parallel": {"recompute": "full"}, "framework": "megatron-core"}' > small.json
$ orrery search small.json --keep recompute --json > found.json
! json len(best) = 5
! json best[0].step_time_s <= best[1].step_time_s
! json best[*].fit_probability >= 0.9
$ python3 -c 'import json; json.dump(json.load(open("found.json"))["best"][0]["run"], open("best.json", "w"))'
$ orrery estimate best.json --json
! json step_time_s = found.json:best[0].step_time_s

# The interval feels a link that nobody gave, and inputs name their kind.
$ orrery estimate two.json | grep -c 'cluster.links: no taper taken'
> 1
$ orrery estimate two.json --json
! json open[0].path = "cluster.links"
$ orrery explain two.json step_time_s --depth 30 | grep -c 'a: a100-sxm4-80gb: \|h: h100-sxm5-80gb: ' | grep -c '[1-9]'
> 1
