# SPDX-License-Identifier: Apache-2.0
"""The bars of accuracy, validation/bars.json, and the accuracy that is reached.

A JSON array of {"name", "values", "command", "left", "tried", "decides"}. A value is {"of", "scope", "what", "reach",
"aim"}: `of` the report it is read from, "shipped" (constants as in configs/), "left out" (each source as if nobody had
seen it) or "collectives" (measured curves); `scope` the line of that report's summary, of "left out" after its
protocol, of "regret" the source whose sweeps are meant, of "collectives" all or the role of a file; `what` the
statistic; `reach` and `aim` fractions, at most, or two between which. `left` says what is left of the error, `tried`
what was tried and `decides` which measurement would tell what it is, by hand: the page prints them where a bar is
missed. A scope that can exist and has no row is no error: not every quantity is published.
"""

import difflib
import sys

from tables import decimals, markdown

PROTOCOLS = ("known stack: ", "unknown stack: ")
SCOPES = {"all", "nothing unknown", "something unknown", "global batch assumed", "repeats of other rows", "memory",
          "memory device", "memory reserved", "memory allocated", "three rows of the source observed, tier A",
          "mean over sources", *(f"{scope}tier {tier}" for tier in "AB" for scope in ("", "mean over sources, "))}
ANY_ROWS = SCOPES | {protocol + scope for protocol in PROTOCOLS for scope in SCOPES}
STATISTICS = {"median": ("error", "median"), "p90": ("error", "p90"), "mean": ("error", "mean"),
              "form median": ("after_one_factor_per_source", "median"),
              "form p90": ("after_one_factor_per_source", "p90"),
              "form mean": ("after_one_factor_per_source", "mean")}
REGRETS = {"regret median": "median", "regret p90": "p90", "regret worst": "worst"}
OF_LAYOUTS = REGRETS.keys() | {"picks out of memory"}
OF_FITTING = {"out of memory seen", "ran and refused"}
STATES = ["no public row", "missed", "reach", "aim"]

LEGEND = """\
*Known stack*, *unknown stack*: each source is predicted as if nobody had seen it, with its framework known from other sources or without. *Form* is what is left after one factor a source. Where a bar speaks of runs that are kept elsewhere, the public rows left out stand in for them. *aim* and *reach*: all numbers of the line are within it; *no public row*: nobody published what the line asks for.

"""


def ends(value, key):
    return value[key] if isinstance(value[key], list) else [0, value[key]]


def scopes(value, report):
    if value["of"] == "collectives":
        return set(report["errors"])
    if value["what"] == "regret":
        return {s["source"] for s in report["sweeps"]}
    return ANY_ROWS | {s["scope"] for s in report["summaries"]}


def check(bars, reports):
    """Ends the program where a scope is neither of the reports' rows nor one that any rows may have."""
    for bar in bars:
        for v in bar["values"]:
            known = scopes(v, reports[v["of"]])
            if v["scope"] not in known:
                near = difflib.get_close_matches(v["scope"], known, 1)
                sys.exit(f"validation/bars.json: {bar['name']}: found the unknown scope \"{v['scope']}\"" +
                         (f"; did you mean \"{near[0]}\"?" if near else ""))


def strictest_reach(bars, of, scope, what):
    """The least that any bar sets for it; None where none does."""
    reaches = [v["reach"] for b in bars for v in b["values"] if (v["of"], v["scope"], v["what"]) == (of, scope, what)]
    return min(reaches, default=None)


def by_protocol(counts, scope):
    """The counts of the protocol that the scope names ("left out"), or of all ("shipped")."""
    return next((counts[p.removesuffix(": ")] for p in PROTOCOLS if scope.startswith(p)), counts)


def of_layouts(what, regret):
    return regret["picks_out_of_memory"] / regret["sweeps"] if what == "picks out of memory" else regret[REGRETS[what]]


def of_fitting(what, runs):
    if what == "out of memory seen":
        return runs["out_of_memory_seen"] / runs["out_of_memory"]
    return runs["ran_but_predicted_not_to_fit"] / runs["ran"]


def value_of(v, reports):
    """None where the report has no such scope."""
    report = reports[v["of"]]
    if v["of"] == "collectives":
        return report["errors"][v["scope"]][v["what"]]
    if v["what"] == "regret":
        return max((s["regret"] for s in report["sweeps"] if s["source"] == v["scope"]), default=None)
    if v["what"] in OF_LAYOUTS:
        return of_layouts(v["what"], by_protocol(report["regret"], v["scope"]))
    if v["what"] in OF_FITTING:
        return of_fitting(v["what"], by_protocol(report["memory_fit"], v["scope"]))
    for s in report["summaries"]:
        if s["scope"] == v["scope"] and s["error"]["rows"] > 0:
            if v["what"] == "coverage":
                return s["within_interval_80"]
            group, statistic = STATISTICS[v["what"]]
            return s[group][statistic]
    return None


def reached(bar, reports):
    """The least that any of its values reaches; those that no row publishes say nothing."""
    states = []
    for v in bar["values"]:
        x = value_of(v, reports)
        if x is None:
            continue
        within = [key for key in ("aim", "reach") if ends(v, key)[0] <= x <= ends(v, key)[1]]
        states.append(STATES.index(within[0] if within else "missed"))
    return STATES[min(states, default=0)]


def limit_text(v, key):
    low, high = ends(v, key)
    if isinstance(v[key], list):
        return decimals(100 * low, 0) + "–" + decimals(100 * high, 0)
    return decimals(100 * high, 1 if high < 0.1 else 0)


def limits_text(bar, key):
    return " / ".join(limit_text(v, key) for v in bar["values"]) + " %"


def reached_text(bar, reports):
    values = [value_of(v, reports) for v in bar["values"]]
    return " / ".join("–" if x is None else decimals(100 * x, 1) for x in values) + " %"


def listed(title, lines):
    if not lines:
        return title + ": nothing is written of it.\n\n"
    return title + ":\n\n" + "".join(f"- {line}\n" for line in lines) + "\n"


def missed(bars, reports):
    return [b for b in bars if reached(b, reports) == "missed"]


def unexplained(bars, reports):
    return [b["name"] for b in missed(bars, reports) if not all(b.get(key) for key in ("left", "tried", "decides"))]


def page(bars, reports):
    """Every bar beside what is reached of it, and of each that is missed what is left of the error."""
    table = [["bar", "reach", "aim", "reached", "which is", "printed by"]]
    for b in bars:
        table.append([b["name"], limits_text(b, "reach"), limits_text(b, "aim"), reached_text(b, reports),
                      reached(b, reports), f"`{b['command']}`"])
    out = markdown(table) + "\n" + LEGEND
    parts = [f"### {b['name']}\n\nReached {reached_text(b, reports)}, to reach {limits_text(b, 'reach')}.\n\n" +
             listed("What is left", b.get("left")) + listed("What was tried", b.get("tried")) +
             listed("What would decide it", b.get("decides"))
             for b in missed(bars, reports)]
    return out + ("## What is missed, and why\n\n" + "".join(parts) if parts else "")
