# An out-of-memory message alone: what it states, causes with a check and a mend, and the flags that are missing.
$ echo 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.25 GiB of which 1.16 GiB is free. Including non-PyTorch memory, this process has 78.06 GiB memory in use. Of the allocated memory 40.00 GiB is allocated by PyTorch, and 36.00 GiB is reserved by PyTorch but unallocated.' > oom.txt
$ orrery diagnose oom.txt
> read              PyTorch's out-of-memory error (CUDA)
> ...
>   asked for by the allocation that failed   2.00 GiB
> ...
> Causes, the likeliest first
>    ... %  the allocator's cache is in pieces (fragmentation)
> ...
> answer            the allocator's cache is in pieces (fragmentation) ...
> ...
> mend              PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True ...
> ...
> missing           the run itself, ...
> next              orrery diagnose oom.txt --model MODEL --node NODE --gpus N ...
> ...

$ cat oom.txt | orrery diagnose - --json
! json messages[0].kind = "device_out_of_memory"
! json messages[0].bytes.asked = 2147483648.0
! json messages[0].causes[0].mend ~ /expandable_segments/
! json sum(messages[0].causes[*].probability) <= 1.0001

# Beside a run, the tensor that failed is named by its size: 3.14 GiB is a rank's shard of 6.74 billion parameters in 4 bytes.
$ echo 'RuntimeError: CUDA out of memory. Tried to allocate 3.14 GiB (GPU 3; 31.74 GiB total capacity; 28.28 GiB already allocated; 1.16 GiB free; 29.48 GiB reserved in total by PyTorch)' > update.txt
$ orrery diagnose update.txt --model llama-2-7b --node dgx-1-v100-32gb --gpus 8 --framework deepspeed --zero 2 --sequence-length 1024 --global-batch 8 --precision fp16 --recompute full --json
! json messages[0].causes[0].what = "a temporary of the optimizer's update"
! json messages[0].causes[0].evidence ~ /3.14 GiB/
! json messages[0].predicted_bytes.allocated > 0

# A log beside its run: measured and predicted, causes, and the last lines.
$ echo 'step:  1  loss: 8.0  memory: 40.0GiB(50.31%)  tps: 4,000  tflops: 250.0  mfu: 25%' > titan.log
$ orrery diagnose titan.log --run llama-3-8b-8-h100
> read              a log of torchtitan, 1 step
> ...
> Against 1 step of a log of torchtitan
> ...
> Why it differs
> ...
> answer            measured ... s a step, predicted ... s; likeliest ...
> ...
> next              no change of the run explains it; a trace of one step ...
> ...

# nccl-tests' output, cut.
$ printf '……\n8589934592 2147483648 float sum -1 33620 255.50 479.06 0 33608 255.59 479.23 0\n' | orrery diagnose - --json
! json collectives[0].busbw = 479060000000.0

$ echo 'hello' | orrery diagnose -
! exit 2
! stderr /found nothing that says how a run went; allowed: a training log, an out-of-memory message/

$ orrery diagnose
! exit 2
! stderr /no text; allowed: FILE/

# nvidia-smi: GPUs that wait for others, and power at its limit.
$ printf '| NVIDIA-SMI 535.104.05  Driver Version: 535.104.05  CUDA Version: 12.2 |\n| N/A 38C P0 698W / 700W | 75032MiB / 81559MiB | 97%% Default |\n| N/A 35C P0 120W / 700W | 75032MiB / 81559MiB | 2%% Default |\n' | orrery diagnose - --json
! json messages[0].devices[1].load = 0.02
! json messages[0].causes[*].what = ["some GPUs wait for others", "power limits the clock"]
! json messages[0].causes[1].change = "--set 'cluster.power_cap=0.7 kW'"

# A profiler's trace: where the time of the GPU goes, and what it would be without what is lost.
$ echo '{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 0, "dur": 80, "args": {"device": 0, "stream": 7}}, {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "ts": 70, "dur": 30, "args": {"device": 0, "stream": 8}}, {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "ts": 0, "dur": 100}]}' > trace.json
$ orrery diagnose trace.json
> read              a profiler's trace (Kineto), 1 step
> ...
>   computing            80 us  80.0 %
>   communication alone  20 us  20.0 %
> ...
> answer            communication that no computing hides (100 % of what is lost): 20 % of the time:
> ...

