"""Recordings that are kept: in the process, and on disk beside the machine code made of them.

Recording a robot's equations takes longer than planning a job of nine points with them. Equal
dimensions give the very same programme, so that machine code, too, is made once for it. What was
compiled is worth keeping: its programme lies in the cache of kernels, under the recorded function,
all that the programme depends on, and the state of the sources that recorded it.
"""

from __future__ import annotations

import hashlib
import marshal
import os
from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from functools import cache, wraps
from pathlib import Path
from typing import ParamSpec

from robots.core.kernels import cache as disk
from robots.core.recording import Argument, Instruction, Operation, Output, Programme
from robots.core.remembered import remembered

P = ParamSpec("P")

PROGRAMMES = 64  # of each recording that are remembered; some robots' worth
_KIND = "programmes"
_GENERATION = "1"  # raise when the entries change
_ROOM = Path(__file__).parents[2]  # whose modules hold all that a recording runs
_OPERATIONS = tuple(Operation)
_NUMBERS = {operation: number for number, operation in enumerate(_OPERATIONS)}


def recorded(
    seen: Callable[P, Hashable],
) -> Callable[[Callable[P, Programme]], Callable[P, Programme]]:
    """Record once for each value of ``seen``, in this process or an earlier one.

    Args:
        seen: all that the programme depends on, from the function's arguments; its ``repr`` names
            the entry on disk. Numbers belong there as text, see ``remembered``.
    """

    def decorate(record: Callable[P, Programme]) -> Callable[P, Programme]:
        @remembered(lambda key, make: key, room=PROGRAMMES)  # noqa: ARG005
        def recall(key: Hashable, make: Callable[[], Programme]) -> Programme:
            origin = _origin(record, key)
            return _read(origin) or replace(make(), origin=origin)

        @wraps(record)
        def recalled(*args: P.args, **kwargs: P.kwargs) -> Programme:
            return recall(seen(*args, **kwargs), lambda: record(*args, **kwargs))

        return recalled

    return decorate


def keep(programme: Programme) -> None:
    """Keep a recording on disk, where it was not read from there; others are nobody's recording."""
    if programme.origin and not programme.content:
        disk.write(programme.origin, _packed(programme), _KIND)


def _origin(record: Callable[..., Programme], key: Hashable) -> str:
    own = Path(record.__code__.co_filename)
    name = f"{record.__module__}.{record.__qualname__}"
    parts = (_GENERATION, name, repr(key), _state(own), _sources())
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@cache
def _sources() -> str:
    """State of the room's modules, as bytecode is known by it: names, sizes, times of change."""
    states = sorted(_state(path) for path in _modules(str(_ROOM)))
    return hashlib.sha256("\0".join(states).encode()).hexdigest()


def _modules(folder: str) -> Iterator[os.DirEntry[str]]:
    for entry in os.scandir(folder):
        if entry.name.endswith(".py"):
            yield entry
        elif entry.is_dir() and not entry.name.startswith("__"):
            yield from _modules(entry.path)


def _state(path: Path | os.DirEntry[str]) -> str:
    info = path.stat()
    return f"{os.fspath(path)} {info.st_size} {info.st_mtime_ns}"


# --- Entries -------------------------------------------------------------------------------------


def _packed(programme: Programme) -> bytes:
    shapes = [(one.name, one.shape) for one in (*programme.arguments, programme.result)]
    lines = [(_NUMBERS[one.operation], one.a, one.b, one.number) for one in programme.instructions]
    outputs = [(one.value, one.negative) for one in programme.outputs]
    return marshal.dumps((programme.name, shapes, lines, outputs, programme.digest))


def _read(origin: str) -> Programme | None:
    entry = disk.read(origin, _KIND)
    if entry is None:
        return None
    name, shapes, lines, outputs, digest = marshal.loads(entry)
    arrays = [Argument(name=own, shape=shape) for own, shape in shapes]
    return Programme(
        name=name,
        arguments=tuple(arrays[:-1]),
        result=arrays[-1],
        instructions=tuple(Instruction(_OPERATIONS[k], a, b, x) for k, a, b, x in lines),
        outputs=tuple(Output(value, negative) for value, negative in outputs),
        origin=origin,
        content=digest,
    )
