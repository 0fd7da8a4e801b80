"""Python source: functions of lists, no dependency but ``math``; running the file tests it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from robots.core.symbols.export.check_table import LIMIT
from robots.core.symbols.export.routine import Document, Routine, filled, head_lines

_TEST = f'''

def self_test():
    """Largest relative error over the table of known states; raises where it is too large."""
    worst = 0.0
    for function, arguments, expected in SELF_TEST:
        found = _flat(function(*arguments))
        scale = max([abs(x) for x in expected] + [0.0]) or 1.0
        errors = [abs(x - y) / scale for x, y in zip(found, expected)]
        # "not all" rather than "any": a NaN is a failure.
        if len(found) != len(expected) or not all(e <= {LIMIT!r} for e in errors):
            raise ArithmeticError("%s: errors %s exceed {LIMIT!r}" % (function.__name__, errors))
        worst = max([worst] + errors)
    return worst


def _flat(values):
    """Numbers of nested lists, row by row."""
    if not isinstance(values, (list, tuple)):
        return [values]
    return [number for value in values for number in _flat(value)]


if __name__ == "__main__":
    print("largest relative error %.3g (limit {LIMIT!r})" % self_test())
'''


def python_source(document: Document) -> str:
    """The whole file."""
    lines = [f"# {line}".rstrip() for line in document.head]
    lines += ["", "import math"]
    for routine in document.routines:
        lines += ["", "", *_function(routine)]
    lines += ["", "", "SELF_TEST = [", *_table(document), "]"]
    return "\n".join(lines) + "\n" + _TEST


def _function(routine: Routine) -> Iterator[str]:
    yield f"def {routine.name}({routine.arguments}):"
    for line in head_lines(routine):
        yield f"    # {line}"
    for given in routine.listing.inputs:
        yield f"    {given.name} = {_element(routine, given.argument, given.place)}"
    for item in routine.listing.assignments:
        yield f"    {item.name} = {item.expression}"
    yield from _returned(routine.listing.outputs, routine.programme.result.shape)


def _element(routine: Routine, argument: int, place: int) -> str:
    """Element of an argument, indexed by its own shape."""
    indices: list[int] = []
    for extent in reversed(routine.programme.arguments[argument].shape):
        place, index = divmod(place, extent)
        indices.append(index)
    return routine.listing.arguments[argument] + "".join(f"[{k}]" for k in reversed(indices))


def _returned(outputs: Sequence[str], shape: tuple[int, ...]) -> Iterator[str]:
    if not shape:
        yield f"    return {outputs[0]}"
        return
    yield "    return ["
    if len(shape) == 1:
        yield from filled(outputs, " " * 8)
    else:
        rows = list(outputs)
        for extent in reversed(shape[1:]):
            groups = [rows[k : k + extent] for k in range(0, len(rows), extent)]
            rows = [f"[{', '.join(group)}]" for group in groups]
        yield from (f"        {row}," for row in rows)
    yield "    ]"


def _table(document: Document) -> Iterator[str]:
    for routine in document.routines:
        for state in routine.states:
            yield f"    ({routine.name}, ["
            given = zip(state.arguments, routine.programme.arguments, strict=True)
            for numbers, argument in given:
                yield from _nested([repr(x) for x in numbers], argument.shape)
            yield "    ], ["
            yield from filled([repr(x) for x in state.expected], " " * 8)
            yield "    ]),"


def _nested(numbers: Sequence[str], shape: tuple[int, ...]) -> Iterator[str]:
    """An argument as nested lists."""
    lines = list(_returned(numbers, shape))
    if not shape:
        yield f"        {numbers[0]},"
        return
    yield "        ["
    yield from ("    " + line for line in lines[1:-1])
    yield "        ],"
