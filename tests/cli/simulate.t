# Times move with calibration; the shape of the page does not.
$ orrery simulate gpt3-175b-1024-a100
> GPT-3 175B: ...
> ...
> memory            fits: ... GiB of 79.3 GiB on the fullest stage; probability of fitting ...
> step              ... s (80 % interval ... s to ... s)
> estimate          ... s
>                   +... ms contention: sends and reductions share a unit's link
> simulated         1,536 passes, ... events
>
> Time of the busiest stage, ...
> ...
> Stages: what one GPU of each does; exposed: collectives it cannot hide; messages: waits for them
>   stage  computes ...
>       0 ...
> ...
> Critical path: what sets the step, the largest first
> ...
> Shorter step
>   if it took                     10 % less      no time
>   compute ...
> ...
> Links  the busiest that sends and reductions use is infiniband ...

# The keys of estimate, and a timeline; without contention the numbers of estimate.
$ orrery estimate gpt3-175b-1024-a100 --json > estimate.json
$ orrery simulate gpt3-175b-1024-a100 --without contention --json
! json keys(without(., "timeline")) = keys(estimate.json:)
! json step_time_s = estimate.json:step_time_s ± 0.1 %
$ orrery simulate gpt3-175b-1024-a100 --json
! json timeline.estimate_step_time_s + sum(timeline.differences[*].time_s) = step_time_s ± 1e-9
! json sum(breakdown_s) = step_time_s ± 1e-9
! json sum(timeline.critical_path[*].time_s) = step_time_s ± 1e-9

# Named differences add up to the difference, and parts add up to the whole.
$ orrery simulate gpt3-175b-1024-a100 --csv | cut -d, -f1 | tail -1
> 7

# Every effect is one's own choice.
$ orrery simulate llama-3-405b-16384-h100 --with slowdown | grep -A 1 'compute beside'
>                   +... compute beside collectives: kernels run slower while a reduction, a gather
>                     or a copy to the host runs beside them
$ orrery simulate gpt3-175b-1024-a100 --without send-overlap | grep -A 1 blocking
> ...+... ms blocking sends: a stage waits until its result has arrived
> ...
$ orrery simulate gpt3-175b-1024-a100 --without contentions
! exit 2
! stderr found "contentions"; allowed: contention, slowdown, send-overlap, grad-reduce, param-gather, tp, cp, ep, offload, pairs, checkpoint or reshard; did you mean "contention"?

# Overlaps turned off by name: each has its price, and the prices add up.
$ orrery simulate llama-3-405b-16384-h100 --without grad-reduce,param-gather,contention --json
! json timeline.differences[*time_s > 0].cause = ["stages end apart", "without grad-reduce", "without param-gather"]
! json timeline.estimate_step_time_s + sum(timeline.differences[*].time_s) = step_time_s ± 1e-9
$ orrery simulate deepseek-v3-2048-h800 --set parallel.schedule=dualpipe --without pairs | grep -A 1 'without pairs'
>                   +... s without pairs: DualPipe's two micro batches run one after the other
> ...
$ orrery simulate mixtral-8x7b-64-h100 --vpp 2 --schedule interleaved --without ep | grep 'without ep'
>                   +... ms without ep: nothing runs beside the exchanges of experts
$ orrery simulate mixtral-8x7b-64-h100 --without ep | grep -c 'without ep'
> 0
! exit 1
$ orrery simulate gpt3-175b-1024-a100 --with tp
! exit 2
! stderr --with: found "tp"; allowed: contention, slowdown or send-overlap

