# SPDX-License-Identifier: Apache-2.0
"""A training run, described; the questions that can be asked about it."""
from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _engine
from ._answers import Estimate, Search, Simulation
from ._ask import Answer, Progress, as_file, as_json, ask, asked
from ._errors import InputError

if TYPE_CHECKING:
    from ._rl import Rl

_flag_paths: dict[str, str] = {}
_roots: set[str] = set()


def _read_keys() -> None:
    for key in json.loads(asked("list", {"what": "keys"})[1]):
        if key["document"] != "run":
            continue
        _roots.add(key["path"].split(".")[0])
        if key["flag"]:
            _flag_paths[key["flag"].lstrip("-").replace("-", "_")] = key["path"]


def flag_paths() -> dict[str, str]:
    """Keys of a run that have a short name: {"tp": "parallel.tp", …}, from `orrery list keys`."""
    if not _flag_paths:
        _read_keys()
    return _flag_paths


def run_roots() -> set[str]:
    """Keys at the top of a run file: model, cluster, …"""
    if not _roots:
        _read_keys()
    return _roots


def path_of(name: str) -> str:
    """The path in a run file of a short name; a path stays. Errors: InputError."""
    if "." in name or name in run_roots():
        return name
    known = flag_paths()
    if name in known:
        return known[name]
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1)
    allowed = ", ".join(known)
    message = f"Run: found the key {name!r}; allowed: a path such as parallel.tp, or {allowed}"
    if near:
        message += f"; did you mean {near[0]!r}?"
    raise InputError(message, "unknown_key", "Run", name, name, allowed, near[0] if near else "")


def load_hf(config: Any) -> dict[str, Any]:
    """A Hugging Face config as the model of a run: `Run(model=load_hf(…), …)`.

    `config` is a config.json, the folder of one, a dict, or what `transformers.AutoConfig` gives.
    Errors: OSError, json.JSONDecodeError; what is not understood is said when the run is asked.
    """
    if isinstance(config, (str, os.PathLike)):
        path = os.fspath(config)
        if os.path.isdir(path):
            path = os.path.join(path, "config.json")
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    else:
        document = config if isinstance(config, Mapping) else config.to_dict()
    return dict(document)


