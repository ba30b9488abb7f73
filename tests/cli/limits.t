# How far a run can go: each row's value, the layout there, what stops it; the last lines are the answer and the next command.
$ orrery limits llama-3-8b-8-h100
> Llama 3 8B: ...
> ...
> Limits, each alone, with a probability of fitting of 90 % or more; with a slower network or less
>   memory a step is at most 10 % longer than ... s
>   limit  ...
>   longest sequence  ... tokens ...
> ...
>     any layout  ... tokens ...
> ...
> answer            longest sequence: ... tokens, ...
> ...
> next              orrery estimate llama-3-8b-8-h100 --sequence-length ...
> ...

# The row names what to type, and an estimate with it fits as surely as was asked.
$ orrery limits llama-3-8b-8-h100 --of sequence_length,memory --keep-layout --json > limits.json
! json len(limits) = 2
! json limits[0].limit = "sequence_length"
! json limits[0].layout = "yours"
! json limits[0].path = "training.sequence_length"
! json limits[0].fit_probability >= 0.9
! json limits[0].peak_gib <= limits[0].capacity_gib
! json limits[1].unit = "GiB"
! json risk = 0.1
$ orrery estimate llama-3-8b-8-h100 $(python3 -c 'import json; print(json.load(open("limits.json"))["limits"][0]["type"])') --json
! json memory.fit_probability = limits.json:limits[0].fit_probability
! json step_time_s = limits.json:limits[0].step_time_s

# --risk is the probability that is accepted.
$ orrery limits llama-3-8b-8-h100 --of sequence_length --keep-layout --risk 0.5 --json > bold.json
! json limits[0].value > limits.json:limits[0].value
! json limits[0].fit_probability >= 0.5

# Beside the value that fits surely stands the one that fits as likely as not; any layout goes at
# least as far as the run's own.
$ orrery limits llama-3-8b-8-h100 --of sequence_length,memory --json > both.json
! json limits[0].even_value = bold.json:limits[0].value
! json limits[1].value >= limits[0].value
! json limits[3].value <= limits[2].value

# Two nodes: the network, and the price at which another node costs the same.
$ orrery limits llama-3-8b-8-h100 --gpus 16 --global-batch 32 --of network,price --versus hgx-h200 --within 5 --keep-layout --json
! json limits[0].value < 1
! json limits[0].step_time_s = base_step_time_s * 1.05 ± 0.01 %
! json limits[1].unit = "of this price"
! json versus = "hgx-h200"

# A question without an answer is an answer too, with exit code 3.
$ orrery limits llama-3-8b-8-h100 --of network
> ...
> answer            no value is within the limits; each row says why
> next              orrery search llama-3-8b-8-h100
! exit 3

$ orrery limits llama-3-8b-8-h100 --of price
! exit 2
! stderr /--of: found price without another node; allowed: --versus NODE beside it/

$ orrery limits llama-3-8b-8-h100 --of sequnce_length
! exit 2
! stderr /did you mean "sequence_length"\?/

# The command to type next holds the recompute that the limit was found with.
$ orrery limits --model llama-3.1-70b --node 8xA100 --qlora 8 --sequence-length 32768 --global-batch 8 --framework fsdp --of sequence_length --json
! json limits[0].set["parallel.recompute"] = "full"

# A value that needs more recompute than the run as it is says so.
$ orrery limits --model clip-vit-l-14 --node 1xA100-80GB --gpus 1 --global-batch 64 --framework hf-trainer --of micro_batch --keep-layout
> ...
>   largest micro batch: with recompute full; ...
> ...
> answer            largest micro batch: ...with recompute full...
> ...

# The longest sequence needs no length, and is the same whatever length stands in the question.
$ orrery limits --model llama-3-8b --node 8xH100 --global-batch 64 --framework fsdp --json > open.json
! stderr /warning: no --sequence-length: the longest one alone is asked/
! json len(limits) = 2
$ orrery limits --model llama-3-8b --node 8xH100 --global-batch 64 --framework fsdp --sequence-length 65536 --of sequence_length --json > long.json
! json limits[0].value = open.json:limits[0].value
! json limits[1].value = open.json:limits[1].value
! json limits[1].value > 65536
