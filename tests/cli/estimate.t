# The first answer anybody sees: one screen that ends with the answer and the next command.
$ orrery estimate gpt3-175b-1024-a100
> GPT-3 175B: 174.6 B parameters, ...
> ...
> memory            fits: ... GiB of 79.3 GiB; probability of fitting ...
> step              ... s (80 % interval ... s to ... s, by ... published runs)
> ...
> holds             activations ... GiB, ...
> ...
> spends            compute ... %, ...
> ...
> Limit  kernels below the dense peak, ... of the step, ...
> ...
> Faster by one change
> ...
> answer            fits (over 99 %): ... of 79.3 GiB, ... s a step, MFU ... %
> next              orrery estimate gpt3-175b-1024-a100 --...
$ for r in gpt3-175b-1024-a100 bloom-176b-384-a100 llama-3-405b-16384-h100 mixtral-8x7b-64-h100; do test $(orrery estimate $r | wc -l) -le 30 || echo $r; done

# With --all every table. Numbers move with calibration; the shape of the page does not.
$ orrery estimate $ROOT/configs/runs/gpt3-175b-1024-a100.json --all
> GPT-3 175B: 174.6 B parameters, 96 layers of width 12,288, sequences of 2,048 tokens
> 1,024 GPUs a100-sxm4-80gb in 128 nodes dgx-a100-80gb, fp16, framework megatron-lm, states
>   adam-fp16-gradients-20
> tp 8 with sequence parallel · pp 8 by 1f1b · dp 16, ZeRO 1 · recompute selective · unfused attention
> a step is 1,536 sequences, 3.146 M tokens: 96 micro batches of 1 sequence on each of 16 replicas
>
> memory            fits: ... GiB of 79.3 GiB on the fullest stage; probability of fitting ...
> step              ... s (80 % interval ... s to ... s)
> accuracy          8 of 10 runs measure ... % less to ... % more than predicted: ... published runs
> ...
> speed             ... tokens/s (... to ...), ... tokens/s/GPU, ... sequences/s
> utilisation       MFU ... % (... % to ... %), HFU ... % (... % to ... %), megatron FLOPs:
> ...
> training          300 B tokens are 95,368 steps, ... days (... days to ... days) uninterrupted
>
> Memory of the fullest stage, 0
> ...
>   activations ... GiB ... %  ...
> ...
>   capacity           79.35 GiB  100.0 %  ...
>
> Time of the busiest stage, ...
>   compute ... s ... %  ...
> ...
>   tensor parallel ...
> ...
> Communication of one GPU of that stage in a step; what is sent once a step, of stage ..., which
>   finishes last
>   dimension  collective ...
>   tp         all-gather          8 ... nvswitch    ring
> ...
> Limit  kernels below the dense peak, ... of the step, ...
> ...
> Faster by one change
> ...
> Assumed ...
> ...

# A name finds the same file; flags and --set go over it.
$ orrery estimate gpt3-175b-1024-a100 --csv > by-name.csv
$ orrery estimate $ROOT/configs/runs/gpt3-175b-1024-a100.json --csv > by-path.csv
$ cmp by-name.csv by-path.csv
$ orrery estimate gpt3-175b-1024-a100 --recompute full --set training.tokens=1e12 | grep -E '^tp|^training'
> tp 8 with sequence parallel · pp 8 by 1f1b · dp 16, ZeRO 1 · recompute full · unfused attention
> training          1 T tokens are 317,892 steps, ... days (... days to ... days) uninterrupted
$ orrery estimate gpt3-175b-1024-a100 --set model.num_hidden_layers=48 | head -1
> GPT-3 175B: 87.64 B parameters, 48 layers of width 12,288, sequences of 2,048 tokens

