"""``palpeur robot equations``: condensed equations to read, or source code that tests itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from planner.cli.exit_codes import ExitCode
from planner.cli.opening import movable_robot
from planner.cli.output import number
from planner.cli.robot.described_robot import named_equations
from planner.cli.robot_reference import RobotReference
from planner.cli.session import Session
from planner.errors import OptionError
from planner.result_files import check_file, write_result
from robots.core.mechanism import Mechanism
from robots.core.symbols.condensed import (
    CondensedEquations,
    NeglectedEquations,
    OperatingRanges,
    condensed_equations,
    neglect,
)
from robots.core.symbols.condensed.pages import (
    centrifugal_lines,
    coriolis_lines,
    gravity_lines,
    inertia_lines,
)
from robots.core.symbols.export import EXPORTED, Language, SourceFile, export

_COMMAND = "palpeur robot equations"
_TEXT, _LATEX = "text", "latex"
FORMS = (_TEXT, *(language.value for language in Language))
_PARTS = {
    "mass": inertia_lines,
    "coriolis": coriolis_lines,
    "centrifugal": centrifugal_lines,
    "gravity": gravity_lines,
}
_COMMENTS = {
    _TEXT: "# {}",
    _LATEX: "% {}",
    Language.PYTHON.value: "# {}",
    Language.C.value: "/* {} */",
    Language.MATLAB.value: "% {}",
}
_ENDINGS = {_TEXT: ".txt", _LATEX: ".tex"}


@dataclass(frozen=True, slots=True, kw_only=True)
class EquationRequest:
    """What ``robot equations`` was asked for.

    Args:
        robot: library name or path.
        form: text, latex, python, c or matlab.
        quantity: names separated by commas, or nothing.
        neglect: threshold below which terms are left out. [N m or N]
        out: file or folder, or nothing for stdout.
    """

    robot: RobotReference
    form: str = _TEXT
    quantity: str = ""
    neglect: float = 0.0
    out: str = ""
    session: Session = field(default_factory=Session)

    @property
    def names(self) -> list[str]:
        """The quantities named."""
        return [name.strip() for name in self.quantity.split(",") if name.strip()]


def print_equations(request: EquationRequest) -> int:
    """Print or write the equations.

    Raises:
        OptionError: a form, quantity or combination that does not exist.
        EquationError: an unknown quantity, or equations too long to be of use.
        OutputError: the file cannot be written, or is somebody else's.
    """
    if request.form not in FORMS:
        raise OptionError(
            f"--as: there is no form {request.form!r}; there are {', '.join(FORMS)}.",
            form=request.form,
        )
    if not 0.0 <= request.neglect < float("inf"):
        raise OptionError(f"--neglect is {request.neglect}; give a torque in N m, zero or more.")
    if request.out and not _is_folder(request.out):
        check_file(
            Path(request.out), _COMMAND, force=request.session.force
        )  # before the work, not after it
    mechanism = movable_robot(request.robot, request.session)
    source = _condensed(request, mechanism) if _is_condensed(request) else _code(request, mechanism)
    if request.out:
        write_result(
            _place(request.out, source.name),
            source.text,
            _COMMAND,
            comment=_COMMENTS[request.form],
            force=request.session.force,
        )
    else:
        print(source.text, end="" if source.text.endswith("\n") else "\n")
    return ExitCode.DONE


def _is_condensed(request: EquationRequest) -> bool:
    """Text always; LaTeX unless it is asked for a quantity that is exported as a programme."""
    if request.form == _TEXT:
        return True
    return request.form == _LATEX and not request.names


def _place(out: str, name: str) -> Path:
    return Path(out) / name if _is_folder(out) else Path(out)


def _is_folder(out: str) -> bool:
    return out.endswith("/") or Path(out).is_dir()


def _code(request: EquationRequest, mechanism: Mechanism) -> SourceFile:
    if request.neglect:
        raise OptionError(
            f"--neglect is for --as {_TEXT} and {_LATEX}; exported code is always complete."
        )
    return export(mechanism, Language(request.form), request.names or EXPORTED)


def _condensed(request: EquationRequest, mechanism: Mechanism) -> SourceFile:
    unknown = [name for name in request.names if name not in _PARTS]
    if unknown:
        raise OptionError(
            f"--quantity: --as {_TEXT} has no {unknown[0]!r}; there are {', '.join(_PARTS)}.",
            quantity=unknown[0],
        )
    equations = named_equations(request.robot.model, mechanism) or condensed_equations(mechanism)
    left = None
    if request.neglect:
        left = neglect(equations, request.neglect, OperatingRanges.of(mechanism))
        equations = left.equations
    text = _page(request, equations)
    if not request.names:
        text += _comments(request.form, _remarks(mechanism, equations, left))
    name = f"{mechanism.name}{_ENDINGS[request.form]}"
    return SourceFile(name=name.replace("/", "_"), text=text)


def _page(request: EquationRequest, equations: CondensedEquations) -> str:
    if request.names:
        lines = [line for name in request.names for line in _PARTS[name](equations)]
        return "\n".join(lines) + "\n"
    return equations.as_text() if request.form == _TEXT else equations.as_latex()


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


def _comments(form: str, lines: Sequence[str]) -> str:
    head = "" if form == _TEXT else "% "
    return "\n" + "".join(f"{head}{line}\n" for line in lines)
