# The program with a GPU that is made up (tests/fake-gpu/fake_gpu.cpp): measure, fit, judge, use.
$ orrery calibrate measure --device h200-sxm-141gb --time 3600 -o h200.json && ls
> h200.json
$ orrery calibrate fit h200.json --device h200-sxm-141gb -o here.json --json
! json kinds[*].held_out.median <= 0.03
! json all.held_out.median < 0.02 < all.documents.median
! json here.json:changes.device.efficiency.gemm.bf16 / $ROOT/configs/hardware/devices/h200-sxm-141gb.json:efficiency.gemm.bf16 = 1.12 ± 0.02
! json here.json:changes.device.efficiency.launch ~ /^2/
# The fit finds the constants of the simulated machine.
$ orrery estimate llama-3-8b-8-h100 --set cluster.node=hgx-h200 --calibration here.json --json
! json rests_on[0] = {"part": "matrix products", "basis": "measured on this machine", "calibration": "here"}
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
$ ORRERY_FAKE_GPU=throw=3 orrery calibrate measure --device h200-sxm-141gb --time 1 -o t.json --quiet
! json len(t.json:measurements) > 20
! json len(t.json:left_out) = 2
! json t.json:left_out[0] ~ /^1 of the designed: .*: a product: made to fail$/
! json t.json:left_out[1] ~ /that the budget left no time for$/
# A budget that ends, and the same command again: what was measured stays, the rest follows.
$ orrery calibrate measure --device h200-sxm-141gb --time 1 -o s.json
! stderr that the budget left no time for; the same command goes on
$ ls s.json s.json.rows
> s.json
> s.json.rows
$ orrery calibrate measure --device h200-sxm-141gb --time 3600 -o s.json && ls s.json s.json.rows
! exit 2
> s.json
! stderr No such file
! json len(s.json:measurements) = 616
# Ctrl-C: 130, and what was measured is kept.
$ ORRERY_FAKE_GPU=stop=20 orrery calibrate measure --device h200-sxm-141gb --time 3600 -o c.json
! exit 130
! stderr 19 measured, 597 when it was stopped; the same command goes on
! json len(c.json:measurements) = 19
# Killed: no document, but rows; the work at hand is not tried again, the rest is measured.
$ ORRERY_FAKE_GPU=kill=30 orrery calibrate measure --device h200-sxm-141gb --time 3600 -o k.json || ls k.json*
> k.json.rows
! stderr ...
$ printf '{"launch": "emp' >> k.json.rows; orrery calibrate measure --device h200-sxm-141gb --time 1 -o k.json --quiet
! json len(k.json:measurements) > 40
! json len(k.json:left_out) = 2
! json k.json:left_out[0] ~ /that the budget left no time for$/
! json k.json:left_out[1] = "1 left out earlier: the program ended while it was measured"
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
