# A run is a plan of one cluster; what no price is given for stays blank.
$ orrery capacity gpt3-175b-1024-a100
> gpt3-175b-1024-a100
>
> Use 1,024 GPUs a100-sxm4-80gb (128 x dgx-a100-80gb): 300 B tokens take ... no cost,
> as there is no price of a100-sxm4-80gb or its node given (`prices`).
> ...
> cluster           1,024 GPUs a100-sxm4-80gb in 128 nodes dgx-a100-80gb
> ...
> days              ...
> ...
> cost              no price of a100-sxm4-80gb or its node given (`prices`): left blank
> ...

# Failures, storage, prices and a start date, by name; the numbers add up.
$ orrery capacity llama-3-405b-16384-h100 --failures llama-3 --storage llama-3-tectonic --checkpoint two-phase --prices market-2026 --start 2027-01-01 --json > llama.json
! json options[0].time.days[0] < options[0].time.days[1] < options[0].time.days[2]
! json sum(options[0].goodput.days_of) = options[0].time.days[1] ± 1e-4 %
! json options[0].goodput.effective_training_time_ratio > 0.9
! json options[0].cost.total = options[0].cost.parts.rent
! json options[0].time.end > options[0].time.start
$ orrery capacity llama-3-405b-16384-h100 --failures llama-3 --storage llama-3-tectonic --checkpoint two-phase --prices market-2026 --start 2027-01-01 --json > again.json
$ cmp llama.json again.json && echo same
> same

# The smallest cluster that meets a deadline, a budget and a limit of power.
$ orrery capacity gpt3-175b-1024-a100 --deadline 60d --budget 50e6 --power 10MW --prices market-2026 --json
! json options[requirements[0].smallest].time.days[1] <= 60
! json options[requirements[0].smallest].cost.total <= 50e6
! json options[requirements[0].smallest].energy.peak_mw <= 10
! json options[0].gpus < options[requirements[0].smallest].gpus < options[2].gpus
! json options[2].chance.deadline >= 0.9
! json ranked[0] = 2

# A deadline nothing meets: no, with what comes nearest.
$ orrery capacity gpt3-175b-1024-a100 --deadline 1d --sizes [512,1024]
! exit 3
> gpt3-175b-1024-a100
>
> No option meets it; the nearest is 1,024 GPUs ...
> ...
> required          within 1.0 days: no option; the nearest is gpt3-175b-1024-a100 with 1,024 GPUs,
>                   which takes ... days of 1.0 days
> ...

# Sizes are those of the layout: the replica of this one is 280 GPUs, and 1,120 do.
$ orrery capacity megatron-530b-2240-a100 --tokens 270000000000 --deadline 90d
> megatron-530b-2240-a100
>
> ...
> required          within 90.0 days: smallest megatron-530b-2240-a100 with 1,120 GPUs
> sizes tried       2 that the layout and the batch allow, 560 to 1,120 GPUs
> ...

# Where every size is refused that is said, with how many there were.
$ orrery capacity gpt3-175b-1024-a100 --tp 1 --pp 1 --deadline 60d
! exit 3
> gpt3-175b-1024-a100
>
> required          within 60.0 days: no option is possible: every size tried is refused
> sizes tried       ... that the layout and the batch allow, 1 to 1,536 GPUs; ... refused
>
> Not possible
>   gpt3-175b-1024-a100, 1 GPUs: does not fit: ...
> ...

# A replica that can skip a synchronisation holds the whole model; here none does.
$ orrery capacity llama-3-8b-8-h100 --gpus 16 --tokens 1000000000000 | grep 'what if  *no local'
> what if           no local SGD: all 16 data parallel ranks share one copy of the model

# The rate of one client does not bound a checkpoint; the message asks for the storage's own rate.
$ orrery capacity llama-3-405b-16384-h100 --storage nfs
! exit 2
! stderr error: --storage nfs: storage: found `client` (rate of one node) without `write`; allowed: `write`, the rate of the whole storage: ["nfs", {"write": "20 GB/s"}]
$ orrery capacity llama-3-405b-16384-h100 --storage '["nfs", {"write": "20 GB/s"}]' | grep -A 1 ^checkpoint
> checkpoint        5.682 TB, synchronous: stops training 284.1 s, safe after 284.1 s, read in 284.1 s
> ...

