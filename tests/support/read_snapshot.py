#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a memory snapshot with Python's pickle and replays it.

No address is taken twice, what is freed was there, the segment has what is left, and the most bytes
of each device are the peak that the simulation's JSON says of that stage.

read_snapshot.py SNAPSHOT ANSWER.json
"""
import json
import pickle
import sys


def replay(events):
    live, level, peak, last = {}, 0, 0, 0
    names = set()
    for e in events:
        assert e["time_us"] >= last, "time goes back"
        last = e["time_us"]
        if e["action"] == "alloc":
            assert e["addr"] not in live and e["size"] > 0
            live[e["addr"]] = e["size"]
            level += e["size"]
            names.add(e["frames"][0]["name"])
        elif e["action"] == "free_completed":
            assert live.pop(e["addr"]) == e["size"]
            level -= e["size"]
        peak = max(peak, level)
    return live, peak, names


def main():
    with open(sys.argv[1], "rb") as f:
        snapshot = pickle.load(f)
    with open(sys.argv[2], encoding="utf-8") as f:
        stages = json.load(f)["timeline"]["memory"]
    assert len(snapshot["device_traces"]) == len(stages) == len(snapshot["segments"])
    for events, segment, stage in zip(snapshot["device_traces"], snapshot["segments"], stages):
        live, peak, names = replay(events)
        assert abs(peak - stage["peak_gib"] * 2**30) <= 1, (peak, stage)
        left = {b["address"]: b["size"] for b in segment["blocks"]
                if b["state"] == "active_allocated"}
        assert left == live and segment["active_size"] == sum(live.values())
        assert sum(b["size"] for b in segment["blocks"]) == segment["total_size"]
        assert "weights" in names and any("forward of micro batch" in n for n in names), names
    print(f"{len(stages)} devices, {sum(map(len, snapshot['device_traces']))} events")


main()