class Run:
    """A training run. It never changes: `set` returns another.

        Run(model="llama-3-70b", node="dgx-h100", gpus=64, sequence_length=8192, global_batch=128)
        Run("gpt3-175b-1024-a100", tp=4)            a run by name
        Run("run.json")                             a run file
        Run({"model": …, "cluster": …, …})          what a run file holds

    Keys are the program's flags in snake_case, or paths of a run file (`**{"parallel.zero": 3}`).
    Values are SI numbers or texts with units ("400 Gb/s"). `observed` is the path of measured step
    times of your own, which set the level of the predictions. Errors: InputError for a key that
    no run has; a wrong value is refused when the run is asked.
    """

    __slots__ = ("_base", "_changes", "_observed")
    _base: Any
    _changes: dict[str, Any]
    _observed: Any

    def __init__(
        self,
        base: str | os.PathLike[str] | Mapping[str, Any] | None = None,
        /,
        *,
        observed: str | os.PathLike[str] | None = None,
        **keys: Any,
    ) -> None:
        changes = {path_of(name): _frozen(value) for name, value in keys.items()}
        _fill(self, _frozen(base), changes, observed)

    @classmethod
    def _of_request(cls, request: Mapping[str, Any]) -> Run:
        run = cls.__new__(cls)
        _fill(run, request.get("run"), dict(request.get("set", {})), request.get("observed"))
        return run

    def set(self, path: str | Mapping[str, Any] = "", value: Any = None, /, **keys: Any) -> Run:
        """A run with other values: `set("parallel.tp", 4)`, `set({…})` or `set(tp=4, pp=2)`."""
        given = dict(path) if isinstance(path, Mapping) else {path: value} if path else {}
        changes = dict(self._changes)
        for name, new in {**given, **keys}.items():
            at = path_of(name)
            changes.pop(at, None)  # the last change goes over those before it
            changes[at] = _frozen(new)
        run = Run.__new__(Run)
        _fill(run, self._base, changes, self._observed)
        return run

    def _request(self) -> dict[str, Any]:
        parts = {"run": self._base, "set": self._changes, "observed": self._observed}
        return {key: value for key, value in parts.items() if value}

    def ask(self, command: str, *, progress: Progress | None = None, **options: Any) -> Answer:
        """Any command that takes a run, with the options of the program in snake_case."""
        return ask(command, progress=progress, **self._request(), **options)

    def estimate(self, **options: Any) -> Estimate:
        """Seconds of a step, utilisation, memory, communication.

        `against`: a training log of this run; then the answer holds the differences.
        """
        answer = self.ask("estimate", **options)
        assert isinstance(answer, Estimate)
        return answer

    @property
    def rl(self) -> Rl:
        """The step of reinforcement learning by phase, of a run with training.rl."""
        from ._rl import Rl

        return Rl(self)

    def memory(self) -> Answer:
        """Memory of every pipeline stage, line by line, in GiB."""
        return self.ask("memory")

    def explain(self, metric: str = "step_time_s", **options: Any) -> Answer:
        """One number as a tree of formulas, inputs and sources."""
        return self.ask("explain", metric=metric, **options)

    def search(
        self,
        *,
        where: str | Sequence[str] = (),
        pareto: Sequence[str] = (),
        progress: Progress | None = None,
        **options: Any,
    ) -> Search:
        """The best strategies, beside the run's own: all of `parallel` is free but for `keep`.

        `where` are constraints ("memory.peak_gib <= 72"), `pareto` two or more aims to be small.
        Further options: keep (["tp", "recompute"]; ["parallel"] holds all), top, minimize,
        maximize, refine, jobs.
        """
        conditions = [where] if isinstance(where, str) else list(where)
        answer = self.ask(
            "search",
            progress=progress,
            where=conditions or None,
            pareto=list(pareto) or None,
            **options,
        )
        assert isinstance(answer, Search)
        return answer

    def simulate(self, **options: Any) -> Simulation:
        """One step played as events: `simulate(slow="gpu:17=1.3").save_perfetto("t.json.gz")`."""
        answer = self.ask("simulate", **options)
        assert isinstance(answer, Simulation)
        return answer

    def comm(self, **options: Any) -> Answer:
        """Every class of message that one GPU sends in a step: bytes, seconds, exposed seconds."""
        return self.ask("comm", **options)

    def limits(self, *, of: str | Sequence[str] = (), **options: Any) -> Answer:
        """How far the run can go: `limits(of="sequence_length")`, `limits(versus="hgx-b200")`.

        `of` names the limits (sequence_length, micro_batch, gpus, layers, width, network, memory,
        price). Further options: within (percent of the step), versus (a node), keep_layout.
        """
        if of:
            options["of"] = [of] if isinstance(of, str) else list(of)
        return self.ask("limits", **options)

    def diagnose(self, log: str | os.PathLike[str], **options: Any) -> Answer:
        """A log or an error message of this run beside its prediction, with causes.

        `log` is a path, or the text itself: of several lines, or of several words.
        """
        return self.ask("diagnose", log=as_file(log), **options)

    def capacity(self, **options: Any) -> Answer:
        """Hardware, days, cost and power of the whole training: `capacity(deadline="60d")`."""
        return self.ask("capacity", **options)

    def export(self, to: str = "run") -> str:
        """The run in another tool's words: "megatron", "deepspeed", …; "run": a whole run file."""
        return str(asked("export", {**self._request(), "as": to, "format": "text"})[1])

    def __getattr__(self, name: str) -> Callable[..., Answer]:
        # A command that this file does not know yet.
        if name.startswith("_") or name not in _engine.commands():
            raise AttributeError(name)
        return lambda **options: self.ask(name, **options)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a run cannot be changed; set({name!r}, …) returns another")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._request(),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Run) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> str:
        """Text that two runs share if they ask the same: the order of changes counts where one
        lies within another, as parallel.tp in parallel."""
        paths = list(self._changes)
        order = sorted(
            (first, last)
            for i, last in enumerate(paths)
            for first in paths[:i]
            if _lies_in(first, last) or _lies_in(last, first)
        )
        return json.dumps([self._request(), order], sort_keys=True, default=as_json)

    def __repr__(self) -> str:
        names = {path: name for name, path in flag_paths().items()}
        parts = [] if self._base is None else [repr(self._base)]
        if self._observed is not None:
            parts.append(f"observed={self._observed!r}")
        for path, value in self._changes.items():  # in their order, which counts
            named = f"{names[path]}={value!r}" if path in names else f"**{ {path: value}!r}"
            parts.append(named)
        return f"Run({', '.join(parts)})"


def _lies_in(path: str, outer: str) -> bool:
    return path.startswith((outer + ".", outer + "["))


def _restored(request: dict[str, Any]) -> Run:
    return Run._of_request(request)


def _fill(run: Run, base: Any, changes: dict[str, Any], observed: Any) -> None:
    object.__setattr__(run, "_base", base)
    object.__setattr__(run, "_changes", changes)
    object.__setattr__(run, "_observed", observed)


def _frozen(value: Any) -> Any:
    """A copy as JSON has it, which its owner cannot change afterwards."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return json.loads(json.dumps(value, default=as_json))
