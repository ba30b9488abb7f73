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

# Memory over the step, and slow parts: what each costs.
$ orrery simulate gpt3-175b-1024-a100 | sed -n '/^Memory/,/^Critical/p' | head -3
> Memory over the step: when it peaks, in which pass, on what
>   stage       peak        at  in  in flight  activations    logits   at work  memory says
>       0  ... GiB ... B0          8 ... the same
$ orrery simulate gpt3-175b-1024-a100 --slow gpu:17=1.3 --jitter 0.02 | grep -A 1 -E 'slow parts|jitter:|^GPUs'
> ...+... s slow parts: GPUs, nodes and links said to be slow keep the others waiting
> ...+... jitter: every pass waits for the slowest GPU of those that keep step
> GPUs              1,024 in 128 actors of 8 that keep step; kernels are busy ... of the step
>                   below: replica ..., the last to be done
$ orrery simulate gpt3-175b-1024-a100 --every-gpu --csv | tail -1 | cut -d, -f1-5
> 1023,127,7,15,1
$ orrery simulate gpt3-175b-1024-a100 --slow gpu:5000=2
! exit 2
! stderr --slow: found "gpu:5000=2"; allowed: gpu 0 to 1023
$ orrery simulate gpt3-175b-1024-a100 --expert-load 2
! exit 2
! stderr --expert-load: found 2; allowed: 1: this model has no experts

# To look at: a trace, a page, a picture.
$ orrery simulate gpt3-175b-1024-a100 --trace t.json.gz --html page.html -o answer.txt
$ python3 -c 'import gzip, json; t = json.load(gzip.open("t.json.gz")); print(sorted({e["pid"] for e in t["traceEvents"]}))'
> [0, 128, 256, 384, 512, 640, 768, 896]
$ head -c 15 page.html
> <!doctype html>
$ orrery simulate gpt3-175b-1024-a100 --global-batch 128 --picture | tail -3
>      6  ··········011···aaa22bbb33ccc44ddd5...
>      7  ···········00aaa11bbb22ccc33ddd4eee55fff66ggg77hhh...
>   0-9 forward and a-j backward of a micro batch by its last digit, = gathers and reduces, · waits
$ orrery simulate llama-3-405b-16384-h100 --trace all.json --trace-ranks all
! exit 2
! stderr --trace-ranks: found 16384 ranks of about 808 events each; allowed: at most 4950 ranks
$ ls all.json
! exit 2
! stderr No such file

# Chakra traces: length, message, length, message; every group named in a trace is in the file of groups.
$ orrery simulate gpt3-175b-1024-a100 --chakra et -o answer.txt
$ ls et.* | wc -l
> 9
$ cat > read_et.py
< import json, sys
< def varint(b, i):
<     v = s = 0
<     while True:
<         v |= (b[i] & 127) << s; s += 7; i += 1
<         if b[i - 1] < 128: return v, i
< def fields(b):
<     i = 0
<     while i < len(b):
<         k, i = varint(b, i)
<         v, i = varint(b, i)
<         if k & 7 == 2: v, i = b[i:i + v], i + v
<         yield k >> 3, v
< b, i, messages = open(sys.argv[1], "rb").read(), 0, []
< while i < len(b):
<     n, i = varint(b, i)
<     messages.append(b[i:i + n]); i += n
< nodes = [list(fields(m)) for m in messages[1:]]
< ids = [dict(n)[1] for n in nodes]
< known = all(v in ids[:k] for k, n in enumerate(nodes) for f, v in n if f == 5)
< groups = {dict(fields(v)).get(29) for n in nodes for f, v in n if f == 10} - {None}
< print(messages[0][2:].decode(), ids == list(range(len(ids))), known, {g.decode() for g in groups} <= set(json.load(open("et.json"))))
$ python3 read_et.py et.128.et
> 0.0.4 True True True
$ orrery simulate mixtral-8x7b-64-h100 --chakra moe
! exit 2
! stderr --chakra: found groups of experts
