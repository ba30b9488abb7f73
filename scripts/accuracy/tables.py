# SPDX-License-Identifier: Apache-2.0
"""Cells of text as Markdown tables, statistics of errors, and the tables that are a summary of `orrery validate`."""

import math


def decimals(x, digits):
    return f"{x:.{digits}f}"


def share(x):
    """3.7 %"""
    return decimals(100 * x, 1) + " %"


def signed_share(x):
    return ("" if x < 0 else "+") + share(x)


def change_text(kind, change):
    """How a fit changes a constant."""
    if kind == "offset":
        return ("" if change < 0 else "+") + decimals(change, 3)
    return ("excess × " if kind == "excess" else "× ") + decimals(math.exp(change), 3)


def markdown(table):
    """A table; its first row is the heading, its first column words."""
    lines = ["| " + " | ".join(cells) + " |" for cells in table]
    lines.insert(1, "| --- |" + " ---: |" * (len(table[0]) - 1))
    return "\n".join(lines) + "\n"


def section(title, table):
    return f"## {title}\n\n{markdown(table)}\n" if len(table) > 1 else ""


def quantile(values, q):
    """Interpolates between neighbours; 0 of nothing."""
    if not values:
        return 0
    values = sorted(values)
    at = q * (len(values) - 1)
    below = int(at)
    above = min(below + 1, len(values) - 1)
    return values[below] + (at - below) * (values[above] - values[below])


def median(errors):
    return quantile([abs(e) for e in errors], 0.5)


def p90(errors):
    return quantile([abs(e) for e in errors], 0.9)


def error_cells(e):
    if e["rows"] == 0:
        return [""] * 5
    return [share(e["median"]), share(e["p90"]), share(e["mean"]), signed_share(e["bias"]), share(e["within_10"])]


def time_table(report):
    table = [["step time", "rows", "refused", "median", "p90", "mean", "bias", "≤ 10 %", "form", "p90", "constant",
              "mean", "in 80 %"]]
    for s in report["summaries"]:
        if s["quantity"] != "step_time_s":
            continue
        form, constant = s["after_one_factor_per_source"], s["one_constant_per_source"]
        beside = [form["median"], form["p90"], constant["median"], constant["mean"], s["within_interval_80"]]
        table.append([s["scope"], str(s["error"]["rows"]), str(s["refused"]), *error_cells(s["error"]),
                      *([share(x) for x in beside] if s["error"]["rows"] else [""] * 5)])
    return table


def memory_table(report):
    table = [["peak memory", "rows", "refused", "median", "p90", "mean", "bias", "≤ 10 %"]]
    for s in report["summaries"]:
        if s["quantity"] == "peak_memory_gib":
            table.append([s["scope"], str(s["error"]["rows"]), str(s["refused"]), *error_cells(s["error"])])
    return table


def sweep_table(report):
    table = [["sweep", "rows", "Spearman", "regret of the pick", "of the best of three"]]
    for s in report["sweeps"]:
        table.append([f"{s['source']}: {s['sweep']}", str(s["rows"]), decimals(s["spearman"], 2), share(s["regret"]),
                      share(s["regret_of_three"])])
    return table


def refusal_table(report):
    table = [["row refused", "why"]]
    for r in report["rows"]:
        if "refused" in r:
            _, own, why = r["refused"].partition(f": {r['id']}: ")
            table.append([r["id"], why if own else r["refused"]])
    return table


def fit_words(f):
    return (f"Of {f['out_of_memory']} runs published as out of memory, {f['out_of_memory_seen']} are predicted not to "
            f"fit; of {f['ran']} that ran, {f['ran_but_predicted_not_to_fit']}.")


def fit_sentence(report):
    """The sentence on the fit of memory, for each protocol that leaves sources out."""
    f = report["memory_fit"]
    if "ran" in f:
        return fit_words(f)
    return " ".join(f"{protocol.capitalize()}: {fit_words(of)[0].lower()}{fit_words(of)[1:]}"
                    for protocol, of in f.items())
