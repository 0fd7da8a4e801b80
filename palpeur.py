"""Palpeur in Python: robots, parts and points in; plans, proofs, figures and files out.

>>> import palpeur as pp
>>> job = pp.Job(robot=pp.load_robot("measuring-arm"), points="points.csv")
>>> proof = pp.prove(pp.plan(job))
>>> pp.export(proof, "out")

Lengths are in metres and angles in radians, but for tables and files, where the unit stands in the
name of the column. Every name is loaded when it is first used, so that importing costs nothing.
Everything that is not listed here may change without notice.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parts.drawing.drawing import Drawing as Drawing
    from parts.errors import PartError as PartError
    from parts.part import Part as Part
    from parts.part import load_part as load_part
    from parts.points import ProbePoints as ProbePoints
    from parts.points import RawPoints as RawPoints
    from parts.points import read_points as read_points
    from parts.probe import Tip as Tip
    from parts.sampling.sample import Sample as Sample
    from planner.batch.batch import BatchOptions as BatchOptions
    from planner.batch.batch import BatchResult as BatchResult
    from planner.batch.batch import run_batch
    from planner.errors import PlannerError as PlannerError
    from planner.evaluation.job_evaluation import JobEvaluation as JobEvaluation
    from planner.evaluation.job_evaluation import evaluate_job
    from planner.fixes.explanation import Explanation as Explanation
    from planner.fixes.explanation import explain as explain
    from planner.job import Job as Job
    from planner.job import read_job as read_job
    from planner.library import read_example as read_example
    from planner.part_pose.place import Placement as Placement
    from planner.part_pose.place import place as place
    from planner.plan import Plan as Plan
    from planner.planning import plan as plan
    from planner.proof import Proof as Proof
    from planner.proof import prove as prove
    from planner.proposal.proposal import Proposal as Proposal
    from planner.proposal.proposal import propose as propose
    from reports.export import export as export
    from reports.provenance import SetOptions as SetOptions
    from reports.views import SceneView as SceneView
    from reports.views import show as show
    from robots.core.errors import RobotError as RobotError
    from robots.core.inverse import Solutions as Solutions
    from robots.core.robot_import import ImportedRobot as ImportedRobot
    from robots.core.robot_import import import_robot as import_robot
    from robots.robot import Robot as Robot
    from robots.robot import load_robot as load_robot

    __version__: str
    batch, evaluate = run_batch, evaluate_job

# Every public name and the module that it lives in; behind a colon its name there.
_HOMES = {
    "BatchOptions": "planner.batch.batch",
    "BatchResult": "planner.batch.batch",
    "Drawing": "parts.drawing.drawing",
    "Explanation": "planner.fixes.explanation",
    "ImportedRobot": "robots.core.robot_import",
    "Job": "planner.job",
    "JobEvaluation": "planner.evaluation.job_evaluation",
    "Part": "parts.part",
    "PartError": "parts.errors",
    "Placement": "planner.part_pose.place",
    "Plan": "planner.plan",
    "PlannerError": "planner.errors",
    "ProbePoints": "parts.points",
    "Proposal": "planner.proposal.proposal",
    "RawPoints": "parts.points",
    "Proof": "planner.proof",
    "Robot": "robots.robot",
    "RobotError": "robots.core.errors",
    "Sample": "parts.sampling.sample",
    "SceneView": "reports.views",
    "SetOptions": "reports.provenance",
    "Solutions": "robots.core.inverse",
    "Tip": "parts.probe",
    "batch": "planner.batch.batch:run_batch",
    "evaluate": "planner.evaluation.job_evaluation:evaluate_job",
    "explain": "planner.fixes.explanation",
    "export": "reports.export",
    "import_robot": "robots.core.robot_import",
    "load_part": "parts.part",
    "load_robot": "robots.robot",
    "place": "planner.part_pose.place",
    "plan": "planner.planning",
    "propose": "planner.proposal.proposal",
    "prove": "planner.proof",
    "read_example": "planner.library",
    "read_job": "planner.job",
    "read_points": "parts.points",
    "show": "reports.views",
}
__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 the names above are texts


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        value: object = version("palpeur")
    elif name in _HOMES:
        home, _, own = _HOMES[name].partition(":")
        value = getattr(import_module(home), own or name)
    else:
        raise AttributeError(f"module 'palpeur' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