# Flags alone say a run; so does standard input.
$ orrery estimate --model llama-3-8b --node dgx-h100 --gpus 64 --sequence-length 8192 --global-batch 256 | head -3
> Llama 3 8B: 8.03 B parameters, 32 layers of width 4,096, sequences of 8,192 tokens
> 64 GPUs h100-sxm5-80gb in 8 nodes dgx-h100, bf16, framework generic, states adam-mixed-16
> tp 1 · pp 1 · dp 64, ZeRO 1 · recompute ...
$ orrery estimate - --json < $ROOT/configs/runs/gpt3-175b-1024-a100.json | grep -c '^  "step_time_s"'
> 1

# The answer in a file is the answer on the screen, and `inputs` is a run file.
$ orrery estimate gpt3-175b-1024-a100 --json > screen.json
$ orrery estimate gpt3-175b-1024-a100 --json -o file.json
$ cmp screen.json file.json
$ python3 -c 'import json; json.dump(json.load(open("file.json"))["inputs"], open("inputs.json", "w"))'
$ orrery estimate inputs.json --csv | cmp - by-name.csv

# A run that does not fit is an answer: exit code 3, everything on stdout, with changes that help.
$ orrery estimate gpt3-175b-1024-a100 --pp 1 > answer.txt
! exit 3
$ grep -E '^memory|^step|^Limit|^What' answer.txt
> memory            does not fit: ... GiB of 79.3 GiB; probability of fitting ...
> step              ... s (80 % interval ... s to ... s, by ... published runs), if it had the
> Limit  memory: ... GiB > 79.3 GiB on stage 0, of which ... GiB
> What would fit
$ orrery estimate gpt3-175b-1024-a100 --pp 1 --json
! exit 3
! json feasible = false
! json len(reasons) = 1
! json memory.peak_gib > memory.capacity_gib
# The level of one's own stack, from its own steps: a file of runs, or a log of this run.
$ echo '[{"run": "gpt3-175b-1024-a100", "step_time": "30 s"}]' > own.json
$ orrery estimate $ROOT/configs/runs/gpt3-175b-1024-a100.json --observed own.json
> ...
> accuracy          ... more than predicted: this stack takes 1...
>                   of the time predicted, by 1 observed step time
> ...
$ printf ' iteration 9 | elapsed time per iteration (ms): 30000.0 | lr 1e-4\n' > train.log
$ orrery estimate $ROOT/configs/runs/gpt3-175b-1024-a100.json --observed train.log --json | grep -A4 '"stack"'
>     "stack": {
>       "factor": 1...,
>       "spread": 0...,
>       "steps": 1
>     }...
$ printf '[config.py:1000:print]   train_batch_size ............. 512\nCurrSamplesPerSec=71.3\n' > train.log
$ orrery estimate gpt3-175b-1024-a100 --observed train.log
! exit 2
! stderr train.log: found training.global_batch 512 in the log, 1536 here; allowed: a log of this run
$ printf 'time_per_iteration_ms: 21.5K | global_batch_size: 1.54K |\n' > train.log
$ orrery estimate gpt3-175b-1024-a100 --observed train.log --json | grep '"steps": 1$'
>       "steps": 1
$ echo 'loss 3.1' > train.log
$ orrery estimate gpt3-175b-1024-a100 --observed train.log
! exit 2
! stderr train.log: found no log of a training; allowed: lines of Megatron-LM
$ echo '[{"run": "gpt3-175b-1024-a100", "step_time": "30 GiB"}]' > own.json
$ orrery estimate gpt3-175b-1024-a100 --observed own.json
! exit 2
! stderr [0].step_time

# A profile of one vendor's software warns on another's devices, and so does one that inherits it.
$ for f in megatron-core hai-llm; do orrery estimate --model llama-3-8b --node mi300x-oam-8 --gpus 8 --sequence-length 8192 --global-batch 64 --framework $f --json | grep 'has its constants'; done
>     "framework megatron-core has its constants from devices of nvidia; this run is on a device of amd"...
>     "framework hai-llm has its constants from devices of nvidia; this run is on a device of amd"...
$ orrery estimate --model llama-3-8b --node dgx-h100 --gpus 8 --sequence-length 8192 --global-batch 64 --framework megatron-core-rocm --json | grep 'has its constants'
>     "framework megatron-core-rocm has its constants from devices of amd; this run is on a device of nvidia"...
$ orrery estimate --model llama-3-8b --node dgx-h100 --gpus 8 --sequence-length 8192 --global-batch 64 --framework megatron-core --json | grep -c 'has its constants'
! exit 1
> 0

