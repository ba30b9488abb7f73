# The shipped measurements: each point by a fit without it, within 8 % at the median, kind by kind.
$ orrery calibrate fit $ROOT/validation/measurements/gemm-a100-cublas-fp16.csv --device a100-sxm4-80gb -o o.json
> o: constants of a100-sxm4-80gb on 12 measurements, fitted on published runs
> ...
>   matrix products ...
> ...
>   device.efficiency.gemm.fp16 ...
> ...
$ orrery calibrate fit $ROOT/validation/measurements/gemm-a100-cublas-fp16.csv $ROOT/validation/measurements/attention-a100-flash-2.csv $ROOT/validation/measurements/all-reduce-a100*.json --node dgx-a100-80gb --json -o a.json --html a.html
! json kinds[*].name = ["attention", "collectives", "matrix products"]
! json kinds[*].points = [22, 53, 12]
! json kinds[*].held_out.median < 0.08
! json all.held_out.median < 0.06
! json kinds[2].saturating.median > kinds[2].held_out.median
$ orrery calibrate fit $ROOT/validation/measurements/all-reduce-gb200-partitions.json --node gb200-nvl72 -o never.json
! exit 2
! stderr all-reduce-gb200-partitions.json: collectives: found all-reduce over 12 on 3 nodes by ring; allowed: ranks that fill their nodes in order
# Attention alone.
$ orrery calibrate fit $ROOT/validation/measurements/attention-a100-flash-2.csv --device a100-sxm4-80gb -o at.json
> at: constants of a100-sxm4-80gb on 22 measurements, fitted on published runs
> ...
# Products by whole waves: the plain curve is worse.
$ grep -c '<svg' a.html
> 9
$ grep -c -e '<script' -e 'http://[^w]' a.html
> 0
! exit 1
# The overlay changes what it names, and says so.
$ orrery explain gpt3-175b-1024-a100 compute --calibration a.json --depth 12 | grep -q 'fitted on published runs: calibration'
$ orrery estimate gpt3-175b-1024-a100 --calibration a.json --json > with.json
! json inputs.cluster.calibration = "a.json"
! json rests_on[part="network: nvswitch"] = {"part": "network: nvswitch", "basis": "fitted on published runs", "calibration": "a"}
$ orrery collective all-reduce --node dgx-a100-80gb --gpus 8 --size 1MiB --calibration a.json --json > c.json
$ echo '{"run": "gpt3-175b-1024-a100", "axes": {"training.micro_batch": [1, 2]}, "columns": ["step_time_s"]}' > sweep.json
$ orrery sweep sweep.json --calibration a.json
! json .[0].step_time_s = with.json:step_time_s
# Every command that answers about a run or a cluster takes it and says what it rests on.
$ for c in estimate memory simulate comm search; do orrery $c gpt3-175b-1024-a100 --calibration a.json --set parallel.tp=8 --set parallel.pp=8 | grep -c 'rests on: .* (a)'; done
> 1
> 1
> 1
> 1
> 1
$ orrery explain gpt3-175b-1024-a100 step_time_s --calibration a.json | head -1
> rests on: matrix products fitted on published runs (a) · ...
$ orrery capacity gpt3-175b-1024-a100 --calibration a.json | grep 'rests on' | head -1
> ... (a) ...
$ orrery collective all-reduce --node dgx-a100-80gb --gpus 8 --size 1MiB --calibration a.json | head -1
> rests on: network: nvswitch fitted on published runs (a)
$ orrery sweep sweep.json --calibration a.json --csv | cut -d, -f5-7
> status,reason,calibration
> fits,,a (fitted on published runs)
> fits,,a (fitted on published runs)
$ orrery compare gpt3-175b-1024-a100 gpt3-175b-1024-a100 --calibration a.json | grep -c '^   rests on: .* (a)'
> 2
# Rows of another calibration under the same name are no rows of this sweep.
$ orrery sweep sweep.json --calibration a.json --csv | cut -d, -f1 | tail -1 > one; sed 's/"fp16": 0.9[0-9]*/"fp16": 0.5/' a.json > b.json; mv b.json a2.json; mkdir -p other; mv a2.json other/a.json; (cd other; orrery sweep ../sweep.json --calibration a.json --csv | cut -d, -f1 | tail -1) > two; cmp -s one two
! exit 1
$ orrery compare gpt3-175b-1024-a100 gpt3-175b-1024-a100 --calibration a.json --json | grep -c '"calibration": "a"'
> 4
$ orrery validate --calibration a.json | head -1
> rests on: a (fitted on published runs) over ... of ... rows, those of dgx-a100-80gb; the others on
$ orrery validate --calibration a.json --json > v1.json; orrery validate --json > v0.json; python3 -c 'import json; a, b = (json.load(open(f)) for f in ("v0.json", "v1.json")); print(json.dumps({"moved": sum(x.get("predicted") != y.get("predicted") for x, y in zip(a["rows"], b["rows"]))}))'
! json moved = v1.json:calibration.rows
! json v1.json:calibration.name = "a"
$ orrery validate --calibration a.json --fit
! exit 2
! stderr --calibration: give it without --fit
$ orrery validate --calibration no-such
! exit 2
! stderr orrery validate: --calibration: found the unknown calibration "no-such"
# Refused: another device, another node, cut off, falling, not a number.
$ orrery estimate llama-3-8b-8-h100 --calibration a.json
! exit 2
! stderr cluster.calibration: found a calibration of the device a100-sxm4-80gb; allowed: one of h100-sxm5-80gb, as this run has
$ orrery estimate gpt3-175b-1024-a100 --set cluster.node=jean-zay-a100-80gb --calibration a.json
! exit 2
! stderr a calibration of the node dgx-a100-80gb
$ head -c 400 a.json > cut.json; orrery estimate gpt3-175b-1024-a100 --calibration cut.json
! exit 2
! stderr cut.json: 
$ python3 -c 'import json; a = json.load(open("a.json")); m = [p for p in a["measured"] if p["what"] == "all-reduce over 8"]; m[-1]["us"] = 1.0; json.dump(a, open("falls.json", "w"))'
$ orrery estimate gpt3-175b-1024-a100 --calibration falls.json
! exit 2
! stderr falls.json: measured[86]: found less time for 
$ python3 -c 'import json; a = json.load(open("a.json")); a["changes"]["device"]["efficiency"]["gemm"]["fp16"] = 1.7; json.dump(a, open("much.json", "w"))'
$ orrery estimate gpt3-175b-1024-a100 --calibration much.json
! exit 2
! stderr much.json: changes.device.efficiency.gemm.fp16: found 1.7; 
$ sed 's/"fp16": 0.9[0-9]*/"fp16": NaN/' a.json > nan.json; orrery estimate gpt3-175b-1024-a100 --calibration nan.json
! exit 2
! stderr nan.json: found parse error
# It is constants of efficiency and links, not what the machine is.
$ for change in '{"name": "h100-sxm5-80gb"}' '{"memory_capacity": "800 GiB"}' '{"peak": {"fp16": "1e30 FLOP/s"}}' '{"efficiency": 3}'; do python3 -c 'import json, sys; a = json.load(open("a.json")); a["changes"] = {"device": json.loads(sys.argv[1])}; a["spread"] = {}; json.dump(a, open("other.json", "w"))' "$change"; orrery estimate gpt3-175b-1024-a100 --calibration other.json 2>&1 | sed 's/; allowed.*//'; done
> error: other.json: changes: found a change of device.name
> error: other.json: changes: found a change of device.memory_capacity
> error: other.json: changes: found a change of device.peak.fp16
> error: other.json: changes: found a change of device.efficiency
$ orrery estimate gpt3-175b-1024-a100 --calibration no-such
! exit 2
! stderr found the unknown calibration "no-such"
$ orrery calibrate fit $ROOT/validation/measurements/all-reduce-h200x8.json --device h200-sxm-141gb
! exit 2
! stderr orrery calibrate: collectives are fitted to a node's tiers: give --node
$ orrery calibrate fit $ROOT/validation/measurements/gemm-a100-cublas-fp16.csv --device h100-sxm5-80gb
! exit 2
! stderr gemm-a100-cublas-fp16.csv: device: found measurements of a100-sxm4-80gb; allowed: those of h100-sxm5-80gb
# Files of other tools, in their own columns.
$ orrery calibrate fit $ROOT/tests/exchange/data/nccl-tests.txt --node dgx-a100-80gb -o n.json
> n: constants of a100-sxm4-80gb on 16 measurements, measured on this machine
> ...
$ orrery calibrate fit $ROOT/tests/exchange/data/nsys-gpu-trace.csv --device h100-sxm5-80gb -o h.json
> h: constants of h100-sxm5-80gb on 4 measurements, measured on this machine
> ...
$ orrery calibrate fit $ROOT/tests/exchange/data/nsys-kern-sum.csv --device h100-sxm5-80gb
! exit 2
! stderr found a summary of kernels, which have no shapes in it
# A trace of PyTorch's profiler, packed too; what the forms cannot use is named.
$ orrery calibrate fit $ROOT/tests/exchange/data/kineto-trace.json --node dgx-h100 -o k.json
> k: constants of h100-sxm5-80gb on 14 measurements, measured on this machine
> ...
>     left out: 5 kernels of aten::add_
> ...
! json k.json:provenance.hardware = "NVIDIA H100 80GB HBM3"
$ gzip -c $ROOT/tests/exchange/data/kineto-trace.json > t.json.gz; orrery calibrate fit t.json.gz --node dgx-h100 -o kz.json > kz.txt
! json kz.json:changes = k.json:changes
$ head -c 2000 t.json.gz > cut.gz; orrery calibrate fit cut.gz --node dgx-h100
! exit 2
! stderr cut.gz: found a gzip file that is cut off or broken
$ orrery calibrate fit $ROOT/tests/exchange/data/kineto-trace.json --node hgx-h200
! exit 2
! stderr kineto-trace.json: GPU: found times of NVIDIA H100 80GB HBM3; allowed: those of h200-sxm-141gb
$ sed 's/NVIDIA H100 80GB HBM3/NVIDIA H101/' $ROOT/tests/exchange/data/kineto-trace.json > h101.json; orrery calibrate fit h101.json --node hgx-h200 2>&1 > /dev/null
> warning: h101.json: times of the GPU NVIDIA H101, fitted to h200-sxm-141gb
$ orrery calibrate fit h101.json --node dgx-a100-80gb
! exit 2
! stderr bf16 products of 8192 × 14336 × 4096: found 722 TFLOP/s; allowed: at most the peak of a100-sxm4-80gb, 312 TFLOP/s
# Tables and a trace that PyTorch 1.13 printed on a machine without a GPU.
$ for f in torch-profile-cpu.txt torch-trace-no-kineto.json; do orrery calibrate fit $ROOT/tests/exchange/data/$f --device h100-sxm5-80gb --dtype fp32 2>&1 | sed 's/; allowed.*//; s/.*found/found/'; done
> found no column "Self CUDA": a profile of the CPU alone
> found a trace of a PyTorch without Kineto, which has no shapes
# Without a GPU: one line, exit code 3.
$ orrery calibrate measure --device h100-sxm5-80gb
> no GPU to measure: ...
! exit 3
$ orrery calibrate measure --device h100-sxm5-80gb -o measured.json
> no GPU to measure: ...
! exit 3
$ ls measured.json* 2> /dev/null
! exit 2
$ orrery calibrate check --calibration a.json
> no GPU to measure: ...
! exit 3
# Other curves of the same machine hold; the same machine at 0.7 of its rate does not.
$ orrery calibrate check $ROOT/validation/measurements/all-reduce-a100x4-vtrain.json --calibration a.json
> a still holds
> ...
$ awk -F, '/^[0-9]/{print $1","$2","$3","$4","$5*0.7; next}{print}' $ROOT/validation/measurements/gemm-a100-cublas-fp16.csv > slow.csv
$ orrery calibrate check slow.csv --calibration a.json
> a does not hold any more: measure and fit anew
> ...
! exit 3
$ printf 'kernel,bytes,us\ncopy,1e8,60\ncopy,4e8,240\n' > copies.csv; orrery calibrate check copies.csv --calibration a.json
! exit 2
! stderr found measurements of memory-bound kernels alone; allowed: of what a was fitted on: attention, collectives or matrix products
# The basis of an estimate, and a training log beside it.
$ orrery estimate gpt3-175b-1024-a100 --calibration a.json | grep -A2 '^rests on'
> rests on: matrix products ...
> ...
$ orrery estimate llama-3-8b-8-h100 --against $ROOT/docs/examples/megatron.log | grep 'another run'
> The log is of another run: no causes are weighed
# A log of another run explains nothing, and sets no level.
$ printf '  seq_length ........... 4096\n x | elapsed time per iteration (ms): 24500.0 | global batch size:    64 |\n' > other.log
$ orrery estimate gpt3-175b-1024-a100 --against other.log | sed -n '/another run/,$p'
> The log is of another run: no causes are weighed
>   training.sequence_length 4096 in the log, 2048 here; training.global_batch 64 in the log, 1536
>   here
$ orrery estimate gpt3-175b-1024-a100 --observed other.log
! exit 2
! stderr /^error: other.log: found training.sequence_length 4096 in the log, 2048 here; allowed: a log of this run/
$ orrery estimate gpt3-175b-1024-a100 --against $ROOT/docs/examples/megatron.log
> GPT-3 175B: ...
> ...
> Against 3 steps of a log of Megatron-LM, their median
> ...
>   step ... 24.5 s ...
> ...
>   optimizer ... 260 ms ...
>   timers without a predicted term: forward-backward
>
> Why it differs
> ...
>   the estimate's own error ...
> ...
