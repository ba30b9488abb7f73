#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recomputes the numbers of `orrery capacity` from one another, from its JSON alone.

Every option that fits: steps, days, failures, the parts of its time by the closed form, GPU-hours,
energy, money, checkpoints, data, the memory to serve and the ranges of the inputs' ranges; then the
order of the options, the front, the requirements and the rents that break even. With a page, the
numbers of its table of options as well. Prints how many numbers it computed again.

check_capacity.py ANSWER.json... [--page PAGE.html ANSWER.json]
"""
import html.parser
import json
import math
import re
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
    same("training", g["days_of"]["training"], t["ideal_days"][1])
    same("effective", g["effective_training_time_ratio"], g["days_of"]["training"] / t["days"][1])
    same("hours", t["hours"], 24 * t["days"][1])
    same("GPU-hours", t["gpu_hours"], o["gpus_paid"] * t["hours"])
    within("range of days", t["days"])
    check_failures(o)


def parts_of_time(rate, interval, stall, durable, detection, restart):
    """Seconds lost for each second of training, and failures (docs/capacity.md)."""
    if rate == 0:
        return {"checkpoints": stall / interval if interval else 0}, 0
    segment = math.expm1(rate * (interval + stall) + rate * durable) - math.expm1(rate * durable)
    again = math.expm1(rate * restart)
    parts = {"checkpoints": stall / interval,
             "lost_work": segment / (rate * interval) - 1 - stall / interval,
             "detection": segment * (1 + again) * detection / interval,
             "restart": segment * again / (rate * interval)}
    return parts, segment * (1 + again) / interval


def running_rate(g):
    """Failures a second of a job that runs: less the detections, and the planned stops."""
    mean = g["mean_time_between_failures_h"]
    if not mean:
        return 0
    stops = g["days_of"]["planned_stops"] + g["days_of"]["slow_nodes"]
    running = 1 - stops / sum(g["days_of"].values())
    return 1 / (3600 * mean * running - g["detection_s"])


def check_failures(o):
    g, c = o["goodput"], o["checkpoint"]
    training = g["days_of"]["training"] + g["days_of"]["stragglers"]
    mean = g["mean_time_between_failures_h"]
    rate = running_rate(g)
    same("training", training, sum(s["training_days"] for s in c["by_phase"] or [c]))
    lost, failures = {}, 0
    for s in c["by_phase"] or [c]:
        restart = g["restart_s"] - c["read_s"] + s["read_s"]
        parts, often = parts_of_time(rate, s["interval_s"], s["stall_s"],
                                     s["safe_after_s"] - s["stall_s"], g["detection_s"], restart)
        failures += often * s["training_days"] * 86400
        for name, share in parts.items():
            lost[name] = lost.get(name, 0) + share * s["training_days"]
    for name, days in lost.items():
        # Differences of nearly equal numbers: to a millionth of a day.
        assert math.isclose(g["days_of"][name], days, rel_tol=1e-6, abs_tol=1e-6), name
    if not mean:
        return
    same("failures", g["unexpected_failures"], failures)
    waits = g["days_of"]["waiting_for_spares"]
    stops = g["days_of"]["planned_stops"] + g["days_of"]["slow_nodes"]
    waited = waits / (o["time"]["days"][1] - stops)
    same("failures over the wall clock", g["unexpected_failures"] * mean,
         o["time"]["hours"] * (1 - waited))
    same("rate of all classes", sum(k["per_gpu_hour"] for k in g["classes"]) * o["gpus"], 1 / mean)
    lost = sum(g["days_of"][k] for k in ("detection", "restart", "lost_work"))
    for k in g["classes"]:
        share = k["per_gpu_hour"] * o["gpus"] * mean
        same("failures of a class", k["failures"], share * g["unexpected_failures"])
        same("days of a class", k["days"], share * lost)
    stall = c["stall_s"]
    same("Young", c["interval_young_s"], math.sqrt(2 * stall / rate))
    x = stall * rate / 2
    same("Daly", c["interval_daly_s"],
         1 / rate if x >= 1 else math.sqrt(2 * stall / rate) * (1 + math.sqrt(x) / 3 + x / 9) - stall)
    check_interval(o, 1 / (3600 * mean))


def check_policies(o):
    """Days under each policy, by the closed form at the head of src/capacity/goodput.h."""
    if len(o["checkpoint"]["by_phase"]) > 1:
        return
    g = o["goodput"]["days_of"]
    training = g["training"] + g["stragglers"]
    for p in o["recovery_policies"]:
        if not p["applies"] or not p["ends"]:
            continue
        r = p["recovery"]
        running, failures = running_under(r, p["detection_s"])
        waits = r["waiting_share"] / (1 - r["waiting_share"])
        whole = running * (1 + waits)
        away = r["covered_share"] * r["failures_per_s"] * r["replica_away_s"] / r["replicas"]
        whole *= 1 + away / (1 - away)
        whole *= 1 + r["stopped_share"]
        same("days under " + p["name"], p["days"], whole * training, 1e-6)
        same("failures under " + p["name"], p["unexpected_failures"], failures * training * 86400, 1e-6)
    best = o["recovery_advised"]
    if best:
        first = o["recovery_policies"][0]
        advised = next(p for p in o["recovery_policies"] if p["name"] == best["name"])
        same("days sooner", best["days_sooner"], first["days"] - advised["days"])
        if best["cheaper"] is not None:
            same("cheaper", best["cheaper"], first["cost"] - advised["cost"])


def running_under(r, detection):
    """Seconds for one of training without waits and stops, and failures in them."""
    mean = 1 / r["failures_per_s"] / (1 + r["stopped_share"])
    rate = 1 / (mean - detection)
    share, tau = r["covered_share"], r["interval_s"]
    copies = share * rate
    every = r["copies_every_s"]
    a_second = 1.0
    if copies and every:
        a_second = math.expm1(copies * (every + r["copy_stall_s"])) / (copies * every)
    others = rate - copies
    segment = tau * a_second + r["stall_s"]
    seconds = (math.exp(others * r["safe_after_stall_s"]) * math.expm1(others * segment)
               / (others * tau))
    again = (share * -math.expm1(-rate * r["covered_restart_s"])
             + (1 - share) * -math.expm1(-rate * r["restart_s"]))
    failures = seconds * rate / (1 - again)
    return seconds + failures * detection + failures / rate - seconds, failures


def check_spares(o):
    worth = o["goodput"]["spare_nodes_worth"]
    if not worth or worth["days_saved"] is None or worth["pay_back_days"] is None:
        return
    days = o["time"]["days"][1]
    spare_gpus = o["gpus_paid"] - o["gpus"]
    if o["cost"]["payment"] == "rent":
        same("spares pay back", worth["pay_back_days"],
             days * spare_gpus / o["gpus"] / (worth["days_saved"] / days))


def check_materials(o):
    lines = o.get("materials", [])
    for line in lines:
        if line["each"] is not None and line["amount"] is not None:
            same("price of a line", line["total"], line["each"] * line["amount"])
        assert line["basis"], "a line without how it is counted"


def normal_within(triple, limit):
    """The probability of a lognormal with this 80 % range to be at most the limit."""
    low, middle, high = triple
    if low == high:
        return float(middle <= limit)
    spread = abs(math.log((low if limit < middle else high) / middle)) / 1.2815515655446004
    return 0.5 * math.erfc(-math.log(limit / middle) / (spread * math.sqrt(2)))


NORMAL_80 = 1.2815515655446004


def deviations(triple):
    """The logarithm's, below and above the middle."""
    low, middle, high = triple
    return [abs(math.log(end / middle)) / NORMAL_80 for end in (low, high)]