# Nor does a node carry more than its links do, where nothing is said of it.
$ orrery capacity llama-3-8b-8-h100 --tokens 1000000000000 --storage alps-capstor | grep -A 1 ^checkpoint
> checkpoint        96.36 GB, synchronous: stops training 240.9 ms, safe after 240.9 ms, read in 240.9
>                   ms, at 400 GB/s a node, the most its links carry (no `client` given)

# A GPU's memory stands in the list of what matters by its bandwidth.
$ orrery capacity llama-3-8b-8-h100 --tokens 1000000000000 --all | grep -c 'memory bandwidth of a GPU ×½, ×2 (what if)'
> 1

# The hardware studies run; what does not fit is a row too.
$ for plan in hardware-175b bandwidth-175b offload-gh200; do orrery capacity $plan --csv | wc -l; done
> 13
> 8
> 7

# Bought and rented side by side are called what they are.
$ echo '{"run": "gpt3-175b-1024-a100", "prices": {"gpus": {"a100-sxm4-80gb": {"rent": "2 USD/h", "purchase": "20000 USD"}}, "lifetime": "1461 d", "utilisation": 0.8}, "scenarios": [{"name": "a", "cluster": {"node": "dgx-a100-80gb", "gpus": 1024}}, {"name": "b", "cluster": {"node": "dgx-a100-80gb", "gpus": 1024}, "prices": {"gpus": {"a100-sxm4-80gb": {"rent": "2 USD/h", "purchase": "20000 USD"}}, "lifetime": "1461 d", "utilisation": 0.8, "pay": "purchase"}}]}' > both.json
$ orrery capacity both.json > both.txt
$ grep -c -E ' USD, (rented|bought) ' both.txt
> 2
$ grep -c 'Rent includes power, network' both.txt
> 1

# A recommendation speaks of rents alone where every cluster has one.
$ orrery capacity gpt3-175b-five-clusters > five.txt
$ grep -c -E ' USD, (rented|bought) ' five.txt
> 0
! exit 1

# CSV has a row for each option.
$ orrery capacity gpt3-175b-1024-a100 --sizes [256,512,768] --csv | wc -l
> 4

# Bad input is one line.
$ orrery capacity gpt3-175b-1024-a100 --failures lama-3
! exit 2
! stderr /^error: --failures lama-3: failures: found "lama-3"; .*did you mean "llama-3"/
$ orrery capacity gpt3-175b-1024-a100 --deadline -3d
! exit 2
! stderr /^error: --deadline -3d: require.deadline: found "-3d"; allowed: a time above zero/

# 60 could be days or seconds: a bare number is refused.
$ orrery capacity gpt3-175b-1024-a100 --deadline 60
! exit 2
! stderr error: --deadline: found 60 without a unit; allowed: a time such as 60d or 36h
$ orrery capacity gpt3-175b-1024-a100 --power 10
! exit 2
! stderr error: --power: found 10 without a unit; allowed: a power such as 10MW or 500kW

# A budget that cannot be judged does not keep the deadline from being judged.
$ orrery capacity gpt3-175b-1024-a100 --deadline 60d --budget 50e6
! exit 3
> gpt3-175b-1024-a100
>
> Use ... GPUs ...
> ...
> required          within 60.0 days, for 50.0 M USD: the budget is not judged, no price of
>                   a100-sxm4-80gb or its node given (`prices`); smallest for the rest
>                   gpt3-175b-1024-a100 with ... GPUs
> ...
$ echo '{"run": "gpt3-175b-1024-a100", "scenarios": [{"name": "H100"}]}' > nocluster.json
$ orrery capacity nocluster.json
! exit 2
! stderr nocluster.json: scenarios[0]: found no cluster; allowed: --node NAME, `cluster`
$ echo '{"run": "gpt3-175b-1024-a100", "prices": {"gpus": {"a100-sxm4-80gb": {"rent": {"value": "2", "source": "s", "date": "d"}}}}}' > nocurrency.json
$ orrery capacity nocurrency.json
! exit 2
! stderr nocurrency.json: prices.gpus.a100-sxm4-80gb.rent.value: found "2"; allowed: an amount and its currency
$ echo '{"run": "gpt3-175b-1024-a100", "failures": {"classes": [{"name": "all", "per_gpu_hour": -1}]}}' > negative.json
$ orrery capacity negative.json
! exit 2
! stderr negative.json: failures.classes[0].per_gpu_hour: found -1;
$ orrery capacity gpt3-175b-1024-a100 --html --json
! exit 2
! stderr --html: give it without --json and --csv

