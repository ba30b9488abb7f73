# SPDX-License-Identifier: Apache-2.0
"""Sweeps as columns."""
from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._ask import Progress, asked
from ._run import Run, path_of

if TYPE_CHECKING:  # it is slow to import
    from concurrent.futures import Executor

# Columns of a row that serve joining and checking.
_BOOKKEEPING = frozenset({"sweep", "points", "point", "checksum"})


class Table(Mapping[str, "tuple[Any, ...]"]):
    """Rows by their columns: `table["step_time_s"]` is a tuple of seconds, None where there is none.

    Columns are the settings, `status` (fits, likely, tight, unlikely,
    does not fit, illegal, nothing fits), `reason` and the
    numbers, under the names of the JSON answer. A number that depends on the step has the ends of
    its 80 % interval beside it: `tokens_per_s_low`, `tokens_per_s_high`.
    """

    __slots__ = ("_columns", "axes")
    _columns: dict[str, tuple[Any, ...]]
    axes: tuple[str, ...]

    def __init__(self, columns: Mapping[str, Sequence[Any]], axes: Sequence[str] = ()) -> None:
        object.__setattr__(self, "_columns", {k: tuple(v) for k, v in columns.items()})
        object.__setattr__(self, "axes", tuple(axes))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a table cannot be changed: {name}")

    def __getitem__(self, column: str) -> tuple[Any, ...]:
        return self._columns[column]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, (self._columns, self.axes)

    def __repr__(self) -> str:
        names = list(self._columns)
        more = f", … {len(names) - 8} more" if len(names) > 8 else ""
        return f"Table({self.row_count} rows: {', '.join(names[:8])}{more})"

    @property
    def row_count(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def rows(self) -> list[dict[str, Any]]:
        """The rows as dicts."""
        return [dict(zip(self._columns, row)) for row in zip(*self._columns.values())]

    def numpy(self, column: str) -> Any:
        """A column as an array of numpy; numbers are float64, NaN where there is none."""
        numpy = import_module("numpy")
        values = self[column]
        if all(v is None or isinstance(v, (int, float)) for v in values):
            return numpy.array([float("nan") if v is None else v for v in values])
        return numpy.array(values, dtype=object)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with a column a name."""
        return import_module("pandas").DataFrame(self._columns)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Writes the columns as CSV with a header."""
        import csv

        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(self._columns)
            writer.writerows(zip(*self._columns.values()))

    def _repr_html_(self) -> str:
        from html import escape

        def row(cells: Sequence[Any], tag: str) -> str:
            text = (f"<{tag}>{escape(_cell(c))}</{tag}>" for c in cells)
            return f"<tr>{''.join(text)}</tr>"

        shown = list(zip(*self._columns.values()))[:50]
        more = f"<p>{self.row_count} rows, 50 shown</p>" if self.row_count > len(shown) else ""
        body = "".join(row(cells, "td") for cells in shown)
        return f"<table>{row(list(self._columns), 'th')}{body}</table>{more}"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def sweep(
    run: Run | str | os.PathLike[str] | Mapping[str, Any],
    axes: Mapping[str, Any] | None = None,
    *,
    zip: Sequence[Mapping[str, Sequence[Any]]] = (),
    columns: Sequence[str] = (),
    answer: str = "estimate",
    jobs: int | None = None,
    executor: Executor | None = None,
    shards: int = 8,
    progress: Progress | None = None,
) -> Table:
    """One question over a grid: `sweep(run, {"parallel.tp": [1, 2, 4, 8], "gpus": [64, 128]})`.

    `axes` are keys of a run with their values: a list, or {"from", "to", "step" or "factor"}. The
    last changes fastest. Keys in an entry of `zip` change together. `answer` is estimate, memory,
    search or simulate; `columns` are the numbers to keep (all). `run` may also be a sweep's name
    or file; then there are no axes.

    With an `executor` of concurrent.futures (processes, or those of Dask, Ray, mpi4py) the grid is
    done in `shards` pieces there; the rows are the same. `progress(done, total)` counts points
    without one, shards with one.
    """
    document, given = _document(run, axes, zip, columns, answer)
    request: dict[str, Any] = {"sweep": document}
    if jobs is not None:
        request["jobs"] = jobs
    if executor is None:
        lines = _lines(asked("sweep", request, progress)[1])
    else:
        lines = _shared(request, executor, shards, progress)
    return _table([json.loads(line) for line in lines], given)


def _document(
    run: Any, axes: Any, together: Any, columns: Any, answer: str
) -> tuple[Any, tuple[set[str], tuple[str, ...]]]:
    if axes is None and not together:
        return (os.fspath(run) if isinstance(run, os.PathLike) else run), (set(), ())
    run = run if isinstance(run, Run) else Run(run)
    if run._observed:
        raise ValueError("a sweep takes a run without `observed`")
    own = {path_of(name): values for name, values in (axes or {}).items()}
    grouped = [{path_of(name): v for name, v in entry.items()} for entry in together]
    varied = [*own, *(path for entry in grouped for path in entry)]
    # The run's changes are axes of one value, in front.
    fixed = {path: [value] for path, value in run._changes.items() if path not in varied}
    document: dict[str, Any] = {"answer": answer, "axes": {**fixed, **own}}
    document["run"] = run._base if run._base is not None else {}
    if grouped:
        document["zip"] = grouped
    if columns:
        document["columns"] = list(columns)
    return document, (set(fixed), tuple(varied))


def _lines(text: str) -> list[str]:
    return text.splitlines()


def _shard(request: dict[str, Any], configured: dict[str, Any]) -> list[str]:
    from . import _ask

    if configured != _ask._settings:
        _ask.configure(**configured)
    return _lines(asked("sweep", request)[1])


def _shared(
    request: dict[str, Any], executor: Executor, shards: int, progress: Progress | None
) -> list[str]:
    """The rows of all shards in the order of the points: shard I has I, I+N, I+2N, …"""
    from . import _ask

    tasks = [
        executor.submit(_shard, {"jobs": 1, **request, "shard": f"{i}/{shards}"}, _ask._settings)
        for i in range(shards)
    ]
    parts: list[list[str]] = []
    try:
        for task in tasks:
            parts.append(task.result())
            if progress is not None:
                progress(len(parts), shards)
    except BaseException:
        for task in tasks:
            task.cancel()
        raise
    longest = max(len(part) for part in parts)
    return [part[i] for i in range(longest) for part in parts if i < len(part)]


# Rates, which are work over the step, and shares of a peak, which end at 1.
_RATES = ("samples_per_s", "tokens_per_s", "tokens_per_s_per_gpu", "model_tflops_per_gpu",
          "hardware_tflops_per_gpu", "mfu", "hfu")
_SHARES = frozenset({"mfu", "hfu"})
_LOW, _HIGH = "interval_80.low_s", "interval_80.high_s"


def _ends(row: Mapping[str, Any], name: str) -> tuple[float | None, float | None]:
    """The 80 % interval of a number of a row, from that of its step."""
    step, low, high = row.get("step_time_s"), row.get(_LOW), row.get(_HIGH)
    if name == "step_time_s":
        return low, high
    value = row.get(name)
    if step is None or low is None or high is None or value is None:
        return None, None
    least, most = value * step / high, value * step / low
    return (min(least, 1.0), min(most, 1.0)) if name in _SHARES else (least, most)


def _table(rows: list[dict[str, Any]], given: tuple[set[str], tuple[str, ...]]) -> Table:
    fixed, varied = given
    names = [k for k in (rows[0] if rows else ()) if k not in _BOOKKEEPING and k not in fixed]
    columns: dict[str, list[Any]] = {}
    has_interval = _LOW in names and _HIGH in names
    for name in names:
        columns[name] = [row.get(name) for row in rows]
        if has_interval and (name == "step_time_s" or (name in _RATES and "step_time_s" in names)):
            ends = [_ends(row, name) for row in rows]
            columns[f"{name}_low"] = [low for low, _ in ends]
            columns[f"{name}_high"] = [high for _, high in ends]
    return Table(columns, varied)
