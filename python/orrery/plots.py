# SPDX-License-Identifier: Apache-2.0
"""Pictures of answers by matplotlib, which must be installed.

Each function draws into `axes` (a new figure if there are none) and returns them, so that labels,
limits and styles are the caller's to change.
"""
from __future__ import annotations

from importlib import import_module
from typing import Any

from ._answers import Estimate, Search, Simulation
from ._run import path_of
from ._table import Table


# Words of `status` whose run fits as likely as not.
FITTING = ("fits", "likely", "tight")


def _axes(axes: Any) -> Any:
    if axes is not None:
        return axes
    return import_module("matplotlib.pyplot").subplots(layout="constrained")[1]


def plot_memory(estimate: Estimate, axes: Any = None) -> Any:
    """Memory of every pipeline stage in GiB, stacked by what fills it, and the device's capacity."""
    axes = _axes(axes)
    stages = estimate.memory.by_stage
    names = [str(stage.stage) for stage in stages]
    base = [0.0] * len(stages)
    for line in estimate.memory.lines:
        parts = [stage[line] for stage in stages]
        if any(parts):
            axes.bar(names, parts, bottom=base, label=line.removesuffix("_gib").replace("_", " "))
            base = [below + part for below, part in zip(base, parts)]
    axes.axhline(estimate.memory.capacity_gib, color="black", linestyle="--", label="capacity")
    axes.set(xlabel="pipeline stage", ylabel="GiB")
    axes.legend(fontsize="small")
    return axes


# One colour a kind of pass, as on the pages (chart.css); others take matplotlib's.
_PASS_COLOURS = {"F": "#1b6ca8", "B": "#d1495b", "I": "#d1495b", "W": "#b8860b", "R": "#6a4c93",
                 "update": "#2e8b57"}
_PASS_NAMES = {"F": "forward", "B": "backward", "I": "input gradient", "W": "weight gradient",
               "R": "recompute"}
_MOST_EDGES = 400  # passes that have a line between them
_ROW = 0.32  # inches of a rank


def plot_timeline(simulation: Simulation, axes: Any = None) -> Any:
    """The passes of the first rank of every stage over the seconds of one step, by kind of pass.

    A figure of its own is as high as its ranks need.
    """
    passes = simulation.passes()
    ranks = list(dict.fromkeys(rank for rank, *_ in passes))
    if axes is None:
        size = (11, max(2.5, 1.2 + _ROW * len(ranks)))
        axes = import_module("matplotlib.pyplot").subplots(layout="constrained", figsize=size)[1]
    row = {rank: i for i, rank in enumerate(ranks)}
    kinds: dict[str, list[tuple[int, float, float]]] = {}
    for rank, name, start, seconds in passes:
        kinds.setdefault(name.rstrip("0123456789."), []).append((row[rank], start, seconds))
    edge = {"edgecolor": "white", "linewidth": 0.3} if len(passes) <= _MOST_EDGES else {}
    for kind, of_kind in kinds.items():
        rows, starts, lengths = zip(*of_kind)
        axes.barh(rows, lengths, left=starts, height=0.8, label=_PASS_NAMES.get(kind, kind),
                  color=_PASS_COLOURS.get(kind), **edge)
    axes.set_yticks(range(len(ranks)), ranks, fontsize="small")
    axes.invert_yaxis()
    axes.margins(x=0)
    axes.set(xlabel="seconds")
    axes.legend(fontsize="small", loc="lower left", bbox_to_anchor=(0, 1), ncols=6, frameon=False)
    return axes


def plot_front(search: Search, axes: Any = None) -> Any:
    """The Pareto front over its first two aims. Errors: ValueError of a search without `pareto`."""
    if "pareto" not in search:
        raise ValueError("a search with pareto=[…] has a front")
    axes = _axes(axes)
    x, y = (next(iter(aim.values())) for aim in search.pareto.aims[:2])
    points = [layout["values"] for layout in search.pareto.front]
    axes.plot([p[0] for p in points], [p[1] for p in points], "o-")
    axes.set(xlabel=x, ylabel=y)
    return axes


def plot_sweep(
    table: Table, y: str, x: str | None = None, by: str | None = None, axes: Any = None
) -> Any:
    """A column over an axis of the sweep, a line for each value of `by`.

    `x` is the last axis and `by` the one before it where they are not given. Points that do not fit
    are hollow; points without a number are left out.
    """
    axes = _axes(axes)
    x = path_of(x) if x else table.axes[-1]
    others = [name for name in table.axes if name != x]
    by = path_of(by) if by else others[-1] if others else None
    for value in dict.fromkeys(table[by]) if by else (None,):
        rows = [r for r in table.rows() if r[y] is not None and (by is None or r[by] == value)]
        (line,) = axes.plot([r[x] for r in rows], [r[y] for r in rows], "-",
                            label=f"{by} {value}" if by else None)
        for fits in (True, False):
            marked = [r for r in rows if (r.get("status") in FITTING) == fits]
            axes.plot([r[x] for r in marked], [r[y] for r in marked], "o", color=line.get_color(),
                      fillstyle="full" if fits else "none")
    axes.set(xlabel=x, ylabel=y)
    if by:
        axes.legend(fontsize="small")
    return axes