def normal_up_to(x):
    return 0.5 * math.erfc(-x / math.sqrt(2))


def within_both(days, deadline, cost, budget):
    """Days and cost within their limits: the error of the days is in the cost too, prices have their own.

    Summed over the errors of prices w; for each the days must keep both what w leaves and the deadline.
    """
    least = min(normal_within(days, deadline), normal_within(cost, budget))
    if days[0] == days[2] or cost[0] == cost[2]:
        return normal_within(days, deadline) * normal_within(cost, budget)
    time = deviations(days)
    price = [math.sqrt(max(0, c * c - t * t)) for c, t in zip(deviations(cost), time)]
    if price == [0, 0]:
        return least
    late, left = math.log(deadline / days[1]), math.log(budget / cost[1])
    total, parts = 0, 4000
    for i in range(parts):
        w = -8 + 16 * (i + 0.5) / parts
        limit = min(late, left - price[w > 0] * w)
        chance = normal_up_to(limit / time[limit > 0])
        total += math.exp(-w * w / 2) / math.sqrt(2 * math.pi) * 16 / parts * chance
    return min(total, least)


def check_chance(o, requirements):
    found, limits = {}, {}
    for r in requirements:
        if r["deadline_days"] is not None:
            chance = normal_within(o["time"]["days"], r["deadline_days"])
            limits["deadline"] = min(r["deadline_days"], limits.get("deadline", math.inf))
            found["deadline"] = min(chance, found.get("deadline", 1))
        if r["budget"] is not None and o["cost"]["total"] is not None:
            low, high = o["cost"]["range"]
            limits["budget"] = min(r["budget"], limits.get("budget", math.inf))
            chance = normal_within([low, o["cost"]["total"], high], r["budget"])
            found["budget"] = min(chance, found.get("budget", 1))
    for name, chance in found.items():
        same("chance of the " + name, o["chance"][name], chance, 1e-4)
    both = min([1, *found.values()])
    if len(found) == 2:
        low, high = o["cost"]["range"]
        both = within_both(o["time"]["days"], limits["deadline"], [low, o["cost"]["total"], high],
                           limits["budget"])
    same("chance of all", o["chance"]["all"], o["chance"]["fits"] * both, 1e-3)


