"""Dynamic equations of a robot: condensed, to be read, or as source code that tests itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.errors import OptionError
from reports.answers import number
from robots.core.mechanism import Mechanism
from robots.core.symbols.condensed.equations import (
    CondensedEquations,
    centrifugal_lines,
    condensed_equations,
    coriolis_lines,
    described_equations,
    gravity_lines,
    inertia_lines,
)
from robots.core.symbols.condensed.neglect import NeglectedEquations, OperatingRanges, neglect
from robots.core.symbols.export import EXPORTED, GeneratedFile, export
from robots.core.symbols.listing import Language

TEXT, LATEX = "text", "latex"
FORMS = (TEXT, *(language.value for language in Language))
_PARTS = {
    "mass": inertia_lines,
    "coriolis": coriolis_lines,
    "centrifugal": centrifugal_lines,
    "gravity": gravity_lines,
}
COMMENTS = {
    TEXT: "# {}",
    LATEX: "% {}",
    Language.PYTHON.value: "# {}",
    Language.C.value: "/* {} */",
    Language.MATLAB.value: "% {}",
}  # how each form says whose a file is
_ENDINGS = {TEXT: ".txt", LATEX: ".tex"}


def check_equation_options(form: str, threshold: float) -> None:
    """Raise where there is no such form of equations, or no such threshold.

    Raises:
        OptionError: an unknown form; a threshold that is no torque.
    """
    if form not in FORMS:
        raise OptionError(
            f"--as: there is no form {form!r}; there are {', '.join(FORMS)}.", form=form
        )
    if not 0.0 <= threshold < float("inf"):
        raise OptionError(f"--neglect is {threshold}; give a torque in N m, zero or more.")


def equations_file(
    mechanism: Mechanism,
    form: str = TEXT,
    quantities: Sequence[str] = (),
    *,
    threshold: float = 0.0,
    document: Mapping[str, Any],
) -> GeneratedFile:
    """Equations as the text of a file, with the name that it should have.

    LaTeX is condensed too, unless a quantity is named that is exported as a programme.

    Args:
        mechanism: the robot.
        form: one of ``FORMS``.
        quantities: names; none for all.
        threshold: below which terms of condensed equations are left out. [N m or N]
        document: of the robot's TOML file, whose symbols are used where they describe it.

    Raises:
        OptionError: a form, quantity or combination that does not exist.
        EquationError: an unknown quantity, or equations too long to be of use.
    """
    check_equation_options(form, threshold)
    if form == TEXT or (form == LATEX and not quantities):
        return _condensed(mechanism, form, quantities, threshold, document)
    if threshold:
        raise OptionError(
            f"--neglect is for --as {TEXT} and {LATEX}; exported code is always complete."
        )
    return export(mechanism, Language(form), quantities or EXPORTED)


def _condensed(
    mechanism: Mechanism,
    form: str,
    quantities: Sequence[str],
    threshold: float,
    document: Mapping[str, Any],
) -> GeneratedFile:
    unknown = [name for name in quantities if name not in _PARTS]
    if unknown:
        raise OptionError(
            f"--quantity: --as {TEXT} has no {unknown[0]!r}; there are {', '.join(_PARTS)}.",
            quantity=unknown[0],
        )
    equations = described_equations(mechanism, document) or condensed_equations(mechanism)
    left = None
    if threshold:
        left = neglect(equations, threshold, OperatingRanges.of(mechanism))
        equations = left.equations
    if quantities:
        lines = [line for name in quantities for line in _PARTS[name](equations)]
        text = "\n".join(lines) + "\n"
    else:
        comment = "" if form == TEXT else "% "
        remarks = "".join(f"{comment}{line}\n" for line in _remarks(mechanism, equations, left))
        text = (equations.as_text() if form == TEXT else equations.as_latex()) + "\n" + remarks
    return GeneratedFile(name=f"{mechanism.name}{_ENDINGS[form]}".replace("/", "_"), text=text)


def _remarks(
    mechanism: Mechanism, equations: CondensedEquations, left: NeglectedEquations | None
) -> list[str]:
    remarks = [f"Operations per posture: {equations.operation_count}"]
    if equations.chain.values:
        remarks.append("Values of the symbols, SI:")
        remarks += [f"{name} = {value!r}" for name, value in equations.chain.values.items()]
    if left is not None:
        total = left.kept + left.dropped
        remarks.append(f"Neglected: {left.dropped} of {total} products; each costs less than")
        remarks.append(f"{number(left.threshold[0])} anywhere within the joints' limits. Together")
        remarks.append("they change the torques at most by:")
        remarks += [
            f"{joint.name}: {number(bound)} {joint.kind.effort_unit}"
            for joint, bound in zip(mechanism.movable, left.error_bound, strict=True)
        ]
    return remarks
