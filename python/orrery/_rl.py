# SPDX-License-Identifier: Apache-2.0
"""A step of reinforcement learning by phase: `run.rl`."""
from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any, NoReturn

from ._answers import Estimate
from ._ask import asked
from ._errors import InputError
from ._record import wrapped
from ._table import Table

if TYPE_CHECKING:
    from ._run import Run

# The objects of a run file that make the step, and what their keys begin with here.
_OBJECTS = {"training.rl": "", "rollout": "rollout_", "placement": "placement_"}
_paths: dict[str, str] = {}


def rl_paths() -> dict[str, str]:
    """Short names of the keys: {"prompts": "training.rl.prompts", "rollout_tp": "rollout.tp", …}.

    `response_mean` is training.rl.response.mean; the program's flags are names too (`engine_tp`).
    """
    if not _paths:
        for key in json.loads(asked("list", {"what": "keys"})[1]):
            for of, prefix in _OBJECTS.items():
                if key["document"] == "run" and key["path"].startswith(of + "."):
                    _paths[prefix + key["path"][len(of) + 1 :].replace(".", "_")] = key["path"]
                    if key["flag"]:
                        _paths[key["flag"].lstrip("-").replace("-", "_")] = key["path"]
    return _paths


def _path(name: str) -> str:
    known = rl_paths()
    if name in known:
        return known[name]
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1)
    allowed = ", ".join(sorted(known))
    message = f"run.rl: found the key {name!r}; allowed: {allowed}"
    if near:
        message += f"; did you mean {near[0]!r}?"
    code = "unknown_key"
    raise InputError(message, code, "run.rl", name, name, allowed, near[0] if near else "")


class Rl:
    """The step of a run with training.rl: its keys, its phases, its memory.

        run.rl.response_mean, run.rl.rollout_tp       as resolved, defaults included
        run.rl.set(group=16, rollout_gpus=8)          another run
        run.rl.phases.to_pandas()                     seconds by phase

    The step is asked for once, when somebody looks. Errors: InputError; AttributeError for a
    name that no key has.
    """

    __slots__ = ("run", "_answer")
    run: Run
    _answer: Estimate | None

    def __init__(self, run: Run) -> None:
        object.__setattr__(self, "run", run)
        object.__setattr__(self, "_answer", None)

    def set(self, **keys: Any) -> Run:
        """A run with other values of these keys; None takes one away."""
        return self.run.set({_path(name): value for name, value in keys.items()})

    @property
    def estimate(self) -> Estimate:
        """The whole answer: `orrery estimate`."""
        if self._answer is None:
            object.__setattr__(self, "_answer", self.run.estimate())
        assert self._answer is not None
        if "rl" not in self._answer:
            raise InputError("run.rl: found a run without training.rl; allowed: one that has it")
        return self._answer

    @property
    def step_time_s(self) -> float:
        return float(self.estimate.step_time_s)

    @property
    def phases(self) -> Table:
        """A row a phase that the step has: time_s, the ends of its 80 % interval, its share."""
        rows = [(name, p) for name, p in self.estimate.rl.phases.items() if p.time_s > 0]
        return Table(
            {
                "phase": [name for name, _ in rows],
                "time_s": [p.time_s for _, p in rows],
                "low_s": [p.time_s_80[0] for _, p in rows],
                "high_s": [p.time_s_80[1] for _, p in rows],
                "share": [p.time_s / self.step_time_s for _, p in rows],
            }
        )

    @property
    def memory(self) -> Table:
        """A row a phase: GiB of the fullest GPU by what holds them."""
        rows = list(self.estimate.rl.memory.items())
        names = list(rows[0][1]) if rows else []
        columns: dict[str, list[Any]] = {"phase": [phase for phase, _ in rows]}
        columns.update({name: [m[name] for _, m in rows] for name in names})
        return Table(columns)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in rl_paths():
            raise AttributeError(f"no {name!r}; there is: {', '.join(rl_paths())}")
        value: Any = self.estimate.to_dict()["inputs"]
        for key in rl_paths()[name].split("."):
            value = value.get(key) if isinstance(value, dict) else None
        return wrapped(value)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *rl_paths()]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a run cannot be changed; rl.set({name}=…) returns another")

    def __reduce__(self) -> tuple[Any, ...]:
        return Rl, (self.run,)

    def __repr__(self) -> str:
        parts = (f"{p} {t:.3g} s" for p, t in zip(self.phases["phase"], self.phases["time_s"]))
        return f"Rl(step {self.step_time_s:.4g} s: {', '.join(parts)})"

    def _repr_html_(self) -> str:
        e = self.estimate
        fits = "fits" if e.feasible else "does not fit: " + "; ".join(e.reasons)
        head = f"step {self.step_time_s:.4g} s, {e.rl.placement}, {fits}"
        bar = "<div style='background:#3b6fb6;height:.8em;width:{:.1f}em'></div>"
        rows = "".join(
            f"<tr><td>{escape(r['phase'])}</td><td>{r['time_s']:.4g} s</td>"
            f"<td>{r['low_s']:.3g} to {r['high_s']:.3g} s</td><td>{r['share']:.1%}</td>"
            f"<td>{bar.format(20 * min(1, r['share']))}</td></tr>"
            for r in self.phases.rows()
        )
        titles = "".join(f"<th>{t}</th>" for t in ("phase", "time", "80 % interval", "share", ""))
        return f"<p>{escape(head)}</p><table><tr>{titles}</tr>{rows}</table>"