# Parts that have failed: replicas left out, links of a node that carry what another did.
$ orrery simulate gpt3-175b-1024-a100 --fail gpu:17 | grep -A 3 'failed parts'
>                   +... s failed parts: the replicas of failed GPUs and nodes are left out and the
>                     others take over their batch; failed links leave their traffic to a node's
>                     others
> ...
$ orrery simulate gpt3-175b-1024-a100 --fail gpu:17 | sed -n 2p
> 960 GPUs a100-sxm4-80gb in 120 nodes dgx-a100-80gb, ...
$ orrery simulate gpt3-175b-1024-a100 --fail link:0 | grep -c 'failed parts'
> 1
$ orrery simulate gpt3-175b-1024-a100 --fail gpu:17 --json
! json inputs.cluster.gpus = 1024
! json timeline.played = {"gpus": 960, "dp": 15, "micro_batches": 103, "global_batch": 1545}
$ orrery simulate gpt3-175b-1024-a100 --fail node:0,link:3
! exit 2
! stderr only gpu and node parts, without --slow
$ orrery simulate gpt3-175b-1024-a100 --fail gpu:1024
! exit 2
! stderr --fail: found "gpu:1024"; allowed: gpu 0 to 1023
$ orrery simulate llama-3-8b-8-h100 --fail link:0
! exit 2
! stderr --fail: found "link:0"; allowed: gpu or node parts: this run has one node, and no links between nodes
$ orrery simulate llama-3-8b-8-h100 --slow link:0=5
! exit 2
! stderr --slow: found "link:0=5"; allowed: gpu or node parts
$ orrery simulate gpt3-175b-1024-a100 --gpus 64 --global-batch 96 --fail gpu:3
! exit 2
! stderr no replica of the model is left
$ orrery simulate gpt3-175b-1024-a100 --pp 1 --gpus 8 --global-batch 100000000
! exit 2
! stderr training.global_batch: found 200000000 passes

# Memory over the step, and slow parts: what each costs.
$ orrery simulate gpt3-175b-1024-a100 | sed -n '/^Memory/,/^Critical/p' | head -3
> Memory over the step: the peak, when and in which pass; `memory` is what `orrery memory` prints
>   stage       peak        at  in  in flight  activations    logits   at work  `memory`
>       0  ... GiB ... B0          8 ... the same
$ orrery simulate gpt3-175b-1024-a100 --slow gpu:17=1.3 --jitter 0.02 | grep -A 1 -E 'slow parts|jitter:|^GPUs'
>                   +... s slow parts: GPUs, nodes and links said to be slow keep the others waiting
>                   +... jitter: every pass waits for the slowest GPU of those that keep step
> GPUs              1,024, simulated as 128 groups of 8 GPUs in lockstep; kernels are busy ...
>                   ...
$ orrery simulate gpt3-175b-1024-a100 --every-gpu --csv | tail -1 | cut -d, -f1-5
> 1023,127,7,15,1
# The slow GPU has a name, and its mates wait in the stage's passes.
$ orrery simulate gpt3-175b-1024-a100 --slow gpu:17=1.3 | grep -E 'GPU 17|peers|^      [01] '
>                   GPU 17 takes 1.30 times as long: node 2, stage 0, replica 2
>   peers: waits for slower GPUs of its group
>   stage  computes  exposed   peers  messages  bubble    busy  first pass  last done  reduced
>       0 ...
>       1 ...
> ...
$ orrery simulate gpt3-175b-1024-a100 --slow gpu:17=1.3 --html slow.html -o slow.txt
$ grep -o 'GPU 17 takes 1.30 times as long' slow.html
> GPU 17 takes 1.30 times as long

# A node is one of the placement's; the last stage sits on node 0 here.
$ orrery simulate gpt3-175b-1024-a100 --gpus 64 --pp 8 --tp 8 --set 'parallel.placement={"nodes":"7, 6, 5, 4, 3, 2, 1, 0"}' --slow node:0=1.3 --csv | grep -v ',1,0\.'
> rank,node,stage,replica,slowness,busy_share
> 56,0,7,0,1.3,...
> ...

$ orrery simulate gpt3-175b-1024-a100 --slow gpu:5000=2
! exit 2
! stderr --slow: found "gpu:5000=2"; allowed: gpu 0 to 1023
$ orrery simulate gpt3-175b-1024-a100 --expert-load 2
! exit 2
! stderr --expert-load: found 2; allowed: 1: this model has no experts
$ orrery simulate mixtral-8x7b-64-h100 --ep 2 --expert-load 3
! exit 2
! stderr --expert-load: found 3; allowed: 1 to 2, the most that one of 2 ranks of experts can get over the mean

