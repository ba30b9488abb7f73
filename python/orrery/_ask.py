# SPDX-License-Identifier: Apache-2.0
"""Questions to the engine, and their answers."""
from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from . import _engine
from ._errors import Fault, InputError
from ._record import Record

Progress = Callable[[int, int], object]

# Characters of an answer that a notebook holds; the rest is in to_html().
_MOST_SHOWN = 100_000

_settings: dict[str, Any] = {}
_the_engine: _engine.Engine | None = None


def configure(config_dir: str | os.PathLike[str] | None = None, workers: int | None = None) -> None:
    """Says where names are looked up first and how many threads a search may have.

    Without it names are those built into the module, after the folders of $ORRERY_CONFIG_PATH.
    Errors: InputError where `config_dir` is no folder.
    """
    global _the_engine
    new: dict[str, Any] = {}
    if config_dir is not None:
        new["config_dir"] = os.fspath(config_dir)
    if workers is not None:
        new["workers"] = workers
    made = _new_engine(new)
    _settings.clear()
    _settings.update(new)
    _the_engine = made


def _new_engine(settings: Mapping[str, Any]) -> _engine.Engine:
    options = dict(settings)
    if "config_dir" not in options and "ORRERY_CONFIG_PATH" not in os.environ:
        options["config_dir"] = "-"
    try:
        return _engine.Engine(json.dumps(options))
    except ValueError as error:
        raise InputError(str(error)) from None


def _engine_at_hand() -> _engine.Engine:
    global _the_engine
    if _the_engine is None:
        _the_engine = _new_engine(_settings)
    return _the_engine


def as_json(value: Any) -> Any:
    """Values that json does not write by itself: records, paths, numbers of numpy, configs."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return dict(value)
    for name in ("item", "to_dict", "tolist"):
        if hasattr(value, name):
            return getattr(value, name)()
    raise TypeError(f"{type(value).__name__} is nothing that a request may hold")


def _file(path: Any) -> Any:
    if isinstance(path, Mapping):  # {"file", "text"}
        return path
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            content = file.read()
        if name.endswith(".gz"):
            import gzip

            content = gzip.decompress(content)
        text = content.decode()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{name}: {why}", "not_found", name, "", why) from None
    return {"file": name, "text": text}


def _is_there(path: str) -> bool:
    try:
        return os.path.exists(path)
    except (OSError, ValueError):
        return False


def as_file(log: Any, name: str = "text") -> Any:
    """A path as it is; a text as a file of that name without a place: one of several lines, or of
    several words that no file has as its name."""
    if isinstance(log, str) and ("\n" in log or (" " in log and not _is_there(log))):
        return {"file": name, "text": log}
    return log


def _with_files(command: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that the command reads as files are paths here."""
    request = {key: value for key, value in options.items() if value is not None}
    for key in request.keys() & set(_engine.file_options(command)):
        given = request[key]
        many = isinstance(given, (list, tuple))
        request[key] = [_file(each) for each in given] if many else _file(given)
    return request


def _refusal(error: str, wrong: tuple[str, ...] | None) -> InputError:
    return InputError(error, *wrong) if wrong else InputError(error)


class Answer(Record):
    """The answer of a command: its JSON as attributes, and what came beside it.

    A question whose answer is no (a run that does not fit, a search that found nothing) is an
    answer too; then `exit_code` is 3.
    """

    __slots__ = ("_command", "_request", "_result")
    _command: str
    _request: dict[str, Any]
    _result: tuple[Any, ...]

    def __init__(self, command: str, request: dict[str, Any], result: tuple[Any, ...]) -> None:
        object.__setattr__(self, "_command", command)
        object.__setattr__(self, "_request", request)
        object.__setattr__(self, "_result", result)

    def __getattr__(self, name: str) -> Any:
        if name != "_data":
            return super().__getattr__(name)
        # The JSON is read when somebody looks into it: it takes longer than a session's estimate.
        data = self._document(self._result[1])
        object.__setattr__(self, "_data", data)
        return data

    @staticmethod
    def _document(text: str) -> dict[str, Any]:
        document = json.loads(text)
        return document if isinstance(document, dict) else {"rows": document}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._command, self._request, self._result)

    @property
    def exit_code(self) -> int:
        """0 an answer, 3 the answer is no, 4 out of tolerance: as the program's."""
        return int(self._result[0])

    @property
    def told(self) -> tuple[str, ...]:
        """Warnings, one line each."""
        return tuple(self._result[3])

    @property
    def files(self) -> dict[str, bytes]:
        """Further documents by the names that the request gave."""
        return dict(self._result[2])

    def to_json(self) -> str:
        """The bytes that `orrery … --json` prints."""
        return str(self._result[1])

    def text(self, width: int = 100) -> str:
        """The answer for people, as the program prints it, at most `width` columns wide."""
        return _in_format(self._command, {**self._request, "width": width}, "text")

    def to_html(self) -> str:
        """The answer as a page that stands alone."""
        return _in_format(self._command, self._request, "html")

    def _repr_html_(self) -> str:
        from html import escape

        try:
            page = escape(self.to_html())
        except InputError:  # a command without pages
            return _short_text(self.text())
        if len(page) > _MOST_SHOWN:
            return _short_text(self.text())
        return (
            f'<iframe srcdoc="{page}" '
            'style="width:100%;height:36em;border:0;resize:vertical"></iframe>'
        )

    def __str__(self) -> str:
        return self.text()


def _short_text(text: str, most: int = 40) -> str:
    """The first and the last lines of a long answer."""
    from html import escape

    lines = text.splitlines()
    if len(lines) > 2 * most:
        left_out = f"… {len(lines) - 2 * most:,} lines; to_html() has all of them …"
        lines = [*lines[:most], "", left_out, "", *lines[-most:]]
    return f"<pre>{escape(chr(10).join(lines))[:_MOST_SHOWN // 2]}</pre>"


def _in_format(command: str, request: Mapping[str, Any], format: str) -> str:
    return str(asked(command, {**request, "format": format})[1])


def asked(
    command: str, request: Mapping[str, Any], progress: Progress | None = None
) -> tuple[Any, ...]:
    """Code, text, files, warnings and what is broken. Errors: InputError, Fault."""
    text = json.dumps(request, default=as_json, allow_nan=False)
    return checked(_engine_at_hand().call(command, text, progress))


def checked(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """The parts of an answer without its error, which is raised."""
    code, answer, files, warnings, broken, error, wrong = parts
    if code == 2:
        raise _refusal(error or "\n".join(broken), wrong)
    if code == 1:
        raise Fault(error)
    return code, answer, files, warnings, broken


def ask(command: str, *, progress: Progress | None = None, **options: Any) -> Answer:
    """Any command of `orrery.commands()` with its options: `ask("list", what="models")`.

    Options are those of the program by the names of their flags in snake_case. A file that the
    command reads is a path; a file that it writes is a name in the answer's `files`.
    `progress(done, total)` is called now and then; what it raises stops the work.
    """
    request = _with_files(command, options)
    return answer_type(command)(command, request, asked(command, request, progress))


def answer_type(command: str) -> type[Answer]:
    from . import _answers

    return _answers.TYPES.get(command, Answer)
