"""All programmes of a plan, and each alone.

What could move a robot is written from proven motions only; the others are data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from planner.errors import OutputError
from planner.plan import Plan
from reports.programmes import controllers, dmis, ipp, qif
from reports.programmes.axes import axes_fault, six_rotary_fault
from reports.programmes.source import ProgrammeSource
from reports.provenance import SetOptions
from reports.verdict import withheld
from robots.core.mechanism import Mechanism

Writer = Callable[[ProgrammeSource], Mapping[str, bytes]]


def _none(mechanism: Mechanism) -> str:
    """Any robot can be written."""
    del mechanism
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """One format.

    Args:
        name: for people.
        files: paths of what is written, relative to the report set.
        write: content of each file.
        moves: whether a machine could be moved with it.
        fault: why the format cannot hold a robot's joints; empty where it can.
    """

    name: str
    files: tuple[str, ...]
    write: Writer
    moves: bool = True
    fault: Callable[[Mechanism], str] = _none


EXPORTS: Mapping[str, Export] = MappingProxyType(
    {
        "dmis": Export(name="DMIS", files=("program.dmi",), write=dmis.dmis),
        "ipp": Export(name="I++ DME", files=("program.ipp",), write=ipp.ipp),
        "qif": Export(name="QIF 3.0", files=("plan.qif",), write=qif.qif, moves=False),
        "csv": Export(
            name="joints as CSV",
            files=(controllers.JOINT_TABLE_PATH,),
            write=controllers.joint_table,
        ),
        "ros": Export(
            name="ROS JointTrajectory", files=(controllers.ROS_PATH,), write=controllers.ros
        ),
        "krl": Export(
            name="KUKA KRL",
            files=("robot/palpeur.dat", "robot/palpeur.src"),
            write=controllers.krl,
            fault=axes_fault,
        ),
        "rapid": Export(
            name="ABB RAPID",
            files=("robot/palpeur.mod",),
            write=controllers.rapid,
            fault=axes_fault,
        ),
        "urscript": Export(
            name="URScript",
            files=("robot/palpeur.script",),
            write=controllers.urscript,
            fault=six_rotary_fault,
        ),
    }
)


def programmes(
    plan: Plan, formats: Iterable[str] | None = None, options: SetOptions | None = None
) -> dict[str, bytes]:
    """Content of the programmes of a plan, by path relative to the report set.

    A plan whose motion is not proven has no programme, one that leaves out points only where that
    is asked for; ``reports.verdict.withheld`` gives the reason.

    Args:
        plan: whose exact motion is written, not its samples.
        formats: keys of ``EXPORTS``; all that can hold the robot's joints when None.
        options: whether programmes may leave out points, and what else speaks against them.

    Raises:
        OutputError: an unknown format, or one that was asked for and cannot hold the joints.
    """
    mechanism = plan.job.mechanism
    if formats is None:
        chosen = [key for key, export in EXPORTS.items() if not export.fault(mechanism)]
    else:
        chosen = list(formats)
        check_formats(chosen, mechanism)
    if not plan.timeline or plan.trajectory.duration <= 0.0:
        return {}
    still = bool(withheld(plan, options or SetOptions()))
    source = ProgrammeSource(plan)
    files: dict[str, bytes] = {}
    for key, export in EXPORTS.items():
        if key in chosen and not (still and export.moves):
            files.update(export.write(source))
    return dict(sorted(files.items()))


def check_formats(formats: Iterable[str], mechanism: Mechanism) -> None:
    """Whether formats exist and can hold a robot's joints.

    Raises:
        OutputError: one that does not, or cannot.
    """
    for key in formats:
        if key not in EXPORTS:
            raise OutputError(
                f"There is no format {key!r}; expected one of {', '.join(EXPORTS)}.", found=key
            )
        fault = EXPORTS[key].fault(mechanism)
        if fault:
            raise OutputError(
                f"{EXPORTS[key].name} cannot be written for {mechanism.name}: {fault}. Choose "
                "another format; csv and ros hold any joints.",
                found=key,
            )
