# The program with a GPU that is made up (tests/fake-gpu/fake_gpu.cpp): measure, fit, judge, use.
$ orrery calibrate measure --device h200-sxm-141gb --time 3600 -o h200.json && ls
> h200.json
$ orrery calibrate fit h200.json --device h200-sxm-141gb -o here.json --json > fit.json
$ python3 -c 'import json; f = json.load(open("fit.json")); print([k["name"] for k in f["kinds"] if k["held_out"]["median"] > 0.03], f["all"]["held_out"]["median"] < 0.02 < f["all"]["documents"]["median"])'
> [] True
# The fit finds the constants of the simulated machine.
$ python3 -c 'import json, os; e = json.load(open("here.json"))["changes"]["device"]["efficiency"]; d = json.load(open(os.environ["ROOT"] + "/configs/hardware/devices/h200-sxm-141gb.json"))["efficiency"]; print(abs(e["gemm"]["bf16"] / d["gemm"]["bf16"] - 1.12) < 0.02, e["launch"])'
> True 2...
$ orrery estimate llama-3-8b-8-h100 --set cluster.node=hgx-h200 --calibration here.json --json | python3 -c 'import json, sys; print([(p["part"], p["basis"], p.get("calibration")) for p in json.load(sys.stdin)["rests_on"]][0])'
> ('matrix products', 'measured on this machine', 'here')
$ orrery calibrate check --calibration here.json --time 600
> here still holds
> ...
$ ORRERY_FAKE_GPU=slower=0.85 orrery calibrate check --calibration here.json --time 600
> here does not hold any more: measure and fit anew
> ...
! exit 3
$ ORRERY_FAKE_GPU=none orrery calibrate measure --device h200-sxm-141gb -o none.json; ls none.json*
> no GPU to measure: none was asked for
! exit 2
! stderr none.json
# A piece that fails is left out by name, and the rest goes on.
$ ORRERY_FAKE_GPU=throw=3 orrery calibrate measure --device h200-sxm-141gb --time 1 -o t.json --quiet; python3 -c 'import json; d = json.load(open("t.json")); print(len(d["measurements"]) > 20, d["left_out"])'
> True ['1 of the designed: ...: a product: made to fail', '... that the budget left no time for']
# A budget that ends, and the same command again: what was measured stays, the rest follows.
$ orrery calibrate measure --device h200-sxm-141gb --time 1 -o s.json
! stderr that the budget left no time for; the same command goes on
$ ls s.json s.json.rows
> s.json
> s.json.rows
$ orrery calibrate measure --device h200-sxm-141gb --time 3600 -o s.json && ls s.json s.json.rows; python3 -c 'import json; print(len(json.load(open("s.json"))["measurements"]))'
> s.json
> 616
! stderr No such file
# Ctrl-C: 130, and what was measured is kept.
$ ORRERY_FAKE_GPU=stop=20 orrery calibrate measure --device h200-sxm-141gb --time 3600 -o c.json
! exit 130
! stderr 19 measured, 597 when it was stopped; the same command goes on
$ python3 -c 'import json; print(len(json.load(open("c.json"))["measurements"]))'
> 19
# Killed: no document, but rows; the work at hand is not tried again, the rest is measured.
$ ORRERY_FAKE_GPU=kill=30 orrery calibrate measure --device h200-sxm-141gb --time 3600 -o k.json || ls k.json*
> k.json.rows
! stderr ...
$ printf '{"launch": "emp' >> k.json.rows; orrery calibrate measure --device h200-sxm-141gb --time 1 -o k.json --quiet; python3 -c 'import json; d = json.load(open("k.json")); print(len(d["measurements"]) > 40, d["left_out"])'
> True ['... that the budget left no time for', '1 left out earlier: the program ended while it was measured']
# A lost device: what there is, and 3.
$ ORRERY_FAKE_GPU=lost=40 orrery calibrate measure --device h200-sxm-141gb --time 3600 -o l.json
! exit 3
! stderr 39 measured, 576 after the device was lost; the same command goes on
# Rows of another machine, or that are none.
$ sed 's/driver 0/driver 1/' c.json.rows > o.json.rows; orrery calibrate measure --device h200-sxm-141gb -o o.json
! exit 2
! stderr o.json.rows: driver: found rows of driver 1; allowed: those of driver 0
$ echo '{"m": 1}' >> c.json.rows; orrery calibrate measure --device h200-sxm-141gb -o c.json
! exit 2
! stderr /c\.json\.rows:\d+: n: /
# The whole way by scripts/measure-gpu: measured, fitted, checked, judged, put into a tree.
$ export ORRERY=$(command -v orrery); $ROOT/scripts/measure-gpu measure $PWD/gpu --time 2 2> log; ls gpu
> h200-sxm-141gb-measured still holds
> no layer: scripts/measure-layer wants PyTorch and a GPU
> check.txt
> fit.txt
> measured.json
> measured.json.rows
> overlay.json
$ echo '{"model": "llama-3-8b", "sequence": 8192, "eager": {"forward_and_backward_us": 30000}}' > gpu/layer.json
$ export ORRERY=$(command -v orrery); $ROOT/scripts/measure-gpu judge $PWD/gpu --into $PWD/tree --name here
> held out, median ...
> ...
> matrix products ... %
> ...
> one layer of llama-3-8b, 8192 tokens, forward and backward
>   eager      measured     30000 us   documents ... us (... %)   calibration ... us (... %)
> wrote ...
$ find tree -type f | sort; cmp gpu/measured.json tree/validation/measurements/here.json
> tree/configs/hardware/calibrated/here.json
> tree/validation/measurements/here.json
