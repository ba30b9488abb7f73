# Files that version 0.1.0 wrote or shipped are read, or refused with what to change: the winner of a
# search, an overlay of `calibrate fit`, a framework, a sweep, a plan, a device, rows of a sweep.
$ cp $ROOT/tests/cli/upgrade/* .
$ orrery estimate run.json --json
! json feasible = true
! json inputs.parallel.tp = 2
! json inputs.parallel.dp = 32
! json inputs.parallel.zero = 1
! json inputs.training.micro_batch = 2
$ orrery explain gpt3-175b-1024-a100 breakdown_s.compute --calibration overlay.json --depth 9 | grep -o 'efficiency.gemm.fp16  0.9842' | head -1
> efficiency.gemm.fp16  0.9842
$ orrery estimate llama-3-8b-8-h100 --framework framework.json | grep -c '^step'
> 1
$ orrery sweep sweep.json --csv | wc -l
> 25
$ orrery capacity plan.json | grep -A 1 '^Options' | cut -c1-60
> Options, the fastest first (by the upper end of its range)
> ...
$ orrery show device a100-sxm4-80gb --json | python3 -c 'import json, sys; d = json.load(sys.stdin)["document"]; d["efficiency"]["communication_slowdown"] = 0.7; d["sources"]["efficiency.communication_slowdown"] = "x"; json.dump(d, open("device.json", "w"))'
$ orrery show device device.json
! exit 2
! stderr error: device.json: efficiency.communication_slowdown: found a key of an earlier version; allowed: no such key here: it is a key of the framework now
$ orrery merge rows.jsonl
! exit 2
! stderr error: rows.jsonl: line 1: found a row without a checksum, as Orrery 0.1.0 wrote it; allowed: rows of `orrery sweep`, whole and unchanged
$ orrery sweep played-pipelines -o rows.jsonl
! exit 2
! stderr /found the sweep f25571ed0482673e.*allowed: rows of this sweep by this version of orrery, or a new file/