# Every number of a page, computed again from its JSON.
$ orrery capacity gpt3-175b-five-clusters --json > five.json
$ orrery capacity gpt3-175b-1024-a100 --failures llama-3 --storage selene --prices market-2026 --rank time --sizes [512,768,1024] --json > three.json
$ orrery capacity llama-3-405b-16384-h100 --failures llama-3 --storage llama-3-tectonic --checkpoint two-phase --json > blank.json
$ orrery capacity gpt3-175b-1024-a100 --failures llama-3 --storage selene --prices market-2026 --rank time --sizes [512,768,1024] --html -o three.html
$ orrery capacity gpt3-175b-1024-a100 --failures llama-3 --storage selene --prices market-2026 --deadline 60d --budget 50e6 --sure --json > sure.json
$ echo '{"failures": ["llama-3", {"stragglers": {"slowdown": 0.3, "share": 0.1}}], "storage": {"write": "100 GB/s"}, "goal": {"tokens": 5e11}, "gpus": 64, "set": {"training.global_batch": 256}, "phases": [{"name": "large", "run": "llama-3-70b-64-h100"}, {"name": "small", "run": "llama-3-8b-8-h100"}]}' > phases.json
$ orrery capacity phases.json --json > two-phases.json
$ python3 $ROOT/tests/support/check_capacity.py five.json three.json blank.json sure.json two-phases.json --page three.html three.json
> ... numbers computed again

# Each model of a plan has checkpoints of its own; the command says which phase it shows.
$ orrery capacity phases.json --all | grep -E '^checkpoint|# phase'
> checkpoint        large: 987.8 GB, synchronous: stops training 9.878 s, safe after 9.878 s, read in
> checkpoint        small: 96.36 GB, synchronous: stops training 963.6 ms, safe after 963.6 ms, read
>   orrery estimate llama-3-70b-64-h100 ...  # phase large

# A node whose host memory does not hold its part of a checkpoint is told of.
$ orrery capacity llama-3-70b-64-h100 --tokens 1e12 --checkpoint two-phase --failures llama-3 --storage selene --set "cluster.host.memory_capacity=10 GB" | grep '^host memory'
> host memory       115.0 GiB a node for a checkpoint, of 9 GiB: more than a node holds
$ orrery capacity llama-3-70b-64-h100 --tokens 1e12 --checkpoint two-phase --failures llama-3 --storage selene | grep -c 'more than a node holds'
! exit 1
> 0

# A checkpoint is between two steps.
$ echo '{"run": "llama-3-70b-64-h100", "set": {"training.global_batch": 256}, "goal": {"tokens": 1e12}, "storage": {"write": "100 GB/s"}, "checkpoint": {"interval": "1 s"}}' > every-second.json
$ orrery capacity every-second.json | grep -A 1 ^checkpoint
> checkpoint        987.8 GB, synchronous: stops training 9.878 s, safe after 9.878 s, read in 9.878
>                   s; every ... s, the given 1 s up to whole steps; storage writes ...

# What to ask a seller for, and a rate of one's own in place of the predicted step.
$ orrery capacity gpt3-175b-1024-a100 --failures llama-3 --storage selene | grep -E '^(storage|network) to buy'
> storage to buy    writes ..., so that checkpoints stop training for at most 1 % of the time,...
> network to buy    a node sends ... to other nodes, on average over a step; with ...
$ orrery capacity gpt3-175b-1024-a100 --achieved '{"value": "42 TFLOP/s", "low": "35 TFLOP/s", "high": "50 TFLOP/s"}' | grep '^accuracy'
> accuracy          the rate is given, not predicted: 42 TFLOP/s a GPU (35 TFLOP/s to 50 TFLOP/s)

# Written beside training, checkpoints do not come every few seconds.
$ orrery capacity llama-3-405b-16384-h100 --failures llama-3 --storage llama-3-tectonic --checkpoint asynchronous | grep -A 2 ^checkpoint
> checkpoint        5.682 TB, asynchronous: stops training 0 s, safe after 2.847 s, read in 2.841 s;
>                   every ... s, as a shorter one saves less than 1 % of the time (Young 0 s, Daly 0
>                   s); storage writes 1... % of the time

