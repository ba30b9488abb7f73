# SPDX-License-Identifier: Apache-2.0
"""JSON as frozen values with attributes."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn


def wrapped(value: Any) -> Any:
    """Objects as records, lists as tuples."""
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return tuple(wrapped(item) for item in value)
    return value


def plain(value: Any) -> Any:
    """A copy that only holds dicts, lists and values."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def _hashable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return frozenset((key, _hashable(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(_hashable(item) for item in value)
    return value


class Record(Mapping[str, Any]):
    """An object of an answer: `memory.peak_gib` or `memory["peak_gib"]`. It cannot be changed.

    Names are those of the JSON answer. Values are in SI units unless the name says another
    (`peak_gib`); null is None.
    """

    __slots__ = ("_data",)
    _data: dict[str, Any]

    def __init__(self, data: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_data", data)

    def __getitem__(self, key: str) -> Any:
        return wrapped(self._data[key])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no {name!r}; there is: {', '.join(self._data)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(key for key in self._data if key.isidentifier())]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"an answer cannot be changed: {name}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"an answer cannot be changed: {name}")

    def __hash__(self) -> int:
        return hash(_hashable(self._data))  # as __eq__ has it: 1 is 1.0, and no order of keys

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._data,)

    def __repr__(self) -> str:
        parts = (f"{key}={short(value)}" for key, value in self._data.items())
        return f"{type(self).__name__}({', '.join(parts)})"

    def to_dict(self) -> dict[str, Any]:
        """A copy as dicts and lists, equal to what `orrery … --json` prints."""
        copy = plain(self._data)
        assert isinstance(copy, dict)
        return copy


def short(value: Any) -> str:
    if isinstance(value, dict):
        return "{…}"
    if isinstance(value, list):
        return f"[{len(value)}]"
    return f"{value:.6g}" if isinstance(value, float) else repr(value)
