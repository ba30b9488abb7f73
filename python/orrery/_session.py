# SPDX-License-Identifier: Apache-2.0
"""A run that stays open while its keys change, for loops and sliders."""
from __future__ import annotations

import json
from typing import Any

from ._answers import Estimate
from ._ask import _engine_at_hand, as_json, checked
from ._run import Run, path_of


class Live:
    """An answer of a session, as it was when it was asked for. `number` reads one of its numbers
    in a microsecond; `estimate()` is all of it."""

    __slots__ = ("_answer", "_run", "_changed")

    def __init__(self, answer: Any, run: Run, changed: dict[str, Any]) -> None:
        self._answer = answer
        self._run = run
        self._changed = changed

    def number(self, path: str = "step_time_s") -> float | None:
        """A number of the answer by its path, "memory.peak_gib"; None if it has none.

        Errors: InputError of a wrong request.
        """
        if self._answer.code() in (1, 2):
            checked(self._answer.parts())
        value: float | None = self._answer.number(path)
        return value

    def estimate(self) -> Estimate:
        """The whole answer. Errors: InputError of a wrong request."""
        request = self._run.set(self._changed)._request()
        return Estimate("estimate", request, checked(self._answer.parts()))


class Session:
    """Estimates of a run whose keys change, in tens of microseconds each.

        session = orrery.Session(run)
        session.set("parallel.tp", 4).ask().number("step_time_s")

    After one key changes, only the parts that depend on it are resolved again. The numbers are
    those of `run.set(…).estimate()`. Several threads take turns.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._changed: dict[str, Any] = {}
        request = json.dumps(run._request(), default=as_json, allow_nan=False)
        self._session = _engine_at_hand().open(request)

    def set(self, path: str, value: Any) -> Session:
        """Changes a key from now on; None takes it away. A wrong value shows in the next answer."""
        at = path_of(path)
        self._session.set(at, json.dumps(value, default=as_json, allow_nan=False))
        self._changed.pop(at, None)
        self._changed[at] = value
        return self

    @property
    def run(self) -> Run:
        """The run as it is now."""
        return self._run.set(self._changed)

    def ask(self) -> Live:
        """The estimate of the run as it is now."""
        return Live(self._session.ask("estimate", "{}"), self._run, dict(self._changed))

    def estimate(self) -> Estimate:
        """The same with all of its values at once."""
        return self.ask().estimate()