# Links between nodes: sharded weights are gathered over them in every pass.
$ orrery simulate llama-3-8b-8-h100 --gpus 32 --framework fsdp --zero 3 --pp 1 --tp 1 --global-batch 64 --slow link:0=20 --json -o slow.json
! json slow.json:timeline.differences[cause="slow parts"].time_s > 2 * slow.json:timeline.estimate_step_time_s
! json sum(slow.json:communication[*].exposed_s) = slow.json:breakdown_s.dp_exposed ± 1e-7 %
! json sum(slow.json:communication[*].time_s) = slow.json:timeline.stages[0].streams.dp.busy_s ± 1e-4 %

# The lines of communication are those of the step that was simulated: they sum to the breakdown.

# Gathers and reductions in every micro batch are slices, together as long as their stream is busy.
$ orrery simulate llama-3-8b-8-h100 --gpus 16 --framework fsdp --zero 3 --pp 1 --tp 1 --global-batch 32 --trace shards.json --json -o shards.txt
! json sum(shards.json:traceEvents[*ph="X", name ~ /^dp collectives/].dur) * 1e-6 = shards.txt:timeline.stages[0].streams.dp.busy_s ± 0.01 %

# To look at: a trace, a page, a picture.
$ orrery simulate gpt3-175b-1024-a100 --trace t.json.gz --html page.html -o answer.txt
$ gzip -dc t.json.gz
! json distinct(traceEvents[*].pid) = [0, 128, 256, 384, 512, 640, 768, 896]
$ head -c 15 page.html
> <!doctype html>
$ orrery simulate gpt3-175b-1024-a100 --global-batch 128 --picture | tail -3
>      6  ···········0011···aaa22bbb33ccc44ddd5...
>      7  ·············00aaa11bbb22ccc33ddd44eee55fff66ggg77hhh...
>   0-9 forward and a-j backward of a micro batch by its last digit, < gathers, > reduces, · waits
$ orrery simulate llama-3-405b-16384-h100 --trace all.json --trace-ranks all
! exit 2
! stderr --trace-ranks: found 16384 ranks of about 808 events each; allowed: at most 4950 ranks
$ ls all.json
! exit 2
! stderr No such file

# Chakra traces: length, message, length, message; every group named in a trace is in the file of groups.
$ orrery simulate gpt3-175b-1024-a100 --chakra et -o answer.txt
! json [0, 896] in et.json:[*]
$ ls et.* | wc -l
> 9
$ python3 $ROOT/tests/support/read_chakra.py et.json et.*.et
> 8 traces, ... nodes, 1344 messages
$ orrery simulate gpt3-175b-1024-a100 --set parallel.schedule=dualpipe --chakra two -o answer.txt
$ python3 $ROOT/tests/support/read_chakra.py two.json two.*.et
> 8 traces, ... nodes, 1344 messages
$ orrery simulate mixtral-8x7b-64-h100 --chakra moe --trace-ranks all -o answer.txt
$ python3 $ROOT/tests/support/read_chakra.py moe.json moe.*.et
> 64 traces, ... nodes, ... messages
$ orrery simulate llama-3-8b-8-h100 --framework fsdp --set parallel.zero=3 --recompute full --chakra shards -o answer.txt
$ python3 $ROOT/tests/support/read_chakra.py shards.json shards.*.et
> 1 traces, ... nodes, 0 messages

# The first and the last stage add up the gradients of the embedding that both hold: ranks 0 and 896.
$ grep -ac 'reduce shared gradients' et.0.et et.128.et et.896.et
> et.0.et:1
> et.128.et:0
> et.896.et:1

# SimAI's workload: a line of sizes, the number of lines, lines of twelve columns.
$ orrery simulate gpt3-175b-1024-a100 --simai work.txt -o answer.txt
$ head -1 work.txt
> HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 8 vpp: 1 ga: 96 all_gpus: 1024 checkpoints: 0 checkpoint_initiates: 0 pp_comm: ...
$ test $(sed -n 2p work.txt) = $(sed 1,2d work.txt | wc -l)
$ sed 1,2d work.txt | awk -F '\t' '{print NF " columns"} $3 <= 0 || $6 <= 0 || $9 <= 0 {print "no time in line " NR}' | sort -u
> 12 columns
$ sed 1,2d work.txt | awk -F '\t' '{print $4; print $7; print $10}' | sort -u
> ...
> NONE
> ...

