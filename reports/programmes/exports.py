"""All programmes of a plan, and each alone.

What could move a robot is written from proven motions only; the others are data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from planner.errors import OutputError
from planner.job import Job
from planner.plan import Plan
from reports.programmes import (
    controllers,
    dmis,
    fanuc,
    gcode,
    ipp,
    krl,
    qif,
    rapid,
    ros2,
    urscript,
)
from reports.programmes.axes import axes_fault
from reports.programmes.source import ProgrammeSource
from reports.provenance import SetOptions
from reports.verdict import withheld
from robots.core.controller import Controller
from robots.core.mechanism import Mechanism
from robots.core.robot_file.controller_table import PROBE_INPUT, controller_example
from robots.core.robot_file.conversion import controller_text

_PROBE_INPUT = ("controller", "probe_input")
Writer = Callable[[ProgrammeSource], Mapping[str, bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a format cannot be written for a job.

    Args:
        reason: in words.
        fix: what to do.
        key: of the job file that it is about; empty for none.
    """

    reason: str
    fix: str = "Choose another format; csv and ros hold any joints"
    key: str = ""


def _written(source: ProgrammeSource) -> str:
    """Any plan can be written whose job can."""
    del source
    return ""


def _never(job: Job) -> Refusal | None:
    """Any job can be written."""
    del job
    return None


def search_refusal(job: Job) -> Refusal | None:
    """What every programme needs that measures by itself: a search."""
    if job.touch.searching:
        return None
    return Refusal(
        key="touch.mode",
        reason='touch.mode is "to-rest": the plan has no search in which a probe could trigger',
        fix='Set mode = "search" in [touch]; csv and ros hold the motion as it is',
    )


def input_refusal(job: Job, controller: Controller) -> Refusal | None:
    """What every programme needs that reads the probe by itself: the number of its input.

    None is assumed: a programme that watches another input drives through the surface.
    """
    if controller.probe_input is not None:
        return None
    table = controller_text(
        job.mechanism, replace(controller, probe_input=1), {_PROBE_INPUT: (PROBE_INPUT,)}
    )
    return Refusal(
        key=".".join(_PROBE_INPUT),
        reason="neither robot file nor job says which digital input is true while the probe is "
        "deflected",
        fix="Write probe_input in [controller] of the robot file, or of the job, whose table "
        f"replaces the robot's whole; for example, to be corrected:\n\n{table}",
    )


def robot_refusal(
    fault: Callable[[Mechanism, Controller], str],
    *,
    coupled: bool = False,
    reads_input: bool = True,
) -> Callable[[Job], Refusal | None]:
    """What a programme of a robot's own controller needs: a search, and [controller].

    Args:
        fault: why joints cannot stand in the controller's axes; empty where they can.
        coupled: whether its axes may be coupled.
        reads_input: whether it reads the probe at a numbered input, instead of by a probing word
            of the machine.
    """

    def refusal(job: Job) -> Refusal | None:
        if job.controller is None:
            return Refusal(
                key="controller",
                reason="neither robot file nor job says which joint stands in which axis of the "
                "controller, with which sign and zero, and which input the probe has",
                fix="Add [controller] to one of them; for example, to be corrected:\n\n"
                f"{controller_example(job.mechanism)}",
            )
        if job.controller.coupled and not coupled:
            return Refusal(
                key="controller.coupled",
                reason="its controller counts every axis by itself, but [controller] couples axes",
                fix="Remove coupled from [controller]",
            )
        if found := fault(job.mechanism, job.controller):
            return Refusal(key="controller.axes", reason=found)
        if refused := search_refusal(job):
            return refused
        return input_refusal(job, job.controller) if reads_input else None

    return refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """One format.

    Args:
        name: for people.
        files: paths of what is written, relative to the report set.
        write: content of each file.
        moves: whether a machine could be moved with it.
        refusal: why the format cannot be written for a job; None where it can.
        plan_fault: why it cannot be written for a plan of such a job; empty where it can.
    """

    name: str
    files: tuple[str, ...]
    write: Writer
    moves: bool = True
    refusal: Callable[[Job], Refusal | None] = _never
    plan_fault: Callable[[ProgrammeSource], str] = _written


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
            write=krl.krl,
            refusal=robot_refusal(axes_fault),
        ),
        "rapid": Export(
            name="ABB RAPID",
            files=("robot/palpeur.mod",),
            write=rapid.rapid,
            refusal=robot_refusal(axes_fault),
        ),
        "urscript": Export(
            name="URScript",
            files=(urscript.PATH,),
            write=urscript.urscript,
            refusal=robot_refusal(urscript.urscript_fault),
        ),
        "linuxcnc": Export(
            name="G-code for LinuxCNC",
            files=(gcode.LINUXCNC_PATH,),
            write=gcode.linuxcnc,
            refusal=robot_refusal(gcode.linuxcnc_fault, reads_input=False),
            plan_fault=gcode.head_fault,
        ),
        "fanuc-gcode": Export(
            name="G-code for FANUC",
            files=(gcode.FANUC_PATH,),
            write=gcode.fanuc,
            refusal=robot_refusal(gcode.fanuc_fault, reads_input=False),
            plan_fault=gcode.fanuc_plan_fault,
        ),
        "fanuc": Export(
            name="FANUC TP",
            files=(fanuc.PATH, fanuc.LOG_PATH),
            write=fanuc.fanuc,
            refusal=robot_refusal(fanuc.fanuc_fault, coupled=True),
        ),
        "ros2": Export(
            name="ROS 2 node", files=(ros2.PATH,), write=ros2.ros2, refusal=search_refusal
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
        formats: keys of ``EXPORTS``; all that can be written for the job when None.
        options: whether programmes may leave out points, and what else speaks against them.

    Raises:
        OutputError: an unknown format, or one that was asked for and cannot be written.
    """
    job = plan.job
    if formats is None:
        chosen = [key for key, export in EXPORTS.items() if export.refusal(job) is None]
    else:
        chosen = list(formats)
        check_formats(chosen, job)
    if not plan.timeline or plan.trajectory.duration <= 0.0:
        return {}
    still = bool(withheld(plan, options or SetOptions()))
    source = ProgrammeSource(plan)
    files: dict[str, bytes] = {}
    for key, export in EXPORTS.items():
        if key not in chosen or (still and export.moves):
            continue
        fault = export.plan_fault(source)
        if fault and formats is not None:
            raise OutputError(
                f"{export.name} cannot be written for {job.name!r}: {fault}.", found=key
            )
        if not fault:
            files.update(export.write(source))
    return dict(sorted(files.items()))


def check_formats(formats: Iterable[str], job: Job) -> None:
    """Whether formats exist and can be written for a job.

    Raises:
        OutputError: one that does not, or cannot.
    """
    for key in formats:
        if key not in EXPORTS:
            raise OutputError(
                f"There is no format {key!r}; expected one of {', '.join(EXPORTS)}.", found=key
            )
        refusal = EXPORTS[key].refusal(job)
        if refusal is not None:
            raise OutputError(
                f"{EXPORTS[key].name} cannot be written for {job.mechanism.name}: "
                f"{refusal.reason}. {refusal.fix}{_end(refusal.fix)}",
                found=key,
                key=refusal.key,
            )


def _end(text: str) -> str:
    """A full stop, but not behind an example on lines of its own."""
    return "" if "\n" in text else "."
