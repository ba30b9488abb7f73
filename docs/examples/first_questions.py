# SPDX-License-Identifier: Apache-2.0
"""A run, its step and memory, the best layout on the same GPUs, and a small grid."""
import orrery

run = orrery.Run(
    model="llama-3-8b", node="dgx-h100", gpus=64, sequence_length=8192, global_batch=256,
    framework="megatron-core",
)
e = run.estimate()
print(f"step {e.step_time_s:.2f} s, MFU {e.mfu:.1%}, {e.memory.peak_gib:.1f} GiB a GPU")

best = run.search(where="memory.peak_gib <= 72").winner()
print(f"best layout: {best}")
print(f"step {best.estimate().step_time_s:.2f} s")

table = orrery.sweep(run, {"gpus": [32, 64, 128], "tp": [1, 2]}, columns=["step_time_s", "mfu"])
for row in table.rows():
    print(f"{row['cluster.gpus']:4d} GPUs, tp {row['parallel.tp']}: {row['step_time_s']:.2f} s")