def check_interval(o, rate):
    c = o["checkpoint"]
    step = max(p["step_time_s"][1] for p in o["time"]["phases"])
    least = {"written": c["safe_after_s"] - 2 * c["stall_s"], "a step": step, "given": 0,
             "optimum": 0, "lost work": min(300, 0.02 / rate)}[c["interval_bound"]]
    assert c["interval_s"] >= least - step / 2, (c, least)
    if not c["by_phase"]:
        same("whole steps", c["interval_s"] / step, round(c["interval_s"] / step))


def ranged(middle, moves):
    """Ends of a range: logarithms of what each input moves, added in squares."""
    below = above = 0.0
    for at, ends in moves:
        for end in ends:
            if at <= 0 or end <= 0:
                continue
            log = math.log(end / at)
            if log < 0:
                below += log * log
            else:
                above += log * log
    return [middle * math.exp(-math.sqrt(below)), middle, middle * math.exp(math.sqrt(above))]


def check_ranges(o):
    known = [s for s in o["sensitivity"] if not s["what_if"]]
    played = o["goodput"]["simulated"]
    chance = (played["mean_days"], played["days_p10_p90"])
    days, kwh = o["time"]["days"], o["energy"]["facility_kwh"]
    for i, end in enumerate(ranged(days[1], [(days[1], s["days"]) for s in known] + [chance])):
        same("range of days", days[i], end)
    for i, end in enumerate(ranged(kwh[1], [(kwh[1], s["kwh"]) for s in known] + [chance])):
        same("range of energy", kwh[i], end)
    total = o["cost"]["total"]
    if total is None:
        return
    low, _, high = ranged(total, [(total, s["cost"]) for s in known] + [chance])
    same("least cost", o["cost"]["range"][0], low)
    same("most cost", o["cost"]["range"][1], high)


