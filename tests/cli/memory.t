$ orrery memory gpt3-175b-1024-a100
> GPT-3 175B: ...
> ...
> Memory of the fullest stage, 0
> ...
> Stages, in GiB; in flight: micro batches held, of all chunks
>   stage  weights  grads  optim  activ  recomp  transit  context  comms  frag   peak  in flight
>       0 ... 8
> ...
>       7 ... 1
> ...
$ orrery memory gpt3-175b-1024-a100 --csv | cut -d, -f1,3 | head -3
> stage,in_flight
> 0,8
> 1,7
$ orrery memory gpt3-175b-1024-a100 --recompute none --micro-batch 4 > /dev/null
! exit 3
