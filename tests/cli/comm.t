# Every class of message, as text, CSV and JSON; totals are those of the estimate.
$ orrery comm gpt3-175b-1024-a100
> GPT-3 175B: ...
> ...
> Messages of one GPU of stage 7 in a step of 2... s; what is sent once a step, of stage ..., which
>   finishes last
>              collective      ranks ...
>   tp ...
> ...
>   pp         point-to-point ... direct
> ...
> By dimension
> ...
>   all ...
>
> By size: from this size up to twice it
> ...
$ orrery comm gpt3-175b-1024-a100 --json > c.json
! json keys(messages[0]) = "dimension collective group message_bytes count bytes_per_message bytes_per_gpu tier algorithm time_per_message_s time_s exposed_s algbw busbw operators"
$ orrery estimate gpt3-175b-1024-a100 --json
! json c.json:communication = communication
! json sum(c.json:messages[*].count) = sum(communication[*].count)
$ orrery comm gpt3-175b-1024-a100 --csv | cut -d, -f1-5 | head -3
> dimension,collective,ranks,message_bytes,count
> tp,all-reduce,8,8192,288
> tp,all-gather,8,50331648,7104
$ orrery comm --model gpt2 --node dgx-h100 --gpus 1 --sequence-length 1024 --global-batch 1
> GPT-2 124M: ...
> ...
> One GPU of stage 0 sends nothing in a step.
$ orrery comm gpt3-175b-1024-a100 --tp 4 --recompute none > /dev/null
! exit 3
$ orrery comm gpt3-175b-1024-a100 --tp 3
! exit 2
! stderr --tp 3: parallel.tp: found tp·cp·pp 24

# Beside a measured log, in both forms.
$ orrery comm gpt3-175b-1024-a100 --against $ROOT/docs/examples/comm-log.csv
> ...
> Against ...comm-log.csv, time of one message
>   operation          size  of          count  a step  steps  measured  predicted    error
>   all_reduce      8.19 kB  tp          2,880     288  10.00     48 us ...
> ...
>   in all, by the counts measured: ...
>
> Only predicted
> ...
>   dp  all-gather  5.65 GB       1 ...
>
> Only measured
> ...
>   broadcast  1.05 MB      3   95.5 us    10
> ...
$ orrery comm --model llama-3-8b --node dgx-h100 --gpus 64 --sequence-length 8192 --global-batch 64 --zero 3 --set framework=deepspeed --against $ROOT/docs/examples/comm-log-deepspeed.txt --json
! json against.form = "deepspeed"
! json against.matched[*].operation = ["all_gather_into_tensor", "all_gather_into_tensor", "reduce_scatter_tensor", "reduce_scatter_tensor"]
! json against.matched[*].steps = 20.0
! json against.matched[*].size_is = ["share of a rank", "share of a rank", "full buffer", "full buffer"]
! json against.only_predicted = []
! json against.only_measured[*].operation = ["all_reduce"]
$ printf 'operation,bytes,count,us\nall_reduce,8192,2880,-1\n' > bad.csv
$ orrery comm gpt3-175b-1024-a100 --against bad.csv
! exit 2
! stderr bad.csv: line 2: found us "-1"; allowed: a number above 0
$ orrery comm gpt3-175b-1024-a100 --against nowhere.csv
! exit 2
! stderr nowhere.csv

# A partition that is no level of ZeRO is said by its groups; a codec that no message passes is warned of.
$ orrery comm llama-3-70b-64-h100 --set 'parallel.partition={"weights":4,"gradients":2,"optimizer":1}' --set parallel.zero=null | tr -s ' \n' ' ' | grep -o 'dp 4, [^·]*optimizer over 1'
> dp 4, weights over 4, gradients over 2, optimizer over 1
$ orrery estimate llama-3-8b-8-h100 --set 'parallel.compression={"cp":{"ratio":2,"throughput":"unlimited","lossless":true},"dp":{"all-to-all":{"ratio":2,"throughput":"unlimited","lossless":true}}}' --json
! json warnings = ["compression of cp, dp all-to-all applies to nothing: this run sends none"]

# Rows of one operation and size both count; an unknown operation is refused.
$ printf '"operation",bytes,count,us\n"all_reduce",8192,10,48\nallreduce,8192,30,60\n' > log.csv
$ orrery comm gpt3-175b-1024-a100 --against log.csv | grep -c '  40  .*57 us'
> 1
$ printf 'operation,bytes,count,us\nal_reduce,8192,10,48\n' > log.csv
$ orrery comm gpt3-175b-1024-a100 --against log.csv
! exit 2
! stderr /line 2: found the unknown operation "al_reduce"; .*did you mean "all_reduce"/

# Beside another job on the same links: steps of both, in the mean and the tail of their phases.
$ orrery comm gpt3-175b-1024-a100 --beside llama-3-8b-8-h100 | grep -c 'this run\|llama-3-8b-8-h100'
> 3
$ orrery comm gpt3-175b-1024-a100 --beside gpt3-175b-1024-a100 --json
! json beside.own.mean_s > beside.own.alone_s
! json beside.own.worst_s <= beside.own.halved_s
! json beside.own.mean_s = beside.other.mean_s
# On one fabric jobs are placed by a policy, and share the uplinks of pods that hold nodes of both.
$ echo '{"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 128, "fabric": {"kind": "fat-tree", "pod": 8, "nodes": 32, "oversubscription": 16}}, "training": {"sequence_length": 4096, "global_batch": 512}, "parallel": {"tp": 8, "placement": {"policy": "spread"}}}' > spread.json
$ orrery comm spread.json --beside spread.json --json
! json beside.shared_pods = 4
! json beside.own.link_part = 0.5
! json beside.own.mean_s > beside.own.alone_s
$ sed 's/"spread"/"rail-aligned"/' spread.json > aligned.json; orrery comm aligned.json --beside aligned.json --json
! json beside.shared_pods = 0
! json beside.own.worst_s = beside.own.alone_s
$ sed 's/"policy": "spread"/"policy": "random", "seed": 7/' spread.json > random.json; orrery comm random.json --beside random.json | grep -c 'both share the uplinks of 4 pods'
> 1
$ orrery estimate spread.json --set 'parallel.placement={"policy": "spread", "seed": 7}'
! exit 2
! stderr /parallel.placement.seed: found 7; allowed: nothing: the policy is not random/
$ orrery estimate spread.json --set cluster.fabric=null --set 'parallel.placement={"policy": "spread"}'
! exit 2
! stderr /a policy where nodes have no pods; allowed: cluster.fabric beside it/
$ orrery comm spread.json --beside spread.json --set cluster.gpus=256
! exit 2
! stderr /--beside: found a job of 16 nodes; allowed: the 0 that this run leaves free/

# A checkpoint over the same network.
$ orrery comm llama-3-8b-8-h100 --gpus 64 --global-batch 128 --write-every '10 min' --storage selene --json
! json write.interval_s >= 600
! json write.link_part < 1
! json write.mean_s > write.alone_s
! json write.worst_s <= write.during_s
$ orrery comm llama-3-8b-8-h100 --write-every '10 min'
! exit 2
! stderr /--write-every: found no --storage/
$ orrery comm llama-3-8b-8-h100 --write-every soon --storage selene
! exit 2
! stderr /--write-every: found "soon"; allowed: a time: "30 min"/

$ orrery comm gpt3-175b-1024-a100 --beside nobody
! exit 2
! stderr /nobody: found no such run/
$ orrery comm gpt3-175b-1024-a100 --beside llama-3-8b-8-h100 --csv
! exit 2
! stderr /--beside: give it without --csv/