def check_checkpoint(o):
    c, needs = o["checkpoint"], o["needs"]
    same("bytes of a node", c["bytes_per_node"] * o["nodes"], c["bytes"])
    write = needs["storage_write_bytes_per_s"]
    if write is None:
        return
    every = needs["storage_write_every_s"]
    if c["mode"] == "synchronous":
        stall = c["bytes"] / write + c["overhead_s"]
        same("stall of 1 %", stall / (every + stall), 0.01, 1e-6)
    else:
        same("written within the interval", c["bytes"] / write, every)


def check_energy_and_money(o):
    e, c, hours = o["energy"], o["cost"], o["time"]["hours"]
    same("tokens a kWh", e["tokens_per_kwh"], o["time"]["tokens"] / e["facility_kwh"][1])
    same("tokens a day and MW", e["tokens_per_day_and_mw"],
         o["time"]["tokens"] / o["time"]["days"][1] / e["peak_mw"])
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
    check_rent(o)


def check_rent(o):
    for a in o["assumptions"]:
        price = re.fullmatch(r"([0-9.e+-]+) [A-Z]{3}/h", a["value"])
        if o["cost"]["payment"] == "rent" and "rent of a GPU" in a["what"] and price:
            same("rent", o["cost"]["parts"]["rent"], float(price[1]) * o["time"]["gpu_hours"])


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
    # Surer ones first, of those whose devices have measured runs.
    classes = [sum(j["options"][i]["chance"]["all"] < least for least in (0.8, 0.5))
               for i in j["ranked"] if i in met and len(j["requirements"]) == 1
               and not re.search("none on (?!more)", j["options"][i]["accuracy"])]
    assert classes == sorted(classes), "a surer option comes first"
    key = {"time": lambda o: o["time"]["days"][1], "gpus": lambda o: o["gpus"],
           "energy": lambda o: o["energy"]["facility_kwh"][1]}.get(j["rank"])
    if key is None or met:
        return
    values = [key(j["options"][i]) for i in j["ranked"]]
    assert values == sorted(values), "the order is that of the rank"


def misses(requirement, o):
    """Whether an option goes beyond a limit; None where it has no price for a budget."""
    end = 2 if requirement["sure"] else 1
    beyond = [(o["time"]["days"][end], requirement["deadline_days"]),
              (o["energy"]["peak_mw"], requirement["power_mw"])]
    cost = o["cost"]["range"][1] if requirement["sure"] and o["cost"]["range"] else o["cost"]["total"]
    if cost is not None:
        beyond.append((cost, requirement["budget"]))
    if any(limit is not None and value > limit for value, limit in beyond):
        return True
    return None if requirement["budget"] is not None and cost is None else False


def check_requirements(j):
    global checked
    for r in j["requirements"]:
        verdicts = {i: misses(r, j["options"][i]) for i in j["ranked"]}
        assert r["met_by"] == [i for i in j["ranked"] if verdicts[i] is False]
        assert r["met_but_for_a_missing_price"] == [i for i in j["ranked"] if verdicts[i] is None]
        found = r["met_by"] or r["met_but_for_a_missing_price"]
        assert (r["smallest"] is None) == (not found) and (r["nearest"] is None or not found)
        if found:
            sizes = [j["options"][i]["gpus"] for i in found]
            aim = min(sizes) if r["deadline_days"] is not None else max(sizes)
            assert j["options"][r["smallest"]]["gpus"] == aim
        checked += 1 + len(verdicts)