# A size that is given is the size that is judged; two ways to give it are one too many.
$ orrery capacity gpt3-175b-1024-a100 --gpus 64 --deadline 60d --prices market-2026 | grep -A 1 ^required
! exit 0
> required          within 60.0 days: no option; the nearest is gpt3-175b-1024-a100 with 64 GPUs,
>                   which takes ... days of 60.0 days
$ orrery capacity gpt3-175b-1024-a100 --gpus 64 --sizes [64,128]
! exit 2
! stderr error: --gpus: found --sizes too; allowed: one of them
$ echo '{"run": "gpt3-175b-1024-a100", "scenarios": [{"name": "a", "cluster": {"node": "dgx-a100-80gb"}, "gpus": 256}, {"name": "b", "cluster": {"node": "dgx-h100"}, "gpus": [512, 1024], "prices": "market-2026"}]}' > two.json
$ orrery capacity two.json --gpus 128 --rent 3 --csv | cut -d, -f1,3,4
> scenario,gpus,status
> a,128,fits
> b,128,fits
$ echo '{"run": "gpt3-175b-1024-a100", "set": {"cluster.gpus": 512}}' > sized.json
$ orrery capacity sized.json --gpus 256 --csv | cut -d, -f3
> gpus
> 256
$ orrery capacity sized.json --sizes [256] --csv | cut -d, -f3
> gpus
> 256
$ orrery capacity gpt3-175b-five-clusters --node dgx-h100
! exit 2
! stderr /--node dgx-h100: cluster.node: found a plan whose scenarios name their clusters/

# A price of one's own, bare; it goes before the others and is marked.
$ orrery capacity gpt3-175b-1024-a100 --prices market-2026 --rent 1.5 --all | grep -E 'given by you|a GPU-hour|1.99'
> price             rent of a GPU, of every kind 1.5 USD/h: given by you
>   a unit          ... a million tokens, ... an EFLOP (by megatron), 1.50 USD a GPU-hour
>   rent of a GPU, of every kind: 1.5 USD/h: given by you
$ orrery capacity gpt3-175b-1024-a100 --prices '{"gpus": {"a100-sxm4-80gb": {"rent": "1.25 USD/h"}}}' --all | grep -E 'given by you|a GPU-hour'
> price             a100-sxm4-80gb: rent of a GPU 1.25 USD/h: given by you
>   a unit          ... a million tokens, ... an EFLOP (by megatron), 1.25 USD a GPU-hour
>   a100-sxm4-80gb: rent of a GPU: 1.25 USD/h: given by you

# A price and a storage that an option gives have that option as their source.
$ orrery capacity llama-3-70b-64-h100 --tokens 1e12 --rent 2.5 --storage '{"write": "100 GB/s"}' --all | grep ': given:'
>   storage: given: the option --storage
>   prices: given: the option --rent

# A unit names the convention of its FLOPs, which is the goal's.
$ echo '{"run": "llama-3-405b-16384-h100", "goal": {"flops": 3.8e25}, "prices": {"rent": 2.5}}' > flops.json
$ orrery capacity flops.json | grep 'an EFLOP'
>   a unit          ... USD a million tokens, ... USD an EFLOP (by 6n), 2.50 USD a GPU-hour
$ orrery capacity flops.json --json
! json options[0].cost.per_eflop * 3.8e7 = options[0].cost.total ± 0.01 %

# A budget is held against the run's share of a purchase, which costs more at once.
$ echo '{"name": "bought", "run": "gpt3-175b-1024-a100", "gpus": [1024], "require": {"deadline": "60 d", "budget": "9e6 USD"}, "prices": {"gpus": {"a100-sxm4-80gb": {"purchase": "20000 USD"}}, "pay": "purchase", "lifetime": "1461 d", "utilisation": 0.8}}' > bought.json
$ orrery capacity bought.json | grep -A 1 ^required
> required          within 60.0 days, for 9.00 M USD: smallest bought with 1,024 GPUs; the budget is
>                   held against ... k USD, the run's share of 20.5 M USD bought

# What local SGD would need does not fit here.
$ orrery capacity llama-3-405b-16384-h100 | grep -A 1 'no local SGD'
> what if           no local SGD: each of 128 replicas would hold all states, and does not fit: ...
>                   GiB of 79.7 GiB a GPU

