"""Export of programmes as source code that tests itself: Python, C, MATLAB; and LaTeX."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.core.errors import EquationError
from robots.core.kernels import Kernel
from robots.core.mechanism import Mechanism
from robots.core.quantities import QUANTITIES, quantity
from robots.core.recording import Operation, Programme
from robots.core.symbols.listing import (
    DIALECTS,
    Dialect,
    Language,
    Listing,
    comment_text,
    identifier,
    listing,
)

EXPORTED = ("forward", "jacobian", "torques", "mass_matrix", "gravity_torques")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedState:
    """Arguments, one flat list each, and the flat result."""

    arguments: tuple[tuple[float, ...], ...]
    expected: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Routine:
    """One exported function.

    Args:
        name: safe identifier, different from the others of the file.
        purpose: one line for readers.
        programme: what it computes.
        listing: the programme in the file's language.
        states: with known results; empty in languages that cannot run.
    """

    name: str
    purpose: str
    programme: Programme
    listing: Listing
    states: tuple[CheckedState, ...]

    @property
    def arguments(self) -> str:
        """Parameter list of the definition."""
        return ", ".join(self.listing.arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDocument:
    """One file: safe ``name`` of the robot, comment lines of its head, and its functions."""

    name: str
    head: tuple[str, ...]
    routines: tuple[Routine, ...]


def python_source(document: SourceDocument) -> str:
    """The whole file."""
    lines = [f"# {line}".rstrip() for line in document.head]
    lines += ["", "import math"]
    for routine in document.routines:
        lines += ["", "", *_function(routine)]
    lines += ["", "", "SELF_TEST = [", *_table(document), "]"]
    return "\n".join(lines) + "\n" + _TEST


def c_source(document: SourceDocument) -> str:
    """The whole file."""
    lines = [f"// {line}".rstrip() for line in document.head]
    lines.append(f"// Test: cc -std=c99 -DPALPEUR_SELF_TEST {document.name}.c -lm && ./a.out")
    lines += ["", "#include <math.h>"]
    for routine in document.routines:
        lines += ["", *_c_function(document, routine)]
    tests = [line for routine in document.routines for line in _tests(document, routine)]
    return "\n".join(lines) + "\n" + _CHECK + "\n".join(tests) + _END


def matlab_source(document: SourceDocument) -> str:
    """The whole file."""
    lines = [f"% {line}".rstrip() for line in document.head]
    lines += [f"% Use: {_example(document)}", f"% Test: {document.name}('self_test')", ""]
    lines += _dispatch(document)
    for routine in document.routines:
        lines += ["", *_matlab_function(routine)]
    lines += ["", *_test(document)]
    return "\n".join(lines) + "\n" + _MATLAB_CHECK


def latex_source(document: SourceDocument) -> str:
    """A fragment for a document that loads amsmath."""
    lines = [f"% {line}".rstrip() for line in document.head]
    for routine in document.routines:
        lines += ["", *(f"% {line}" for line in head_lines(routine)), *_blocks(routine)]
    return "\n".join(lines) + "\n"


_PRINTERS: dict[Language, Callable[[SourceDocument], str]] = {
    Language.PYTHON: python_source,
    Language.C: c_source,
    Language.MATLAB: matlab_source,
    Language.LATEX: latex_source,
}
WIDTH = 98
Bounds = Mapping[str, tuple[Array, Array]]  # argument name -> lowest and highest, per number


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedFile:
    """A generated file: the name it must have, and its text."""

    name: str
    text: str


def export(
    mechanism: Mechanism, language: Language, quantities: Sequence[str] = EXPORTED
) -> GeneratedFile:
    """Quantities of a mechanism as source code that tests itself.

    Args:
        mechanism: whose numbers to put in.
        language: of the file.
        quantities: names from ``robots.core.quantities``, each once.

    Raises:
        EquationError: an unknown quantity, or results that no state makes stable enough to test.
    """
    programmes = [quantity(name).record(mechanism) for name in dict.fromkeys(quantities)]
    head = _about(mechanism)
    return export_programmes(
        programmes, language, name=mechanism.name, about=head, bounds=_bounds(mechanism)
    )


def export_programmes(
    programmes: Sequence[Programme],
    language: Language,
    *,
    name: str,
    about: Sequence[str] = (),
    bounds: Bounds | None = None,
) -> GeneratedFile:
    """Programmes as source code that tests itself.

    Args:
        programmes: one function each.
        language: of the file.
        name: of the file; made safe.
        about: lines for the head comment; made safe.
        bounds: of the arguments in the self-test, ±1 for those not named.

    Raises:
        EquationError: no programme, or results that no state makes stable enough to test.
    """
    if not programmes:
        raise EquationError("There is nothing to export; name at least one quantity.")
    dialect = DIALECTS[language]
    safe = identifier(name, "robot", dialect.reserved)
    taken = set(dialect.reserved)
    if language is Language.MATLAB:
        taken.add(safe)  # the file's main function
    routines = []
    for programme in programmes:
        called = identifier(programme.name, "quantity", taken)
        taken.add(called)
        routines.append(_routine(called, programme, dialect, bounds or {}))
    title = f"{comment_text(name)}: {', '.join(r.name for r in routines)}"
    head = (title, f"Generated by palpeur {_version()}.", *map(comment_text, about))
    document = SourceDocument(name=safe, head=head, routines=tuple(routines))
    return GeneratedFile(name=safe + dialect.extension, text=_PRINTERS[language](document))


def _routine(name: str, programme: Programme, dialect: Dialect, bounds: Bounds) -> Routine:
    known = QUANTITIES.get(programme.name)
    tests_itself = dialect.language is not Language.LATEX
    return Routine(
        name=name,
        purpose=known.purpose if known is not None else "",
        programme=programme,
        listing=listing(programme, dialect),
        states=checked_states(programme, bounds) if tests_itself else (),
    )


def _about(mechanism: Mechanism) -> list[str]:
    gravity = ", ".join(f"{x:.12g}" for x in mechanism.gravity)
    lines = [
        f"Source of the numbers: {mechanism.source or 'not stated'}",
        "SI units and radians. Matrices are written row by row; linear rows stand before angular.",
        "Poses are 4x4 homogeneous matrices: tool coordinates into the base frame.",
        "Speeds and wrenches are taken at the origin of the tool, in base axes.",
        "A positive torque drives its joint towards positive q.",
        f"Gravity acceleration in the base frame: ({gravity}) m/s².",
        "Joint variables:",
    ]
    for place, joint in enumerate(mechanism.movable, start=1):
        kind = joint.kind
        lines.append(
            f"q{place} is {joint.name}: {kind.value} [{kind.unit}], effort [{kind.effort_unit}]"
        )
    return lines


def _bounds(mechanism: Mechanism) -> Bounds:
    """Joint positions within their limits; half a turn or half a metre where there are none."""
    reach = np.array([np.pi if joint.kind.angular else 0.5 for joint in mechanism.movable])
    low, high = mechanism.q_min, mechanism.q_max
    low = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 2 * reach, -reach))
    return {"q": (low, np.where(np.isfinite(high), high, low + 2 * reach))}


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("palpeur")
    except PackageNotFoundError:
        return "(from a source tree)"


def filled(items: Iterable[str], indent: str, separator: str = ", ") -> Iterator[str]:
    """Items in lines of bounded width; the separator stands at the ends of lines too."""
    line = ""
    for item in items:
        if line and len(indent) + len(line) + len(item) + len(separator) > WIDTH:
            yield indent + line.rstrip()
            line = ""
        line += item + separator
    if line:
        yield indent + line.rstrip().removesuffix(separator.strip())


def head_lines(routine: Routine) -> Iterator[str]:
    """Name, shapes, purpose and operation counts of one function, for comments."""
    programme = routine.programme
    shapes = [
        f"{name} {_shape(argument.shape)}"
        for name, argument in zip(routine.listing.arguments, programme.arguments, strict=True)
    ]
    yield f"{routine.name}({', '.join(shapes)}) -> {_shape(programme.result.shape)}"
    yield from textwrap.wrap(routine.purpose, 90, initial_indent="    ", subsequent_indent="    ")
    yield f"    {programme.counts}"


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) if shape else "number"


# --------------------------------------------------------------------------------------- Self-test

LIMIT = 1e-12  # relative to the largest number of a result
STATES = 3
_DRAWS = 64
# States whose rounding errors are larger are too badly conditioned to blame an export for.
_STABLE = 0.05 * LIMIT


def checked_states(programme: Programme, bounds: Bounds) -> tuple[CheckedState, ...]:
    """States within bounds whose results, by the NumPy form, do not hinge on rounding.

    Args:
        programme: what to evaluate.
        bounds: of arguments; those not named lie within ±1.

    Raises:
        EquationError: no states can be found whose results are stable to the test's limit.
    """
    # The same programme always gets the same states, so that exports are reproducible.
    rng = np.random.default_rng(int(programme.digest[:15], 16))
    kernel = Kernel(programme, "numpy")
    found: list[CheckedState] = []
    for _ in range(_DRAWS):
        arguments = [_drawn(rng, a.size, bounds.get(a.name)) for a in programme.arguments]
        shaped = zip(arguments, programme.arguments, strict=True)
        with np.errstate(all="ignore"):  # states without a result are not used
            expected = kernel(*(np.reshape(x, a.shape) for x, a in shaped)).ravel()
            exact = _evaluated(programme, arguments)
        if _stable(expected, exact):
            # Fifteen digits: what differs between machines is rounded away.
            digits = tuple(float(f"{x:.15g}") for x in expected)
            found.append(CheckedState(arguments=tuple(arguments), expected=digits))
        if len(found) == STATES:
            return tuple(found)
    raise EquationError(
        f"{programme.name}: in {_DRAWS} random states fewer than {STATES} have results that are "
        f"stable to {LIMIT:g}, so an export could not test itself; the mechanism is singular or its"
        " numbers differ by too many orders of magnitude.",
        name=programme.name,
    )


def _drawn(
    rng: np.random.Generator, size: int, bounds: tuple[Array, Array] | None
) -> tuple[float, ...]:
    low, high = bounds if bounds is not None else (np.full(size, -1.0), np.full(size, 1.0))
    values = low + (high - low) * rng.random(size)
    return tuple(float(f"{x:.4g}") for x in values)


def _stable(a: Array, b: Array) -> bool:
    if not np.all(np.isfinite(a)):
        return False
    scale = float(np.abs(a).max(initial=0.0)) or 1.0
    return bool(np.all(np.abs(a - b) <= _STABLE * scale))


def _evaluated(programme: Programme, arguments: Sequence[Sequence[float]]) -> Array:
    """The programme in extended precision where the machine has it: an evaluation of its own."""
    values: list[np.longdouble] = []
    for item in programme.instructions:
        if item.operation is Operation.CONSTANT:
            values.append(np.longdouble(item.number))
        elif item.operation is Operation.INPUT:
            values.append(np.longdouble(arguments[item.a][item.b]))
        else:
            operands = [values[k] for k in (item.a, item.b)[: item.operation.operands]]
            values.append(_PLAIN[item.operation](*operands))
    signed = [(-1.0 if out.negative else 1.0, values[out.value]) for out in programme.outputs]
    return np.array([sign * value for sign, value in signed], dtype=np.float64)


_HALF_TURN = np.longdouble(np.pi)
_PLAIN: dict[Operation, Callable[..., np.longdouble]] = {
    Operation.ADD: np.add,
    Operation.SUBTRACT: np.subtract,
    Operation.MULTIPLY: np.multiply,
    Operation.DIVIDE: np.divide,
    Operation.SIN: np.sin,
    Operation.COS: np.cos,
    Operation.SQRT: np.sqrt,
    Operation.SIGN: np.sign,
    Operation.ATAN2: np.arctan2,
    Operation.MAXIMUM: np.maximum,
    Operation.OPPOSITE: lambda angle: angle - np.copysign(_HALF_TURN, angle),
}


# ------------------------------------------------------------------------------------------ Python

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


def _table(document: SourceDocument) -> Iterator[str]:
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


# ----------------------------------------------------------------------------------------------- C

_CHECK = f"""
#ifdef PALPEUR_SELF_TEST
#include <stdio.h>