def check_front(j):
    global checked
    fits = [i for i, o in enumerate(j["options"]) if o["status"] == "fits"]
    priced = all(j["options"][i]["cost"]["total"] is not None for i in fits)

    def aims(i):
        o = j["options"][i]
        return (o["time"]["days"][1], o["cost"]["total"] if priced else 0,
                o["energy"]["facility_kwh"][1])

    front = [i for i in fits
             if not any(all(x <= y for x, y in zip(aims(k), aims(i))) and aims(k) != aims(i)
                        for k in fits)]
    assert j["pareto_front"] == front, (j["pareto_front"], front)
    checked += len(fits)
    for b in j["break_even_with_best"]:
        best = j["options"][j["ranked"][0]]["cost"]["total"]
        same("break even", b["rent_per_gpu_hour"],
             best / j["options"][b["option"]]["time"]["gpu_hours"])


class FirstTable(html.parser.HTMLParser):
    """The cells of the first table of a page, by row."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.inside, self.done = [], False, False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if self.done:
            return
        if tag == "tr":
            self.rows.append([])
        self.inside = tag in ("td", "th") or (self.inside and tag == "span")
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        self.inside = self.inside and tag not in ("td", "th")
        self.done = self.done or tag == "table"

    def handle_data(self, data):
        if self.inside and not self.done:
            self.rows[-1][-1] += data


def near(shown, exact, unit=1.0):
    """A printed number is the exact one to half its last digit."""
    global checked
    checked += 1
    text = shown.replace(",", "")
    digits = len(text.split(".")[1]) if "." in text else 0
    assert abs(float(text) - exact / unit) <= 0.5001 * 10.0 ** -digits, (shown, exact, unit)


UNITS = {"W": 1e-6, "kW": 1e-3, "MW": 1.0, "GW": 1e3, "kWh": 1.0, "MWh": 1e3, "GWh": 1e6,
         "": 1.0, "thousand ": 1e3, "million ": 1e6}


def check_page(page, j):
    head, *rows = FirstTable(page).rows
    assert len(rows) == len(j["ranked"]), "a row for each option"
    money = re.match(r"cost, (thousand |million |)", next(c for c in head if c.startswith("cost")))[1]
    for i, cells in zip(j["ranked"], rows):
        o, row = j["options"][i], dict(zip(head, cells))
        near(row["GPUs (paid)"].split(" ")[0], o["gpus"])
        near(row["MFU"].split(" ")[0], 100 * o["time"]["phases"][0]["mfu"])
        near(row["effective"].split(" ")[0], 100 * o["goodput"]["effective_training_time_ratio"])
        low, middle, high = o["time"]["days"]
        for shown, exact in zip(re.findall(r"[0-9.]+", row["days"]), (middle, low, high)):
            near(shown, exact)
        if o["cost"]["total"] is not None:
            ends = (o["cost"]["total"], *o["cost"]["range"])
            cost = next(c for h, c in row.items() if h.startswith("cost"))
            for shown, exact in zip(re.findall(r"[0-9.,]+[0-9]", cost), ends):
                near(shown, exact, UNITS[money])
        peak, unit = row["peak power"].split(" ")
        near(peak, o["energy"]["peak_mw"], UNITS[unit])
        energy, unit = row["energy"].split(" ")
        near(energy, o["energy"]["facility_kwh"][1], UNITS[unit])
        if o["energy"]["co2e_t"] is not None:
            near(row["t CO₂e"], o["energy"]["co2e_t"])


def check(j):
    for o in j["options"]:
        if o["status"] != "fits":
            assert o["reason"], "a refusal without a reason"
            continue
        check_time(o)
        check_checkpoint(o)
        check_energy_and_money(o)
        check_data(o)
        check_ranges(o)
        check_policies(o)
        check_spares(o)
        check_materials(o)
        check_chance(o, j["requirements"])
    check_order(j)
    check_requirements(j)
    check_front(j)


def loaded(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f) if path.endswith(".json") else f.read()


def main():
    paths = sys.argv[1:]
    if "--page" in paths:
        at = paths.index("--page")
        check_page(loaded(paths[at + 1]), loaded(paths[at + 2]))
        paths = paths[:at]
    for path in paths:
        check(loaded(path))
    print(f"{checked} numbers computed again")


main()