# A checkpoint beside the step: what it costs, by how it is written; turned off, training stands still.
$ orrery simulate gpt3-175b-1024-a100 --checkpoint asynchronous --storage selene | grep -A 1 -E 'checkpoint:|^checkpoint'
>                   +... ms checkpoint: states are copied to the hosts: training stands still, or
>                     kernels are slower beside the copy and the update waits for it
> ...
> checkpoint        2.44 TB, safe ... s after the step begins
> simulated ...
$ for how in 'asynchronous' 'two-phase' 'synchronous' 'asynchronous --without checkpoint'; do orrery simulate gpt3-175b-1024-a100 --storage selene --checkpoint $how --json > $(echo $how | tr -d ' ').json; done
! json asynchronous.json:step_time_s < two-phase.json:step_time_s < synchronous.json:step_time_s
! json asynchronous--withoutcheckpoint.json:step_time_s = synchronous.json:step_time_s ± 1e-7 %
$ orrery simulate gpt3-175b-1024-a100 --checkpoint asynchronous
! exit 2
! stderr --checkpoint: found no --storage; allowed: --storage NAME beside it
$ orrery simulate gpt3-175b-1024-a100 --checkpoint later --storage selene
! exit 2
! stderr --checkpoint: found "later"; allowed: synchronous, two-phase or asynchronous
$ orrery simulate gpt3-175b-1024-a100 --checkpoint two-phase --storage selen --html none.html
! exit 2
! stderr did you mean "selene"?
$ orrery simulate gpt3-175b-1024-a100 --checkpoint two-phase --storage nfs
! exit 2
! stderr --storage: found "nfs" without a rate of the whole storage; allowed: a document with `write`; `client` beside it
$ ls none.html
! exit 2
! stderr No such file

# The order in which sharded weights are fetched: what of it is waited for, and when each is fetched.
$ orrery simulate llama-3-8b-8-h100 --framework fsdp --set parallel.zero=3 --recompute full --prefetch 1 --trace fetched.json --json > fetched.txt
! json timeline.fetches[:34].pass = "forward"
! json timeline.fetches[34:].pass = "backward"
! json timeline.fetches[:33].layer < timeline.fetches[1:34].layer
! json timeline.fetches[:33].end_s <= timeline.fetches[1:34].begin_s
! json timeline.differences[-1].cause = "order of fetches"
! json len(distinct(fetched.json:traceEvents[*ph="X", args.layer >= 0].args.layer)) = 34
! json min(fetched.json:traceEvents[*ph="X", args.layer >= 0].args.layer) = 0
! json max(fetched.json:traceEvents[*ph="X", args.layer >= 0].args.layer) = 33
$ orrery simulate llama-3-8b-8-h100 --framework fsdp --set parallel.zero=3 --without reshard | grep -A 1 'without reshard'
>                   −... ms without reshard: weights gathered for forward stay for backward, in
> ...
$ orrery simulate gpt3-175b-1024-a100 --prefetch 1
! exit 2
! stderr --prefetch: found weights that are not gathered in every pass; allowed: runs that gather them
$ orrery simulate llama-3-8b-8-h100 --framework fsdp --set parallel.zero=3 --prefetch 0.5
! exit 2
! stderr --prefetch: found 0.5; allowed: a whole number of layers

# A snapshot of the allocator, as memory_viz opens it: read by Python and replayed to the peak.
$ orrery simulate gpt3-175b-1024-a100 --memory-snapshot memory.pickle --json > memory.json
$ python3 $ROOT/tests/support/read_snapshot.py memory.pickle memory.json
> 8 devices, ... events
$ orrery simulate gpt3-175b-1024-a100 --set parallel.schedule=zb-h1 --memory-snapshot split.pickle --json > split.json
$ python3 $ROOT/tests/support/read_snapshot.py split.pickle split.json
> 8 devices, ... events