static int check(const char *name, const double *found, const double *expected, int size,
                 double *worst)
{{
    double scale = 0.0;
    int wrong = 0;
    for (int k = 0; k < size; k++) {{
        if (fabs(expected[k]) > scale) scale = fabs(expected[k]);
    }}
    if (scale == 0.0) scale = 1.0;
    for (int k = 0; k < size; k++) {{
        const double error = fabs(found[k] - expected[k]) / scale;
        if (error > *worst) *worst = error;
        /* Not "greater than": a NaN is a failure. */
        if (!(error <= {LIMIT!r})) {{
            printf("%s: element %d is %.17g, expected %.17g\\n", name, k, found[k], expected[k]);
            wrong++;
        }}
    }}
    return wrong;
}}

int main(void)
{{
    double worst = 0.0;
    int wrong = 0;
"""
_END = f"""
    printf("largest relative error %.3g (limit {LIMIT!r})\\n", worst);
    return wrong != 0;
}}
#endif
"""


def _c_function(document: SourceDocument, routine: Routine) -> Iterator[str]:
    for line in head_lines(routine):
        yield f"// {line}"
    parameters = [f"const double *{name}" for name in routine.listing.arguments]
    yield f"void {document.name}_{routine.name}({', '.join([*parameters, 'double *out'])})"
    yield "{"
    # Inputs are read before anything is written, so out may be one of the arguments.
    for given in routine.listing.inputs:
        name = routine.listing.arguments[given.argument]
        yield f"    const double {given.name} = {name}[{given.place}];"
    for item in routine.listing.assignments:
        yield f"    const double {item.name} = {item.expression};"
    read = {given.argument for given in routine.listing.inputs}
    for place, name in enumerate(routine.listing.arguments):
        if place not in read:
            yield f"    (void){name};"
    for place, output in enumerate(routine.listing.outputs):
        yield f"    out[{place}] = {output};"
    yield "}"


def _tests(document: SourceDocument, routine: Routine) -> Iterator[str]:
    size = routine.programme.result.size
    for state in routine.states:
        yield "    {"
        for name, numbers in zip(routine.listing.arguments, state.arguments, strict=True):
            yield from _array(name, numbers)
        yield from _array("expected", state.expected)
        yield f"        double found[{size}];"
        arguments = ", ".join([*routine.listing.arguments, "found"])
        yield f"        {document.name}_{routine.name}({arguments});"
        yield f'        wrong += check("{routine.name}", found, expected, {size}, &worst);'
        yield "    }"


def _array(name: str, numbers: tuple[float, ...]) -> Iterator[str]:
    yield f"        const double {name}[{len(numbers)}] = {{"
    yield from filled([repr(x) for x in numbers], " " * 12)
    yield "        };"


# ------------------------------------------------------------------------------------------ MATLAB

_MATLAB_CHECK = f"""
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