$ orrery diagnose trace.json --run llama-3-8b-8-h100 --json
! json profile.exposed_communication_s = 2e-05 ± 1e-10
! json profile.causes[0].probability = 1.0
! json against.terms[0].measured = 0.0001 ± 1e-10

# A snapshot of PyTorch's allocator, as torch pickles it: the line that holds the peak.
$ python3 -c "import pickle; f = [{'filename': 'train.py', 'line': 7, 'name': 'step'}]; pickle.dump({'segments': [{'device': 0, 'address': 4096, 'total_size': 3 << 30, 'blocks': [{'size': 2 << 30, 'state': 'active_allocated', 'frames': f}, {'size': 1 << 30, 'state': 'inactive', 'frames': f}]}], 'device_traces': [[{'action': 'alloc', 'addr': 4096, 'size': 2 << 30, 'frames': f}, {'action': 'oom', 'size': 2 << 30, 'device_free': 0, 'frames': f}]]}, open('snapshot.pickle', 'wb'))"
$ orrery diagnose snapshot.pickle
> read              a snapshot of PyTorch's allocator, GPU 0
> ...
>   train.py:7 step              2.00 GiB       1
> ...

$ orrery diagnose snapshot.pickle --json
! json messages[0].bytes.largest_piece = 1073741824.0
! json messages[0].holders[0].bytes = 2147483648.0

# A text that is known and says nothing of speed or memory is refused by its name.
$ echo 'RuntimeError: CUDA error: an illegal memory access was encountered' > fault.txt
$ orrery diagnose fault.txt
! exit 2
! stderr /an illegal memory access, a fault of a kernel and no lack of memory/

# An engine that finds the device taken; a full /dev/shm.
$ echo 'ValueError: Free memory on device (67.24/79.25 GiB) on startup is less than desired GPU memory utilization (0.9, 71.33 GiB). Decrease GPU memory utilization.' > engine.txt
$ orrery diagnose engine.txt --json
! json messages[0].kind = "engine_out_of_memory"
! json messages[0].causes[0].evidence = "12.01 GiB of 79.25 GiB are taken"
$ echo "RuntimeError: DataLoader worker (pid 7) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory." > shm.txt
$ orrery diagnose shm.txt --json
! json messages[0].kind = "shared_memory"
! json messages[0].causes[0].mend ~ /shm-size/

# A program that XLA compiled needs more than the device has: no process beside it is to blame.
$ printf 'XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used 87.08G of 30.75G hbm. Exceeded hbm capacity by 56.33G.\n' > xla.txt
$ orrery diagnose xla.txt
> ...
> answer            the job needs more than the device holds (100 %): the compiled program needs 87.08
>                   GiB of 30.75 GiB
> ...

# DeepSpeed's launcher names the signal that ended a rank.
$ printf '[2023-05-30 06:01:05,101] [ERROR] [launch.py:434:sigkill_handler] exits with return code = -9\n' > launcher.txt
$ orrery diagnose launcher.txt
> ...

# A tie is answered as one, and the next command of a log of another length has that length.
$ echo 'CUDA out of memory. Tried to allocate 60.00 MiB. GPU 0 has a total capacty of 11.00 GiB of which 4.48 GiB is free. Of the allocated memory 5.19 GiB is allocated by PyTorch, and 283.84 MiB is reserved by PyTorch but unallocated.' > free.txt
$ orrery diagnose free.txt
> ...
> answer            undecided between two (48 % each): a limit keeps the free memory ...
> ...

$ printf ' iteration 71/ 100 | elapsed time per iteration (ms): 5470.0 | throughput per GPU (TFLOP/s/GPU): 238.7 | global batch size: 128 |\n iteration 72/ 100 | elapsed time per iteration (ms): 5470.0 | throughput per GPU (TFLOP/s/GPU): 238.7 | global batch size: 128 |\n' > mixtral.log
$ orrery diagnose mixtral.log --model mixtral-8x7b --node dgx-h100 --gpus 16 --sequence-length 4096 --global-batch 128
> ...
> answer            the log is of another run: its FLOP/s and its step are of about 250,000 tokens a
> ...
> next              orrery diagnose mixtral.log --model mixtral-8x7b --node dgx-h100 --gpus 16
>                   --global-batch 128 --sequence-length 2048

