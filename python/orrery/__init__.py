# SPDX-License-Identifier: Apache-2.0
"""Predicts memory, step time and cost of training runs of large models.

    import orrery

    run = orrery.Run(model="llama-3-70b", node="dgx-h100", gpus=64, sequence_length=8192,
                     global_batch=128)
    e = run.estimate()
    e.step_time_s, e.memory.peak_gib, e.fit_probability
    run.search(where=["memory.peak_gib <= 72"]).winner()

Answers hold what `orrery COMMAND --json` prints, under the same names. Values are in SI units
unless their name says another (`peak_gib`). docs/python.md has a guide.
"""
from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from . import _engine
from ._answers import Estimate, Imported, Memory, Search, Simulation
from ._ask import Answer, as_file, ask, configure
from ._errors import Fault, InputError
from ._record import Record
from ._run import Run, load_hf
from ._session import Live, Session
from ._table import Table, sweep

__version__ = _engine.version()

__all__ = [
    "Answer",
    "Estimate",
    "Fault",
    "Imported",
    "InputError",
    "Live",
    "Memory",
    "Record",
    "Run",
    "Search",
    "Session",
    "Simulation",
    "Table",
    "ask",
    "calibrate",
    "collective",
    "commands",
    "compare",
    "configure",
    "diagnose",
    "import_file",
    "listing",
    "load_hf",
    "schema",
    "show",
    "sweep",
    "validate",
]

Path = str | os.PathLike[str]


def commands() -> tuple[str, ...]:
    """The commands that `ask` takes."""
    return tuple(_engine.commands())


def compare(*runs: Run | Path, **options: Any) -> Answer:
    """Two to eight runs side by side: what changed, what it did, sorted by effect."""
    return ask("compare", runs=[r._request() if isinstance(r, Run) else os.fspath(r) for r in runs],
               **options)


def collective(kind: str, **options: Any) -> Answer:
    """One collective over sizes: `collective("all-reduce", node="dgx-h100", gpus=64)`.

    `points` hold bytes, seconds, algbw and busbw in GB/s (10⁹ bytes).
    """
    return ask("collective", kind=kind, **options)


def validate(files: Sequence[Path] | None = None, **options: Any) -> Answer:
    """Predictions beside published, measured runs: those of `files`, or those shipped."""
    return ask("validate", files=files, **options)


def calibrate(action: str, files: Sequence[Path] = (), **options: Any) -> Answer:
    """Constants of a device fitted on measurements: `calibrate("fit", ["gemm.csv"], device=…)`.

    With `output="NAME"` the overlay is in the answer's `files`.
    """
    return ask("calibrate", action=action, files=files or None, **options)


def import_file(*paths: Path, **options: Any) -> Imported:
    """A run from files of another tool: scripts, logs, YAML, JSON, TOML, XML.

    Each is a path, or the text itself: of several lines, or of several words.
    Options: `format` (whose words), `assume` (["NAME=VALUE"]), and keys of the run.
    """
    if "format" in options:
        options["from"] = options.pop("format")
    texts = [as_file(p, f"text {i}" if i > 1 else "text") for i, p in enumerate(paths, 1)]
    answer = ask("import", file=texts, **options)
    assert isinstance(answer, Imported)
    return answer


def diagnose(log: Path, **options: Any) -> Answer:
    """Why a run is slow or out of memory: `diagnose("train.log", run="run.json")`.

    `log` is a path, or the text itself where it has more than one line. Options: the run, as
    `run` or by its keys.
    """
    return ask("diagnose", log=as_file(log), **options)


def listing(what: str = "") -> tuple[Record, ...]:
    """A list of what Orrery knows: `listing("models")`; without a word, the lists."""
    rows: tuple[Record, ...] = ask("list", what=what or None).rows
    return rows


def show(kind: str, name: str, **options: Any) -> Answer:
    """A model, node, device, framework or run as its file has it, and what follows from it."""
    return ask("show", kind=kind, name=name, **options)


def schema(name: str) -> dict[str, Any]:
    """JSON Schema (draft 7) of a kind of file: run, model, node, sweep, …"""
    return ask("schema", name=name).to_dict()


def __getattr__(name: str) -> Callable[..., Any]:
    # Plots when they are asked for, and commands that this file does not know yet.
    if name.startswith("plot_"):
        from . import plots

        return getattr(plots, name)  # type: ignore[no-any-return]
    if name.startswith("_") or name not in _engine.commands():
        raise AttributeError(f"module 'orrery' has no attribute {name!r}")
    return lambda **options: ask(name, **options)
