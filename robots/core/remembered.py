"""Values that a process keeps: made once for equal inputs, the last used ones only.

Whoever plans many jobs does so with few robots and few parts. A leaf: it knows nothing of what is
kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from threading import Lock
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
Made = TypeVar("Made")


def remembered(
    seen: Callable[P, Hashable], *, room: int
) -> Callable[[Callable[P, Made]], Callable[P, Made]]:
    """Make a value once for each value of ``seen``; what fails is tried again.

    Args:
        seen: all that the value depends on, from the function's arguments. Numbers belong there as
            text where the sign of zero counts: 0.0 and -0.0 are equal.
        room: how many values are kept, those that were used last.
    """

    def decorate(make: Callable[P, Made]) -> Callable[P, Made]:
        known: OrderedDict[Hashable, Made] = OrderedDict()
        lock = Lock()

        @wraps(make)
        def recall(*args: P.args, **kwargs: P.kwargs) -> Made:
            key = seen(*args, **kwargs)
            with lock:
                if key in known:
                    known.move_to_end(key)
                    return known[key]
            made = make(*args, **kwargs)
            with lock:
                found = known.setdefault(key, made)
                if len(known) > room:
                    known.popitem(last=False)
            return found

        return recall

    return decorate
