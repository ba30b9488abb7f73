# SPDX-License-Identifier: Apache-2.0
"""Where the error sits: the rows of `orrery validate --json` taken apart by source, by part of the step, and by what
their source itself scatters by.

An error is predicted/measured − 1; the level of a source is its median predicted/measured, and form what is left
without it. Rows that count and are judged by time, or by memory.
"""

import json
import math

from tables import decimals, median, p90, quantile, share, signed_share

PART = 0.1  # of a step, for a row to say something of a part


def counts(row):
    """Nothing assumed, and no other row's run again."""
    return "assumed" not in row and "repeats" not in row


def time_error(row):
    if "published_step_time_s" not in row:
        return None
    return row["predicted"]["step_time_s"] / row["published_step_time_s"] - 1


def memory_error(row):
    return row.get("error", {}).get("peak_memory_gib")


def by_source(rows, tier):
    """Rows of the tier that count and are judged by time, by source in order of name."""
    by = {}
    for r in rows:
        if time_error(r) is not None and counts(r) and r["tier"] == tier:
            by.setdefault(r["source"], []).append(r)
    return {name: by[name] for name in sorted(by)}


def level_of(rows):
    return quantile([1 + time_error(r) for r in rows], 0.5)


def errors_over(rows, level):
    """With level 1, the errors themselves."""
    return [(1 + time_error(r)) / level - 1 for r in rows]


def p90_text(errors):
    return share(p90(errors)) if errors else ""


def source_table(rows, tier):
    """Each source's level and form, and the p90 of the tier without it."""
    by = by_source(rows, tier)
    table = [["source", "rows", "level", "median", "p90", "form p90", "p90 of all others"]]
    for name, of_source in by.items():
        level = level_of(of_source)
        errors = errors_over(of_source, 1)
        others = [e for other, rest in by.items() if other != name for e in errors_over(rest, 1)]
        table.append([name, str(len(of_source)), signed_share(level - 1), share(median(errors)), share(p90(errors)),
                      p90_text(errors_over(of_source, level)), p90_text(others)])
    return table


def level_sentence(rows, tier):
    """How much of the mean square of ln(predicted/measured) is the level of sources."""
    levels = everything = n = 0
    for of_source in by_source(rows, tier).values():
        logs = [math.log(1 + time_error(r)) for r in of_source]
        levels += (sum(logs) / len(logs)) ** 2 * len(logs)
        everything += sum(x * x for x in logs)
        n += len(logs)
    return (f"Root mean square of ln(predicted/measured) over {n} rows of tier {tier}: "
            f"{share(math.sqrt(everything / max(n, 1)))}; of its square, "
            f"{share(levels / everything if everything else 0)} is a factor common to all rows of a source, the rest "
            "differs inside sources.")


def part_table(rows, tier):
    """Rows in which a part of the step takes a tenth or more: what is left of their error inside their sources."""
    form = {}
    for of_source in by_source(rows, tier).values():
        level = level_of(of_source)
        for r in of_source:
            for term, seconds in r["predicted"]["breakdown_s"].items():
                errors = form.setdefault(term, [])
                if seconds >= r["predicted"]["step_time_s"] * PART:
                    errors.append((1 + time_error(r)) / level - 1)
    table = [["part of the step", "rows", "median", "p90", "bias"]]
    for term, errors in form.items():
        if errors:
            table.append([term, str(len(errors)), share(median(errors)), share(p90(errors)),
                          signed_share(quantile(errors, 0.5))])
    return table


def run_text(run):
    """The run of a row, without the model's name."""
    run = dict(run)
    if isinstance(run.get("model"), dict):
        run["model"] = {k: v for k, v in run["model"].items() if k not in ("name", "stated_parameters")}
    return json.dumps(run)


def repeat_table(rows, runs):
    """Runs that are the same to the letter, measured more than once. A number printed again is no second one."""
    by = {}
    for r in rows:
        if time_error(r) is not None:
            by.setdefault(run_text(runs[r["id"]]), []).append(r)
    table = []
    for same in by.values():
        times = sorted({r["published_step_time_s"] for r in same})
        if len(times) < 2:
            continue
        first = same[0]
        predicted = first["predicted"]["step_time_s"]
        table.append([first["id"], ", ".join(dict.fromkeys(r["source"] for r in same)),
                      ", ".join(decimals(t, 2) for t in times) + " s", signed_share(times[-1] / times[0] - 1),
                      signed_share(predicted / quantile(times, 0.5) - 1)])
    return [["run", "source", "measured", "longest over shortest", "predicted over their middle"], *sorted(table)]


def memory_source_table(rows):
    """Memory by source, and the p90 of all of it without the source."""
    by = {}
    for r in rows:
        if memory_error(r) is not None:
            by.setdefault(f"{r['source']}, {r['measured']['memory_kind']}", []).append(memory_error(r))
    table = [["memory", "rows", "median", "p90", "bias", "p90 of all others"]]
    for name in sorted(by):
        errors = by[name]
        others = [e for other, rest in by.items() if other != name for e in rest]
        table.append([name, str(len(errors)), share(median(errors)), share(p90(errors)),
                      signed_share(quantile(errors, 0.5)), p90_text(others)])
    return table