# A layout that nobody gave is asked for where the one that is assumed cannot fit.
$ orrery diagnose mixtral.log --model mixtral-8x7b --node dgx-h100 --gpus 16 --sequence-length 2048 --global-batch 128 --framework megatron-core
> ...
> next              orrery diagnose mixtral.log --model mixtral-8x7b --node dgx-h100 --gpus 16
> ...
>                   --ep N

# One GPU of several works.
$ printf '| NVIDIA-SMI 410.78 |\n| N/A 43C P0 61W / 250W | 11151MiB / 22919MiB | 99%% Default |\n| N/A 38C P0 50W / 250W | 703MiB / 22919MiB | 0%% Default |\n' | orrery diagnose - --json
! json messages[0].causes[*].what = ["one of 2 GPUs works: a script that uses one, or DataParallel"]

# A log of speed alone has a verdict.
$ printf 'iter 1: loss 4.0, time 561.9ms\niter 2: loss 4.0, time 562.3ms\niter 3: loss 4.0, time 561.8ms\niter 4: loss 4.0, time 562.0ms\n' | orrery diagnose -
> ...
> answer            steady: no drift over 4 steps; whether that is fast needs the run
> ...

# A slow log of several nodes: the network that nobody gave, with the rate that explains the step.
$ printf 'step: 1 loss: 8.0 memory: 32.1GiB(40.4%%) tps: 800 tflops: 47.1 mfu: 4.7%%\nstep: 10 loss: 8.0 memory: 32.1GiB(40.4%%) tps: 2,320 tflops: 134.1 mfu: 13.5%%\nstep: 20 loss: 8.0 memory: 32.1GiB(40.4%%) tps: 2,320 tflops: 134.1 mfu: 13.5%%\n' > slow.log
$ orrery diagnose slow.log --model llama-3-8b --node 8xH100 --gpus 16 --framework torchtitan --sequence-length 8192 --global-batch 16
> ...
> answer            measured ... s a step, predicted ... s; likeliest (... %): a slow network (nobody
>                   gave one): ... GB/s of 400 GB/s a node
> check             NCCL_DEBUG=INFO: NET/Socket, which is TCP, in place of NET/IB (NCCL_IB_DISABLE,
> ...
>                   'cluster.tiers.infiniband.bandwidth=... GB/s'

# An out-of-memory error of a run whose recompute nobody gave: it is the cause, and full recompute is what is typed.
$ echo 'CUDA out of memory. Tried to allocate 1000.00 MiB (GPU 2; 15.57 GiB total capacity; 12.77 GiB already allocated; 793.38 MiB free; 14.55 GiB reserved in total by PyTorch)' > t4.txt
$ orrery diagnose t4.txt --model llama-2-7b --node 4xT4 --framework fsdp --qlora 8 --sequence-length 2048 --global-batch 4
> ...
> answer            activations are kept: nobody gave recompute (gradient checkpointing) ...
> ...
>                   training.adapter.rank=8 --recompute full

# An engine's own error gets the engine's settings.
$ echo 'RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 dummy requests. Please try lowering `max_num_seqs` or `gpu_memory_utilization` when initializing the engine.' > sampler.txt
$ orrery diagnose sampler.txt
> ...
> mend              vLLM: a smaller gpu_memory_utilization, ...
> ...
> next              what the mend above says, then the same run again: it is no setting of this run

# A log of reinforcement learning ends with an answer and the command that takes its lengths over.
$ printf 'step:1 - timing_s/step:150.0 - timing_s/gen:29.4 - timing_s/old_log_prob:21.1 - timing_s/ref:20.5 - timing_s/update_actor:77.0 - response_length/mean:288.7 - prompt_length/mean:103.0\n' > rl.log
$ orrery diagnose rl.log --model qwen2.5-7b --node 8xH100 --framework verl --rl grpo --prompts 64 --group 8 --prompt-length 300 --response-mean 1200
> ...
> answer            the step takes ... times what is predicted of other lengths
> next              orrery diagnose rl.log --model qwen2.5-7b --node 8xH100 --rl grpo --prompts 64
>                   --group 8 --framework verl --response-mean 289 --prompt-length 103

# Messages that people hold, one line each: read, or refused by name.
$ for m in 'RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED' 'RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED' 'RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling cublasCreate(handle)' 'torch.OutOfMemoryError: Allocation on device' 'MemoryError: Unable to allocate 12.1 GiB for an array' 'OSError: [Errno 12] Cannot allocate memory' 'RuntimeError: No executable batch size found, reached zero.' 'nrt.errors: NRT_RESOURCE (4): Failed to allocate 268435456 bytes on Neuron device' '[ONNXRuntimeError] : 6 : Failed to allocate memory for requested buffer of size 25165824' 'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 13000.00 MiB on device 0: cudaMalloc failed: out of memory' 'Warning: 3 CUDA memory allocation retries' 'RuntimeError: CUDA error: OS call failed or operation not supported on this OS'; do echo "$m" | orrery diagnose - --json | python3 -c 'import json,sys; d=json.load(sys.stdin); m=d["messages"][0]; print(m["kind"], len(m["causes"]) > 0)'; done
> outside_allocator True
> outside_allocator True
> outside_allocator True
> device_out_of_memory True
> host_out_of_memory True
> host_out_of_memory True
> device_out_of_memory True
> device_out_of_memory True
> device_out_of_memory True
> device_out_of_memory True
> allocator_flushes True
> host_out_of_memory True
$ echo 'triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 163840, Hardware limit: 101376.' | orrery diagnose -
! exit 2
! stderr /found a Triton kernel that needs more shared memory of a multiprocessor/

# DeepSpeed's state of the allocator alone names a cause, and nobody ended anything.
$ printf '[utils.py:801:see_memory_usage] MA 37.58 GB         Max_MA 42.1 GB         CA 45.6 GB         Max_CA 46 GB\n[utils.py:808:see_memory_usage] CPU Virtual Memory:  used = 188.2 GB, percent = 18.7%%\n' > state.txt; orrery diagnose state.txt > state.out; grep -c 'was ended' state.out; grep -c 'answer .*tensors hold it' state.out
> 0
> 1

# Unsloth's banner says the batch, its last lines the memory; ms-swift may print seconds a step.
$ printf '==((====))==  Unsloth - 2x faster free finetuning | Num GPUs used = 1\n   \\\\   /|    Num examples = 51,760 | Num Epochs = 1 | Total steps = 60\nO^O/ \\_/ \\    Batch size per device = 2 | Gradient accumulation steps = 4\n\\        /    Data Parallel GPUs = 1 | Total batch size (2 x 4 x 1) = 8\n{"train_runtime": 466.4, "train_samples_per_second": 1.029, "train_steps_per_second": 0.129, "epoch": 0.01}\nPeak reserved memory = 7.08 GB.\n' > unsloth.txt; orrery diagnose unsloth.txt --model llama-3-8b --node 1xT4 --framework unsloth --qlora 16 --precision fp16 --sequence-length 2048 --global-batch 8 > unsloth.out; grep -c '7.08' unsloth.out
> 1
$ printf "{'loss': 0.91, 'learning_rate': 9.7e-05, 'memory(GiB)': 61.23, 'train_speed(s/it)': 19.5123, 'global_step/max_steps': '50/400'}\n{'loss': 0.90, 'learning_rate': 9.6e-05, 'memory(GiB)': 61.23, 'train_speed(s/it)': 19.4987, 'global_step/max_steps': '55/400'}\n" > swift.txt; orrery diagnose swift.txt --json > swift.json
! json swift.json:log.step_time_s = 19.5 ± 1 %

# Rows of nccl-tests need no model beside a node.
$ printf '#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n  1073741824     268435456     float     sum      -1   4412.1  243.36  425.89      0   4410.2  243.47  426.07      0\n' > rows.txt; orrery diagnose rows.txt --node 8xH100 --json
! json len(collectives) = 1

# Lengths that the run leaves open are the log's.
$ orrery diagnose rl.log --model qwen2.5-7b --node 8xH100 --framework verl --rl grpo --prompts 64 --group 8 | grep '^answers'
> answers           289 tokens in the mean
