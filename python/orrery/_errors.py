# SPDX-License-Identifier: Apache-2.0
"""The errors of a question."""
from __future__ import annotations


class InputError(ValueError):
    """A request is wrong or not legal.

    `code` is one of unknown_key, missing_key, wrong_type, out_of_range, unknown_name, not_found,
    conflict, broken_rule, malformed, not_allowed. `file` and `path` say where; `found`, `allowed`
    and `nearest` (the name that may be meant, or "") say what.
    """

    def __init__(
        self,
        message: str,
        code: str = "not_allowed",
        file: str = "",
        path: str = "",
        found: str = "",
        allowed: str = "",
        nearest: str = "",
    ) -> None:
        super().__init__(message)
        self.code = code
        self.file = file
        self.path = path
        self.found = found
        self.allowed = allowed
        self.nearest = nearest

    @property
    def where(self) -> str:
        """File and path, as the message has them."""
        return self.file + ": " + self.path if self.file and self.path else self.file or self.path

    def __reduce__(self) -> tuple[type[InputError], tuple[str, ...]]:
        parts = (self.code, self.file, self.path, self.found, self.allowed, self.nearest)
        return type(self), (str(self), *parts)


class Fault(RuntimeError):
    """A fault of Orrery's own: please report it."""
