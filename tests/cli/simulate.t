# Times move with calibration; the shape of the page does not.
$ orrery simulate gpt3-175b-1024-a100
> GPT-3 175B: ...
> ...
> memory            fits: ... GiB of 79.3 GiB on the fullest stage
> step              ... s (80 % interval ... s to ... s)
> estimate          ... s
>                   +... ms contention: sends and reductions share a unit's link
> played            1,536 passes, ... events
>
> Time of the busiest stage, ...
> ...
> Stages: what one GPU of each does; talks: collectives it cannot hide; sends: waits for a message
>   stage  computes ...
>       0 ...
> ...
> Critical path: what sets the step, the largest first
> ...
> Shorter step if it took        10 % less      no time
>   compute ...
> ...
> Links  the busiest that sends and reductions use is infiniband ...

# The keys of estimate, and a timeline; without contention the numbers of estimate.
$ orrery estimate gpt3-175b-1024-a100 --json > estimate.json
$ orrery simulate gpt3-175b-1024-a100 --without contention --json > quiet.json
$ orrery simulate gpt3-175b-1024-a100 --json > played.json
$ python3 -c 'import json; e, q = json.load(open("estimate.json")), json.load(open("quiet.json")); print(sorted(set(q) - set(e)), sorted(set(e) - set(q)), abs(q["step_time_s"] / e["step_time_s"] - 1) < 1e-3)'
> ['timeline'] [] True

# What differs has names that add up, and the parts are the whole.
$ python3 -c 'import json; j = json.load(open("played.json")); t = j["timeline"]; print(abs(t["estimate_step_time_s"] + sum(d["time_s"] for d in t["differences"]) - j["step_time_s"]) < 1e-9, abs(sum(j["breakdown_s"].values()) - j["step_time_s"]) < 1e-9, abs(sum(c["time_s"] for c in t["critical_path"]) - j["step_time_s"]) < 1e-9)'
> True True True
$ orrery simulate gpt3-175b-1024-a100 --csv | cut -d, -f1 | tail -1
> 7

# Every effect is one's own choice.
$ orrery simulate llama-3-405b-16384-h100 --with slowdown | grep -A 1 'compute beside'
>                   +... s compute beside collectives: kernels run slower while a reduction or gather
>                     runs beside them
$ orrery simulate gpt3-175b-1024-a100 --without send-overlap | grep -A 1 blocking
> ...+... ms blocking sends: a stage waits until its result has arrived
> ...
$ orrery simulate gpt3-175b-1024-a100 --without contentions
! exit 2
! stderr found "contentions"; allowed: contention, slowdown or send-overlap; did you mean "contention"?
$ orrery simulate gpt3-175b-1024-a100 --pp 1 --gpus 8 --global-batch 100000000
! exit 2
! stderr training.global_batch: found 200000000 passes
