# SPDX-License-Identifier: Apache-2.0
"""The answers of single commands: the types of what they hold, and what can be done with them.

The annotations are for editors and type checkers; a test holds them to real answers.
"""
from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from ._ask import Answer, asked
from ._record import Record

if TYPE_CHECKING:
    from ._run import Run


class Memory(Record):
    """Memory of the stage with the highest peak. Its parts sum to `peak_gib`."""

    __slots__ = ()
    peak_gib: float
    needed_gib: float
    filled_by_cached_blocks: bool
    capacity_gib: float
    weights_gib: float
    gradients_gib: float
    optimizer_gib: float
    activations_gib: float
    buffers_gib: float
    overhead_gib: float
    bytes_per_parameter: float
    peak_gib_80: tuple[float, float]
    fit_probability: float
    by_stage: tuple[Record, ...]
    lines: Record


class _OfRun(Answer):
    """An answer about one run."""

    __slots__ = ()

    @property
    def run(self) -> Run:
        """The run that was asked about."""
        from ._run import Run

        return Run._of_request(self._request)


class Estimate(_OfRun):
    """One training step: seconds, tokens a second, utilisation, memory and what they rest on."""

    __slots__ = ()
    feasible: bool
    reasons: tuple[str, ...]
    step_time_s: float
    samples_per_s: float
    tokens_per_s: float
    tokens_per_s_per_gpu: float
    model_tflops_per_gpu: float
    hardware_tflops_per_gpu: float
    mfu: float
    hfu: float
    breakdown_s: Record
    communication: tuple[Record, ...]
    interval_80: Record
    open: tuple[Record, ...]
    inputs: Record

    @property
    def memory(self) -> Memory:
        """Memory of the stage with the highest peak."""
        return Memory(self._data["memory"])

    @property
    def fit_probability(self) -> float:
        """The probability that the run fits in memory."""
        return self.memory.fit_probability

    def explain(self, metric: str = "step_time_s", **options: Any) -> Answer:
        """The formula, inputs and sources of one number: `explain("memory.optimizer_gib")`."""
        return self.run.explain(metric, **options)


class Simulation(Estimate):
    """One step played as events. It has the numbers of an estimate."""

    __slots__ = ()

    def _written(self, option: str, name: str, **options: Any) -> list[tuple[str, bytes]]:
        request = {**self._request, **options, option: name}
        files: list[tuple[str, bytes]] = asked(self._command, request)[2]
        return files

    def save_perfetto(self, path: str | os.PathLike[str], ranks: str = "") -> None:
        """Writes Chrome trace events, which ui.perfetto.dev opens; a path in .gz is compressed.

        `ranks` is "0,8,16-23" or "all"; without: the first rank of each stage.
        """
        options = {"trace_ranks": ranks} if ranks else {}
        _save(self._written("trace", os.fspath(path), **options))

    def passes(self) -> list[tuple[str, str, float, float]]:
        """The passes of each traced rank: rank, name (F0, B0, …), start and length in seconds."""
        ((_, text),) = self._written("trace", "trace.json")
        events = json.loads(text)["traceEvents"]
        ranks = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        return [
            (ranks[e["pid"]], e["name"], e["ts"] / 1e6, e["dur"] / 1e6)
            for e in events
            if e["ph"] == "X" and e["cat"] == "kernel"
        ]

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Writes the timeline as a page that stands alone."""
        _save(self._written("html", os.fspath(path)))

    def save_chakra(self, prefix: str | os.PathLike[str], ranks: str = "") -> None:
        """Writes Chakra execution traces PREFIX.RANK.et and their groups PREFIX.json."""
        options = {"trace_ranks": ranks} if ranks else {}
        _save(self._written("chakra", os.fspath(prefix), **options))


def _save(files: list[tuple[str, bytes]]) -> None:
    import gzip

    for name, content in files:
        with open(name, "wb") as file:
            file.write(gzip.compress(content, mtime=0) if name.endswith(".gz") else content)


class Search(_OfRun):
    """The best strategies, and why not the others."""

    __slots__ = ()
    feasible: bool
    candidates: int
    rejected: Record
    best: tuple[Record, ...]

    def winner(self, place: int = 0) -> Run:
        """The run with the strategy of that place; 0 is the best. Errors: IndexError.

        `dp` follows from the others, so that they can be changed further. A search over
        a step of reinforcement learning gives the whole run, with its placement.
        """
        found = self._data["best"][place]
        if "run" in found:
            from ._run import Run

            return Run(found["run"])
        strategy = found["strategy"]
        paths = {f"{part}.{key}": v for part, keys in strategy.items() for key, v in keys.items()}
        paths.pop("parallel.dp", None)
        return self.run.set(paths)


class Imported(Answer):
    """A run read from another tool's files, and what was assumed or not understood."""

    __slots__ = ()

    def to_run(self) -> Run:
        """The run that was read."""
        from ._run import Run

        return Run(self._data["run"])


class Explanation(_OfRun):
    """The formula of a number as a tree: `nodes` by their ids, `root` the id of the number."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from html import escape

        nodes = {node["id"]: node for node in self._data.get("nodes") or ()}
        if self._data.get("root") not in nodes:
            return super()._repr_html_()
        left = _MOST_BRANCHES

        def branch(number: Any, depth: int) -> str:
            nonlocal left
            left -= 1
            node = nodes[number]
            words = f"{escape(node.get('name') or 'sum')} <b>{_amount(node)}</b>"
            beside = [f"= {node['formula']}"] if node.get("formula") else []
            beside += [f"← {node['source']}"] if node.get("source") else []
            note = f" <small>{escape('; '.join(beside))}</small>" if beside else ""
            children = node.get("children") or ()
            if not children or left <= 0:
                return f"<div style='margin-left:1.2em'>{words}{note}</div>"
            inner = "".join(branch(child, depth + 1) for child in children)
            opened = " open" if depth < 2 else ""
            return (
                f"<details{opened} style='margin-left:1.2em'><summary>{words}{note}</summary>"
                f"{inner}</details>"
            )

        return f"<p>{escape(str(self._data.get('meaning', '')))}</p>{branch(self._data['root'], 0)}"


_MOST_BRANCHES = 400  # of a tree in a notebook; a shared term may be met often


def _amount(node: dict[str, Any]) -> str:
    from html import escape

    value = node["value"]
    number = f"{value:.6g}" if isinstance(value, float) else str(value)
    return escape(f"{number} {node.get('unit') or ''}".strip())


class Rows(Answer):
    """Lines of JSON: `rows`."""

    __slots__ = ()

    @staticmethod
    def _document(text: str) -> dict[str, Any]:
        return {"rows": [json.loads(line) for line in text.splitlines()]}


TYPES: dict[str, type[Answer]] = {
    "estimate": Estimate,
    "simulate": Simulation,
    "search": Search,
    "import": Imported,
    "sweep": Rows,
    "merge": Rows,
    "explain": Explanation,
    **{command: _OfRun for command in ("memory", "comm", "capacity", "limits")},
}
