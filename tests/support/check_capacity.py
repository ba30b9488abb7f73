#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recomputes the numbers of `orrery capacity` from one another, from its JSON alone.

Every option that fits: steps, days, GPU-hours, energy, money, checkpoints, data and the memory to
serve, then the order of the options. Prints how many numbers it computed again.

check_capacity.py ANSWER.json...
"""
import json
import math
import sys

checked = 0


def same(name, found, expected, tolerance=1e-9):
    global checked
    checked += 1
    assert math.isclose(found, expected, rel_tol=tolerance, abs_tol=1e-9), (name, found, expected)


def within(name, triple):
    global checked
    checked += 1
    assert triple[0] <= triple[1] <= triple[2], (name, triple)


def check_time(o):
    t, g = o["time"], o["goodput"]
    for p in t["phases"]:
        for side in range(3):
            same("days of a phase", p["days"][side], p["steps"] * p["step_time_s"][side] / 86400)
        a_step = p["tokens"] / p["steps"] / p["global_batch"]
        assert a_step <= t["tokens"], "a step trains on less than all"
    same("tokens", t["tokens"], sum(p["tokens"] for p in t["phases"]))
    for side in range(3):
        same("ideal days", t["ideal_days"][side], sum(p["days"][side] for p in t["phases"]))
    same("days", t["days"][1], sum(g["days_of"].values()))
    same("training", g["days_of"]["training"], t["ideal_days"][1] + g["stragglers_days"])
    same("effective", g["effective_training_time_ratio"], g["days_of"]["training"] / t["days"][1])
    same("hours", t["hours"], 24 * t["days"][1])
    same("GPU-hours", t["gpu_hours"], o["gpus_paid"] * t["hours"])
    within("range of days", t["days"])
    if g["mean_time_between_failures_h"]:
        same("failures", g["unexpected_failures"],
             24 * g["days_of"]["training"] / g["mean_time_between_failures_h"], 0.2)
        same("classes", sum(c["failures"] for c in g["classes"]), g["unexpected_failures"])


def check_checkpoint(o):
    c, needs = o["checkpoint"], o["needs"]
    same("bytes of a node", c["bytes_per_node"] * o["nodes"], c["bytes"])
    write = needs["storage_write_bytes_per_s"]
    if write is None:
        return
    every = needs["storage_write_every_s"]
    if c["mode"] == "synchronous":
        stall = c["bytes"] / write
        same("stall of 1 %", stall / (every + stall), 0.01, 1e-6)
    else:
        same("written within the interval", c["bytes"] / write, every)


def check_energy_and_money(o):
    e, c, hours = o["energy"], o["cost"], o["time"]["hours"]
    same("average power", e["average_mw"] * 1e3 * hours, e["facility_kwh"][1])
    assert e["average_mw"] <= e["peak_mw"] * (1 + 1e-9)
    within("range of energy", e["facility_kwh"])
    if c["total"] is None:
        assert c["why_blank"], "a blank without a reason"
        return
    assert not c["why_blank"]
    same("cost", c["total"], sum(v for v in c["parts"].values() if v is not None))
    same("a million tokens", c["per_million_tokens"], c["total"] / (o["time"]["tokens"] / 1e6))
    same("an EFLOP", c["per_eflop"], c["total"] / (o["time"]["model_flops"] / 1e18))
    same("a GPU-hour", c["per_gpu_hour"], c["total"] / o["time"]["gpu_hours"])
    within("range of cost", [c["range"][0], c["total"], c["range"][1]])


def check_data(o):
    d, tokens = o["data"], o["time"]["tokens"]
    same("all bytes", d["total_bytes"], d["dataset_bytes"] + d["kept_checkpoints_bytes"])
    assert d["token_ids_bytes"] / tokens in (2.0, 4.0), "ids of 2 or 4 bytes"
    replicas = d["token_ids_bytes"] / d["token_ids_bytes_per_replica"]
    same("replicas", replicas, round(replicas))
    for s in d["were_it_trained_on"]:
        same("rate of a node", s["bytes_per_s_per_node"] * o["nodes"], s["bytes_per_s"])
    n = o["needs"]
    if n["network_sent_bytes_per_s_per_node"] is not None:
        assert n["network_least_bytes_per_s_per_node"] <= n["network_has_bytes_per_s_per_node"]
    for i in o["inference"]:
        blocks = math.ceil(i["context"] / 16) * 16
        same("cache", i["cache_bytes"], i["batch"] * blocks * i["cache_bytes_per_token"])
        same("waste", i["cache_waste_bytes"], i["batch"] * 8 * i["cache_bytes_per_token"])
        same("8 bits", 2 * i["weights_8bit_bytes"], i["weights_16bit_bytes"])
        same("4 bits", 4 * i["weights_4bit_bytes"], i["weights_16bit_bytes"])
    m = o["memory"]
    assert m["peak_gib"] <= m["capacity_gib"] and 0 <= m["fit_probability"] <= 1


def check_order(j):
    fits = [i for i, o in enumerate(j["options"]) if o["status"] == "fits"]
    assert sorted(j["ranked"]) == fits, "every option that fits has a place"
    met = {i for r in j["requirements"] for i in r["met_by"]}
    key = {"time": lambda o: o["time"]["days"][1], "gpus": lambda o: o["gpus"],
           "energy": lambda o: o["energy"]["facility_kwh"][1]}.get(j["rank"])
    if key is None or met:
        return
    values = [key(j["options"][i]) for i in j["ranked"]]
    assert values == sorted(values), "the order is that of the rank"


def main():
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as f:
            j = json.load(f)
        for o in j["options"]:
            if o["status"] != "fits":
                assert o["reason"], "a refusal without a reason"
                continue
            check_time(o)
            check_checkpoint(o)
            check_energy_and_money(o)
            check_data(o)
        check_order(j)
    print(f"{checked} numbers computed again")


main()