def _example(document: SourceDocument) -> str:
    first = document.routines[0]
    return f"out = {document.name}('{first.name}', {first.arguments})"


def _dispatch(document: SourceDocument) -> Iterator[str]:
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


def _matlab_function(routine: Routine) -> Iterator[str]:
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


def _test(document: SourceDocument) -> Iterator[str]:
    yield "function worst = self_test()"
    yield "    worst = 0;"
    for routine in document.routines:
        for state in routine.states:
            given = zip(
                routine.listing.arguments, state.arguments, routine.programme.arguments, strict=True
            )
            for name, numbers, argument in given:
                yield from _matlab_array(name, numbers, argument.shape)
            yield from _matlab_array("expected", state.expected, (len(state.expected),))
            found = f"{routine.name}({routine.arguments})"
            yield f"    worst = check(worst, '{routine.name}', {found}, expected);"
    yield f"    fprintf('largest relative error %.3g (limit {LIMIT!r})\\n', worst);"
    yield "end"


def _matlab_array(name: str, numbers: Sequence[float], shape: tuple[int, ...]) -> Iterator[str]:
    """A column, reshaped where the argument has more dimensions (row by row, so turned around)."""
    yield f"    {name} = ["
    yield from filled([repr(x) for x in numbers], " " * 8, "; ")
    yield "    ];"
    if len(shape) > 1:
        turned = ", ".join(map(str, reversed(shape)))
        yield f"    {name} = permute(reshape({name}, {turned}), {len(shape)}:-1:1);"


# ------------------------------------------------------------------------------------------- LaTeX

_LINES_PER_BLOCK = 40  # amsmath sets a block as one box per page unless it is allowed to break


def _blocks(routine: Routine) -> Iterator[str]:
    equations = list(_equations(routine))
    for start in range(0, len(equations), _LINES_PER_BLOCK):
        yield r"\begin{align*}"
        yield " \\\\\n".join(equations[start : start + _LINES_PER_BLOCK])
        yield r"\end{align*}"


def _equations(routine: Routine) -> Iterator[str]:
    for item in routine.listing.assignments:
        yield f"{item.name} &= {item.expression}"
    symbol = routine.name.replace("_", r"\_")
    for place, output in enumerate(routine.listing.outputs):
        yield rf"\mathrm{{{symbol}}}{_index(place, routine.programme.result.shape)} &= {output}"


def _index(place: int, shape: tuple[int, ...]) -> str:
    indices: list[str] = []
    for extent in reversed(shape):
        place, index = divmod(place, extent)
        indices.append(str(index + 1))
    return f"_{{{','.join(reversed(indices))}}}" if indices else ""