# A request may have it in Markdown.
$ echo '{"command": "capacity", "request": {"run": "gpt3-175b-1024-a100", "format": "markdown"}}' | orrery call | cut -c 1-39
> {"code":0,"text":"# gpt3-175b-1024-a100

# What the answer leaves out stands in one line, with the flags that put it in.
$ orrery capacity gpt3-175b-1024-a100 | grep -A 2 '^left out'
> left out          failures (--failures llama-3), the writing of checkpoints (--storage selene), PUE
>                   (--energy '["by-load", {"pue": 1.2}]'), cost (--prices market-2026 or --rent 2.5);
>                   these would add time, cost or energy
$ orrery capacity gpt3-175b-1024-a100 --failures llama-3 --storage selene --rent 2 --energy '["by-load", {"pue": 1.2}]' | grep -c '^left out'
! exit 1
> 0

# The commands of the options give the same step and memory, to the digit.
$ orrery capacity gpt3-175b-1024-a100 --deadline 60d --set training.flash_attention=true --recompute selective --json > deadline.json
$ orrery capacity --model llama-3-8b --node dgx-h100 --sequence-length 8192 --global-batch 256 --tokens 1e12 --sizes [64] --json > flags.json
$ python3 $ROOT/tests/support/follow_commands.py five.json three.json deadline.json flags.json
> ... commands followed

# The batch may leave out sizes that would do.
$ orrery capacity gpt3-175b-1024-a100 --global-batch 1536 --deadline 42d | grep -A 1 'leaves smaller'
> sizes tried       the global batch leaves smaller sizes out: at ... sequences ... GPUs take ...
>                   days (--gpus ... --global-batch ...)

# The largest of several models within a budget and a deadline.
$ orrery capacity llama-3-8b-8-h100 --global-batch 256 --models qwen3-0.6b,llama-3-8b --gpus 64 --budget 1e5 --deadline 30d --rent 2 --json
! json len(options) = 2
! json options[requirements[0].largest_model].model = "llama-3-8b"
! json options[requirements[0].largest_model].time.tokens = 161e9 ± 0.5e9
$ orrery capacity llama-3-8b-8-h100 --tokens 1e9 --tokens-per-parameter 20
! exit 2
! stderr error: --tokens: found --tokens-per-parameter too; allowed: one of them

# The days that docs/capacity.md sets beside published trainings.
$ orrery capacity published-runs --json > published.json
$ cat > written.py
< import json, sys
< page = open(sys.argv[1]).read()
< for option in json.load(open("published.json"))["options"]:
<     low, days, high = option["time"]["days"]
<     text = "%.1f (%.1f to %.1f)" % (days, low, high)
<     print(option["scenario"] + ":", "as written" if text in page else "not in docs/capacity.md: " + text)
$ python3 written.py $ROOT/docs/capacity.md
> Llama 3 405B on 16,384 H100: as written
> OPT-175B on 992 A100: as written
> BLOOM-176B on 384 A100: as written
> GPT-3 175B on 1,024 A100: as written
> 1T on 3,072 A100: as written

# Policies of recovery side by side; one alone is in the figures.
$ orrery capacity llama-3-405b-16384-h100 --failures llama-3 --storage llama-3-tectonic --recovery all --tokens 1e12 --json
! json len(options[0].goodput.classes) = 12
! json len(options[0].recovery_policies) = 8
! json options[0].recovery_policies[0].name = "restart, by `failures`"
! json options[0].recovery_policies[4].name = "memory-copies"
! json options[0].recovery_policies[4].effective_training_time_ratio > 0.93
! json options[0].recovery_policies[6].name = "requeue"
! json options[0].recovery_policies[6].effective_training_time_ratio < 0.88
! json options[0].recovery_policies[5].applies = false
! json options[0].recovery_advised.name = "memory-copies"
! json options[0].recovery_policies[0].ends = true

# A policy under which failures take all of the time has no days and no cost.
$ orrery capacity --model llama-3-405b --node dgx-h100 --gpus 98304 --sequence-length 8192 --global-batch 12288 --tokens 15.6e12 --tp 8 --dp 12288 --zero 3 --set parallel.zero_shard_group=1024 --micro-batch 1 --recompute full --failures llama-3 --recovery all --storage llama-3-tectonic | grep -E '^  elastic-dp|^  never ends'
>   elastic-dp              never ends          –                –            –                  –            3     –
>   never ends: failures take the time in which it would train
$ orrery capacity llama-3-405b-16384-h100 --failures llama-3 --storage llama-3-tectonic --recovery all --prices market-2026 --tokens 1e12 --json > policies.json
$ python3 $ROOT/tests/support/check_capacity.py policies.json
> ... numbers computed again
$ orrery capacity llama-3-405b-16384-h100 --failures llama-3 --storage llama-3-tectonic --recovery replicas --tokens 1e12
! exit 3
> ...
>   llama-3-405b-16384-h100, 16,384 GPUs: illegal: recovery replicas restarts one of several replicas,
> ...
$ orrery capacity llama-3-405b-16384-h100 --recovery requeue --tokens 1e12
! exit 2
! stderr error: --recovery requeue: recovery: found a policy without rates of failures; allowed: `failures` beside it (--failures llama-3)
$ orrery capacity llama-3-405b-16384-h100 --failures llama-3 --recovery requeu --tokens 1e12
! exit 2
! stderr /did you mean "requeue"/

# A power that is drawn at most is certain: it has no part in the chance, and a cap that keeps it is named.
$ orrery capacity llama-3-70b-64-h100 --tokens 1e12 --deadline 600d --power 60kW --sizes [64] | grep -c 'draws at most'
> 0
! exit 1

# Several nodes from flags alone: a sentence to sign first, then the options by the upper end of their cost.
$ orrery capacity --model llama-3-8b --node dgx-h100,dgx-a100-80gb --tokens 1e11 --deadline 30d --budget "500k $" --prices market-2026 --sequence-length 8192 --global-batch 512 --gpus 64 | head -4
> run
>
> Rent 64 GPUs h100-sxm5-80gb (8 x dgx-h100): 100 B tokens take ... days (... to ...) and ... k USD
> (... k USD to ... k USD). It ends within 30.0 days and costs at most 500 k USD with a probability
$ orrery capacity --model llama-3-8b --node dgx-h100,dgx-a100-80gb --tokens 1e11 --deadline 30d --budget 500k --prices market-2026 --sequence-length 8192 --global-batch 512 --gpus 64 --json
! json len(options) = 2
! json options[1].scenario = "dgx-a100-80gb"
! json requirements[0].budget = 500e3 ± 1
! json options[0].chance.all > 0.5
! json options[0].chance.fits > 0.5
$ orrery capacity --model llama-3-8b --node dgx-h100,dgx-a10 --tokens 1e11 --sequence-length 8192 --global-batch 512 --gpus 64
! exit 2
! stderr /dgx-a10/

# Money and time as people write them.
$ for money in '$30M' '30m' '30,000,000' '30 million' '30 M$' '0.03 bn USD' '30e6 USD'; do orrery capacity gpt3-175b-1024-a100 --gpus 512 --budget "$money" --prices market-2026 --json | grep -m 1 -o '"budget": *30000000'; done | sort | uniq -c | tr -s ' '
>  7 "budget": 30000000
$ orrery capacity gpt3-175b-1024-a100 --gpus 512 --budget '30,00' --prices market-2026
! exit 2
! stderr /^error: --budget 30,00: /
$ orrery capacity gpt3-175b-1024-a100 --gpus 512 --deadline 12w --json
! json requirements[0].deadline_days = 84 ± 1e-6
$ orrery capacity gpt3-175b-1024-a100 --gpus 512 --deadline '3 months' --json
! json requirements[0].deadline_days = 91.3125 ± 1e-6

# Without a length and a batch both are assumed, and the answer names them.
$ orrery capacity --model llama-3-8b --node dgx-h100 --tokens 1e11 --gpus 64 | grep -A 2 '^assumed'
> assumed           sequence length 4,096 tokens: not given; ...
> ...
$ orrery capacity --model llama-3-8b --node dgx-h100 --tokens 1e11 --gpus 64 --json
! json options[0].time.phases[0].global_batch = 1024
$ orrery capacity --model llama-3-8b --node dgx-h100 --tokens 1e11 --gpus 64 --global-batch 512
! exit 2
! stderr /no sequence length/

# A budget that is not judged has no part in the probability.
$ orrery capacity gpt3-175b-1024-a100 --gpus 1024 --deadline 60d --budget 50e6 | head -6 | tail -4 | tr '\n' ' ' | grep -o 'It ends within .*judged[.]'
> It ends within 60.0 days with a probability of ... %. Whether it costs at most 50.0 M USD is not judged.

# What is bought is paid at once; the run has a share of it.
$ orrery capacity bought.json | head -8 | tr '\n' ' ' | grep -o "the run's share of 20.5 M USD to pay at once"
> the run's share of 20.5 M USD to pay at once

# A cap of a GPU's power takes longer and less energy; the clock of a device without a law is not known.
# The rest of a node draws what it did, so that the facility's energy rises again under a low cap.
$ orrery capacity llama-3-8b-8-h100 --tokens 1e11 --gpus 64 --global-batch 256 --json
! json options[0].power_caps[0].facility_kwh < options[0].energy.facility_kwh[1]
! json options[0].power_caps[1].facility_kwh < options[0].energy.facility_kwh[1]
! json options[0].power_caps[0].gpus_kwh < options[0].energy.gpus_kwh
! json options[0].power_caps[3].gpus_kwh < options[0].power_caps[2].gpus_kwh
! json options[0].power_caps[2].gpus_kwh < options[0].power_caps[1].gpus_kwh
! json len(options[0].power_caps) = 5
! json options[0].power_caps[0].cap_w = 630 ± 0.1
! json options[0].power_caps[4].days > options[0].time.days[1]
! json options[0].power_caps[4].peak_mw < options[0].energy.peak_mw
$ orrery capacity gpt3-175b-1024-a100 --json
! json len(options[0].power_caps) = 0

# A limit that no cap keeps: the least cap and what it draws, and no cap that draws more than the limit.
$ orrery capacity llama-3-8b-8-h100 --tokens 1e12 --gpus 512 --global-batch 1024 --power 400kW | grep -A 1 '^under a cap'
> under a cap       none keeps 400 kW: at 350 W a GPU, the least that its clock law holds for, it
>                   draws 474 kW at most
$ orrery capacity llama-3-8b-8-h100 --tokens 1e12 --gpus 512 --global-batch 1024 --power 560kW | grep -A 1 '^under a cap'
> under a cap       at 518 W a GPU (cluster.power_cap) it draws 560 kW at most and takes ... days and
>                   -... % energy, which meets what is required

# Under a cap already, the rating is among the others. A limit of power adds the cap that keeps it.
$ orrery capacity llama-3-8b-8-h100 --tokens 1e11 --gpus 64 --global-batch 256 --set 'cluster.power_cap=490 W' --json
! json len(options[0].power_caps) = 5
! json options[0].power_caps[0].cap_w = 700 ± 0.1
! json options[0].power_caps[0].days < options[0].time.days[1]
$ orrery capacity llama-3-8b-8-h100 --tokens 1e11 --gpus 64 --global-batch 256 --power 70kW --json > limit.json
! exit 3
$ python3 -c 'import json; caps = json.load(open("limit.json"))["options"][0]["power_caps"]; kept = [c for c in caps if c["peak_mw"] <= 0.07]; print(len(caps), max(c["cap_w"] for c in kept) % 70 != 0, max(c["peak_mw"] for c in kept) > 0.0699)'
> 6 True True

# A deadline that no size meets within the limit at its rating is met by more GPUs under a cap.
$ orrery capacity --model llama-3-8b --node dgx-h100 --sequence-length 8192 --global-batch 1056 --tokens 1e12 --deadline 19d --power 105kW --json > capped.json
! json options[1].energy.peak_mw <= 0.105
! json requirements[0].met_by = [1]
! json options[1].command ~ /cluster.power_cap/

# The rent of one kind of node beside listed ones; what was not tried of a search.
$ orrery capacity --model llama-3-8b --node dgx-h100,hgx-b200 --tokens 1e11 --deadline 30d --prices market-2026 --rent hgx-b200=3.1 --sequence-length 8192 --global-batch 512 --gpus 64 --json > rents.json
! json options[1].cost.per_gpu_hour = 3.1 ± 1e-6
$ orrery capacity llama-3-8b-8-h100 --rent hgx-b200
! exit 2
! stderr error: --rent hgx-b200: prices.rent: found "hgx-b200"; allowed: an amount and its currency: "2.49 USD/h"

# A bill of materials: counts of a network by its design, blanks where nobody said. 512 GPUs are 64 nodes of 8 ports,
# 16 leaves and 8 spines of 64 ports (NVIDIA's table for 64 nodes).
$ orrery capacity llama-3-8b-8-h100 --tokens 1e12 --gpus 512 --global-batch 512 --materials rail-optimised --prices '{"nodes": {"dgx-h100": {"purchase": "200000 USD"}}, "parts": {"qm9700": "30000 USD"}}' --json
! json options[0].materials[0].amount = 64
! json options[0].materials[0].total = 12.8e6 ± 1
! json options[0].materials[3].item = "racks of nodes"
! json options[0].materials[3].amount = null
! json options[0].materials[4].amount = 512
! json options[0].materials[5].item = "qm9700 (leaf)"
! json options[0].materials[5].amount = 16
! json options[0].materials[6].amount = 8
! json options[0].materials[6].total = 240e3 ± 1
! json options[0].materials[9].amount = 2048
$ orrery capacity llama-3-8b-8-h100 --tokens 1e12 --gpus 512 --global-batch 512 --materials '{"topology": "fat-tree", "nodes_per_rack": 4, "planes": 2}' --csv | head -6
> scenario,model,gpus,group,item,amount,unit,each_USD,total_USD,basis
> llama-3-8b-8-h100,,512,compute,dgx-h100 (node),64,,,,"64 for the run, 0 spare"
> llama-3-8b-8-h100,,512,compute,h100-sxm5-80gb in them,512,,,,512 of the run
> llama-3-8b-8-h100,,512,compute,spare nodes in them,0,,,,"the wait for a repair stays below 0.1 % of the time, or as given"
> llama-3-8b-8-h100,,512,compute,racks of nodes,16,,,,`materials.nodes_per_rack` 4
> llama-3-8b-8-h100,,512,network,network ports of hosts,512,,,,8 of 400 Gb/s a host
$ orrery capacity llama-3-8b-8-h100 --tokens 1e12 --materials dragonfly
! exit 2
! stderr error: --materials dragonfly: materials: found "dragonfly"; allowed: rail-optimised, fat-tree or rail-only

# A fleet: two trainings that take all of a pool; the one that is due first goes first, and the other is late.
$ cat > fleet.json
< {"name": "two", "pools": [{"name": "own", "cluster": {"node": "dgx-h100"}, "gpus": 64}],
<  "trainings": [
<   {"name": "later", "run": "llama-3-8b-8-h100", "set": {"training.global_batch": 256}, "goal": {"tokens": 1e11}, "gpus": [64], "deadline": "4 d"},
<   {"name": "first", "run": "llama-3-8b-8-h100", "set": {"training.global_batch": 256}, "goal": {"tokens": 1e11}, "gpus": [64], "deadline": "3 d"}]}
$ orrery capacity fleet.json --json
! exit 3
! json trainings[1].start_days = 0.0
! json trainings[1].late_days = 0.0
! json trainings[0].late_days > 0
! json exact = true
! json additions[0].gpus = 64
! json additions[0].needed_from_days = 0.0
$ sed 's/"trainings"/"prices": "market-2026", "trainings"/' fleet.json > priced.json
$ orrery capacity priced.json --json
! exit 3
! json additions[0].rent > 0
! json additions[0].purchase > 0
$ sed 's/"gpus": 64}/"gpus": 64, "rent": "cheap"}/' fleet.json > rented.json
$ orrery capacity rented.json
! exit 2
! stderr /pools.*0.*rent: found/
$ orrery capacity fleet.json --deadline 3d
! exit 2
! stderr error: fleet.json: found a fleet beside options; allowed: the fleet alone

# One page, which ends on the winner and the command that shows it; --all has the rest.
$ orrery capacity llama-3-8b-8-h100 --tokens 1e12 > page.txt; grep -c "Under a power cap" page.txt; tail -4 page.txt
> 0
>
> answer            llama-3-8b-8-h100 with 8 GPUs: ... days, ...
> next              orrery estimate llama-3-8b-8-h100 ...
> all tables        --all: ...
! exit 0
$ orrery capacity llama-3-8b-8-h100 --tokens 1e12 --all | grep -c "Under a power cap"
> 1

# Where every size draws too much for a limit of power, the smallest is the nearest, not the largest.
$ orrery capacity --model gpt3-175b --node dgx-a100-80gb --tokens 300e9 --deadline 60d --power 50kW --sequence-length 2048 --global-batch 1536 --framework megatron-lm --json
! exit 3
! json options[0].gpus < 200