# A rule is of several keys: the error names the flag that was given.
$ orrery estimate gpt3-175b-1024-a100 --pp 5
! exit 2
! stderr --pp 5: parallel.pp: found tp·cp·pp 40, gpus 1024; allowed: tp·cp·pp that divides gpus
$ orrery estimate gpt3-175b-1024-a100 --micro-batch 7
! exit 2
! stderr --micro-batch 7: training.micro_batch: found global_batch 1536, dp 16, micro_batch 7; allowed: a multiple
$ orrery estimate gpt3-175b-1024-a100 --set training.adapter.rank=8
! exit 2
! stderr training.adapter.kind: found nothing; allowed: this key is required, lora
$ orrery estimate gpt3-175b-1024-a100 --tp 1e12
! exit 2
! stderr --tp 1e12: parallel.tp: found 1e12;

$ orrery estimate gpt3-175b-1024-a100 --set "cluster.tiers.infiniband.bandwidth=400 Gbps"
! exit 2
! stderr --set cluster.tiers.infiniband.bandwidth=400 Gbps: cluster.tiers[1].bandwidth: found "400 Gbps";
$ orrery estimate gpt3-175b-1024-a100 --tp --pp 4
! exit 2
! stderr orrery estimate: found --tp without a value;

# Cached blocks fill the device: the answer says what is needed, not the capacity.
$ orrery estimate --model llama-3-8b --node dgx-h100 --gpus 8 --sequence-length 8192 --global-batch 64 --framework fsdp --recompute none --tp 4 --micro-batch 2 --all | grep -A 2 '^memory'
> memory            ...: ... GiB of 79.7 GiB on the fullest stage, the whole device: cached blocks
>                   fill it, which the allocator gives back; ... GiB are allocated, ... GiB needed;
>                   probability of fitting ...
$ orrery explain --model llama-3-8b --node dgx-h100 --gpus 8 --sequence-length 8192 --global-batch 64 --framework fsdp --recompute none --tp 4 --micro-batch 2 memory.peak_gib | grep '^the device'
> the device is full: cached blocks fill it, which the allocator gives back; ... GiB are allocated,

# No published run is on these cards, whatever NVIDIA calls their architecture.
$ for n in l40s-pcie rtx-a6000-pcie; do orrery estimate --model llama-3-8b --node $n --gpus 8 --sequence-length 4096 --global-batch 8 --framework fsdp --zero 3 --all | grep -o 'each predicted .*; none on [a-z0-9-]*'; done
> each predicted without its team; none on ada
> each predicted without its team; none on ampere-ga10x

# An advice's keys and values are those of a run file.
$ orrery estimate mixtral-8x7b-64-h100 --json
! json len(advice) > 0
! json "number" in type(advice[*].set[*])

# Every advice, typed as it stands, gives what it promised.
$ python3 $ROOT/tests/support/follow_advice.py 20
> 20 runs, ... advices followed

# A run that is tight gets the change that makes it sure as the next command, though a faster one that does not stands first.
$ orrery estimate --model llama-2-7b --node 5xV100 --framework fsdp --precision fp16 --sequence-length 512 --global-batch 40
> ...
> next              orrery estimate ...
>                   ... --states adam-8bit

# Before more GPUs: more of the host memory that nobody gave.
$ orrery estimate --model llama-3-8b --node 2x4090 --framework torchtitan --sequence-length 8192 --global-batch 2
! exit 3
> ...
> Remedy  a change that needs 119.7 GiB of a node's host memory, where 119.2 GiB are assumed, which
> ...
