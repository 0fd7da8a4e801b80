"""One job judged as ``palpeur check`` does, with everything that is a defect put into a class."""

from __future__ import annotations

import re
import time
import traceback
import warnings
from dataclasses import asdict, dataclass, field
from pathlib import Path

from planner.job import read_job
from planner.planning import plan_and_prove
from reports.plan_document import document_text, plan_document
from robots.core.errors import PalpeurError

FEASIBLE, INFEASIBLE, REFUSED = "feasible", "infeasible", "refused"
EXIT_3, NUMBER, TRACEBACK = "exit 3", "not a number", "traceback"
HANG, MEMORY = "hang", "memory"
DEFECTS = (EXIT_3, NUMBER, TRACEBACK, HANG, MEMORY)

# What the document leaves out by its format, not because a computation failed.
_MAY_BE_NULL = re.compile(
    r"^points\.\d+\.(branch|inverse_branch|q_clearance_deg|q_contact_deg|min_clearance_mm"
    r"|joint_margin_deg|joint_margin_mm|singularity_margin|touch_speed_mm_s|overrun_mm)$"
    r"|^touch\.overtravel_mm$"
    r"|^segments\.\d+\.clearance(\.pair)?$"
)
# Not evaluated where the masses of the robot are not known.
_NEEDS_MASSES = re.compile(
    r"^(energy_j|net_work_j|peak_power_w|min_power_w)$"
    r"|^joints\.\d+\.(peak_torque_nm|rms_torque_nm|peak_force_n|rms_force_n|peak_power_w|energy_j)$"
)


@dataclass(kw_only=True)
class Verdict:
    """What became of a job.

    Args:
        seed: of the job.
        kind: one of the words above.
        where: check names, keys, or the place of the traceback: the class of the defect.
        detail: more of it.
        seconds: of work.
        peak: memory of the process. [bytes]
        points: of the job.
        moves: whether it has motion.
        warned: where NumPy complained of a number; empty where it did not.
    """

    seed: int = 0
    kind: str = FEASIBLE
    where: str = ""
    detail: str = ""
    seconds: float = 0.0
    peak: int = 0
    points: int = 0
    moves: bool = False
    robot: str = ""
    warned: str = ""
    findings: list[str] = field(default_factory=list)

    @property
    def defect(self) -> bool:
        return self.kind in DEFECTS

    def document(self) -> dict:
        return asdict(self)


def judged(job: Path, seed: int = 0) -> Verdict:
    """Read, plan, validate and write down a job; nothing it does is an error here."""
    verdict = Verdict(seed=seed)
    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", RuntimeWarning)
        try:
            _judge(job, verdict)
        except PalpeurError as error:
            verdict.kind, verdict.where = REFUSED, type(error).__name__
            verdict.detail = str(error)[:500]
        except MemoryError:
            verdict.kind, verdict.where = MEMORY, "MemoryError"
            verdict.detail = traceback.format_exc()[-3000:]
        except Exception as error:  # noqa: BLE001 every other error is what we are looking for
            verdict.kind, verdict.where = TRACEBACK, _place(error)
            verdict.detail = traceback.format_exc()[-3000:]
    verdict.seconds = time.perf_counter() - began
    warned = [w for w in said if issubclass(w.category, RuntimeWarning)]
    if warned:
        one = warned[0]
        where = "/".join(Path(one.filename).parts[-3:])
        verdict.warned = f"{where}:{one.lineno}: {one.message}"
    return verdict


def _judge(path: Path, verdict: Verdict) -> None:
    job = read_job(path, fixed_part=True)
    verdict.robot, verdict.points = job.robot_model, len(job.points.names)
    proof = plan_and_prove(job)
    planned = proof.plan
    verdict.findings = sorted({finding.code for finding in planned.finding_list})
    verdict.moves = bool(planned.timeline)
    verdict.kind = FEASIBLE if planned.feasible else INFEASIBLE
    document = plan_document(proof)
    document_text(document)
    reached = [point.reachable for point in planned.planned_points]
    missing = [key for key in _nulls(document) if not _allowed(key, reached)]
    if not job.mechanism.masses_known:
        missing = [key for key in missing if not _NEEDS_MASSES.search(key)]
    if missing:
        verdict.kind, verdict.where = NUMBER, re.sub(r"\d+", "*", missing[0])
        verdict.detail = ", ".join(missing[:20])
    if not proof.passed:
        verdict.kind = EXIT_3
        verdict.where = ", ".join(sorted(check.name for check in proof.failures))
        verdict.detail = "; ".join(
            f"{check.name} {check.value:.6g} of {check.limit:.6g}" for check in proof.failures
        )


def _allowed(key: str, reached: list[bool]) -> bool:
    if not _MAY_BE_NULL.match(key):
        return False
    parts = key.split(".")
    exact = parts[0] == "points" and parts[2] in {"branch", "q_clearance_deg", "q_contact_deg"}
    return not (exact and reached[int(parts[1])])


def _nulls(value, path: str = "") -> list[str]:
    if value is None:
        return [path]
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    else:
        return []
    return [
        found for key, one in items for found in _nulls(one, f"{path}.{key}" if path else str(key))
    ]


def _place(error: BaseException) -> str:
    """Type of an error and the last line of ours that it passed."""
    place = ""
    for frame in traceback.extract_tb(error.__traceback__):
        name = Path(frame.filename)
        if "site-packages" not in name.parts and "tests" not in name.parts:
            place = f"{'/'.join(name.parts[-3:])}:{frame.lineno}"
    return f"{type(error).__name__} at {place}"
