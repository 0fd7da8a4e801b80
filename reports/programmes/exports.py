"""All programmes of a plan, and each alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from planner.errors import OutputError
from planner.plan_types import Plan
from reports.programmes import dmis, ipp, joint_table, krl, qif, rapid, ros, urscript
from reports.programmes.source import ProgrammeSource

Writer = Callable[[ProgrammeSource], Mapping[str, bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """One format.

    Args:
        name: for people.
        files: paths of what is written, relative to the report set.
        write: content of each file.
        most_joints: that the format holds; None for any number.
    """

    name: str
    files: tuple[str, ...]
    write: Writer
    most_joints: int | None = None

    def fits(self, plan: Plan) -> bool:
        """Whether the robot's joints can be written."""
        return self.most_joints is None or plan.job.mechanism.dof <= self.most_joints


EXPORTS: Mapping[str, Export] = MappingProxyType(
    {
        "dmis": Export(name="DMIS", files=("program.dmi",), write=dmis.dmis),
        "ipp": Export(name="I++ DME", files=("program.ipp",), write=ipp.ipp),
        "qif": Export(name="QIF 3.0", files=("plan.qif",), write=qif.qif),
        "csv": Export(
            name="joints as CSV", files=(joint_table.PATH,), write=joint_table.joint_table
        ),
        "ros": Export(name="ROS JointTrajectory", files=(ros.PATH,), write=ros.ros),
        "krl": Export(
            name="KUKA KRL",
            files=("robot/palpeur.dat", "robot/palpeur.src"),
            write=krl.krl,
            most_joints=krl.MOST_JOINTS,
        ),
        "rapid": Export(
            name="ABB RAPID",
            files=("robot/palpeur.mod",),
            write=rapid.rapid,
            most_joints=rapid.MOST_JOINTS,
        ),
        "urscript": Export(
            name="URScript",
            files=("robot/palpeur.script",),
            write=urscript.urscript,
            most_joints=urscript.MOST_JOINTS,
        ),
    }
)


def programmes(plan: Plan, formats: Iterable[str] | None = None) -> dict[str, bytes]:
    """Content of the programmes of a plan, by path relative to the report set.

    Args:
        plan: whose exact motion is written, not its samples; one that reaches no point has no
            programme.
        formats: keys of ``EXPORTS``; all that can hold the robot's joints when None.

    Raises:
        OutputError: an unknown format, or one that was asked for and cannot hold the joints.
    """
    if formats is None:
        chosen = [key for key, export in EXPORTS.items() if export.fits(plan)]
    else:
        chosen = list(formats)
        _check(chosen, plan)
    if not plan.segments or plan.trajectory.duration <= 0.0:
        return {}
    source = ProgrammeSource(plan)
    files: dict[str, bytes] = {}
    for key in EXPORTS:
        if key in chosen:
            files.update(EXPORTS[key].write(source))
    return dict(sorted(files.items()))


def _check(chosen: list[str], plan: Plan) -> None:
    for key in chosen:
        if key not in EXPORTS:
            raise OutputError(
                f"There is no format {key!r}; expected one of {', '.join(EXPORTS)}.", found=key
            )
        export = EXPORTS[key]
        if not export.fits(plan):
            dof = plan.job.mechanism.dof
            raise OutputError(
                f"{export.name} holds at most {export.most_joints} joints, but the robot has "
                f"{dof}; choose another format (csv and ros hold any number).",
                found=dof,
                limit=export.most_joints,
            )
