"""MATLAB and Octave source: one function file that dispatches on the quantity and tests itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from robots.core.symbols.export.check_table import LIMIT
from robots.core.symbols.export.routine import Document, Routine, filled, head_lines

_CHECK = f"""
function worst = check(worst, name, found, expected)
    % Largest relative error so far; an error is raised where it is too large, or NaN.
    found = permute(found, ndims(found):-1:1);
    scale = max(abs(expected));
    if scale == 0
        scale = 1;
    end
    errors = abs(found(:) - expected) / scale;
    if ~all(errors <= {LIMIT!r})
        error('palpeur:selfTest', '%s: error %.3g exceeds {LIMIT!r}', name, max(errors));
    end
    worst = max([worst; errors]);
end
"""


def matlab_source(document: Document) -> str:
    """The whole file."""
    lines = [f"% {line}".rstrip() for line in document.head]
    lines += [f"% Use: {_example(document)}", f"% Test: {document.name}('self_test')", ""]
    lines += _dispatch(document)
    for routine in document.routines:
        lines += ["", *_function(routine)]
    lines += ["", *_test(document)]
    return "\n".join(lines) + "\n" + _CHECK


def _example(document: Document) -> str:
    first = document.routines[0]
    return f"out = {document.name}('{first.name}', {first.arguments})"


def _dispatch(document: Document) -> Iterator[str]:
    yield f"function out = {document.name}(quantity, varargin)"
    yield "    switch quantity"
    for routine in document.routines:
        yield f"        case '{routine.name}'"
        yield f"            out = {routine.name}(varargin{{:}});"
    yield "        case 'self_test'"
    yield "            out = self_test();"
    yield "        otherwise"
    yield "            error('palpeur:quantity', 'there is no quantity %s', quantity);"
    yield "    end"
    yield "end"


def _function(routine: Routine) -> Iterator[str]:
    yield f"function out = {routine.name}({routine.arguments})"
    for line in head_lines(routine):
        yield f"    % {line}"
    for given in routine.listing.inputs:
        shape = routine.programme.arguments[given.argument].shape
        name = routine.listing.arguments[given.argument]
        yield f"    {given.name} = {name}{_subscript(given.place, shape)};"
    for item in routine.listing.assignments:
        yield f"    {item.name} = {item.expression};"
    shape = routine.programme.result.shape
    yield f"    out = zeros({', '.join(map(str, _extents(shape)))});"
    for place, output in enumerate(routine.listing.outputs):
        if output not in ("0.0", "-0.0"):
            yield f"    out{_subscript(place, shape)} = {output};"
    yield "end"


def _extents(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A vector is a column."""
    return shape if len(shape) > 1 else (*shape, 1, 1)[:2]


def _subscript(place: int, shape: tuple[int, ...]) -> str:
    indices: list[str] = []
    for extent in reversed(shape):
        place, index = divmod(place, extent)
        indices.append(str(index + 1))
    return f"({', '.join(reversed(indices))})" if indices else ""


def _test(document: Document) -> Iterator[str]:
    yield "function worst = self_test()"
    yield "    worst = 0;"
    for routine in document.routines:
        for state in routine.states:
            given = zip(
                routine.listing.arguments, state.arguments, routine.programme.arguments, strict=True
            )
            for name, numbers, argument in given:
                yield from _array(name, numbers, argument.shape)
            yield from _array("expected", state.expected, (len(state.expected),))
            found = f"{routine.name}({routine.arguments})"
            yield f"    worst = check(worst, '{routine.name}', {found}, expected);"
    yield f"    fprintf('largest relative error %.3g (limit {LIMIT!r})\\n', worst);"
    yield "end"


def _array(name: str, numbers: Sequence[float], shape: tuple[int, ...]) -> Iterator[str]:
    """A column, reshaped where the argument has more dimensions (row by row, so turned around)."""
    yield f"    {name} = ["
    yield from filled([repr(x) for x in numbers], " " * 8, "; ")
    yield "    ];"
    if len(shape) > 1:
        turned = ", ".join(map(str, reversed(shape)))
        yield f"    {name} = permute(reshape({name}, {turned}), {len(shape)}:-1:1);"
