"""Programmes that this process has recorded before, by what they were recorded from.

Recording a robot's equations takes longer than planning a job of nine points with them, and whoever
plans many jobs does so with few robots. Equal dimensions give the very same programme, so that
machine code, too, is made once for it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from threading import Lock
from typing import ParamSpec

from robots.core.recording.programme import Programme

P = ParamSpec("P")
Record = Callable[P, Programme]

_ROOM = 64  # programmes of each recording; some robots' worth


def remembered(seen: Callable[P, Hashable]) -> Callable[[Record[P]], Record[P]]:
    """Record once for each value of ``seen``.

    Args:
        seen: all that the recording depends on, from its arguments. Numbers belong there as text:
            0.0 and -0.0 are equal, but not what is recorded from them.
    """

    def decorate(record: Record[P]) -> Record[P]:
        known: OrderedDict[Hashable, Programme] = OrderedDict()
        lock = Lock()

        @wraps(record)
        def recall(*args: P.args, **kwargs: P.kwargs) -> Programme:
            key = seen(*args, **kwargs)
            with lock:
                if key in known:
                    known.move_to_end(key)
                    return known[key]
            made = record(*args, **kwargs)
            with lock:
                found = known.setdefault(key, made)
                if len(known) > _ROOM:
                    known.popitem(last=False)
            return found

        return recall

    return decorate
