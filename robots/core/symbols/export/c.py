"""C99 source: pure functions of arrays; PALPEUR_SELF_TEST adds a program that tests them."""

from __future__ import annotations

from collections.abc import Iterator

from robots.core.symbols.export.check_table import LIMIT
from robots.core.symbols.export.routine import Document, Routine, filled, head_lines

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


def c_source(document: Document) -> str:
    """The whole file."""
    lines = [f"// {line}".rstrip() for line in document.head]
    lines.append(f"// Test: cc -std=c99 -DPALPEUR_SELF_TEST {document.name}.c -lm && ./a.out")
    lines += ["", "#include <math.h>"]
    for routine in document.routines:
        lines += ["", *_function(document, routine)]
    tests = [line for routine in document.routines for line in _tests(document, routine)]
    return "\n".join(lines) + "\n" + _CHECK + "\n".join(tests) + _END


def _function(document: Document, routine: Routine) -> Iterator[str]:
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


def _tests(document: Document, routine: Routine) -> Iterator[str]:
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
