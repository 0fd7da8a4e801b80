"""The worker's side: ``python -m planner.batch.worker ORDER`` judges cases from stdin.

ORDER is a JSON document: where the ledger is, what its keys depend on, what is asked. Each line of
stdin is a task; the first line of stdout says that the worker is ready, each further one is the end
of a task. The process ends when stdin does, when its parent is gone, or on SIGTERM once a result
that is being written is on the disk.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, TextIO

import numpy as np

from planner.batch.case import Case, CaseKey, Environment, FileHashes, key_of, shown
from planner.batch.engine import Ending
from planner.batch.ledger import Ledger
from planner.batch.outcome import CaseStatus, Outcome
from planner.batch.pool import ENDED, READY, Caps, PoolOptions, WorkerPool
from planner.batch.surroundings import surroundings
from planner.errors import OutputError
from planner.findings import Finding, Severity
from reports.visible_text import EscapedStream
from robots.core.errors import PalpeurError

if TYPE_CHECKING:
    from planner.job import JobInput
    from planner.plan import Plan
    from planner.proof import Proof

_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux
# Over the cap, which is watched from outside: this stops what is quicker. It counts what is
# promised, not what is used, and libraries have themselves promised a lot.
_HEADROOM = 1 << 30  # [bytes]
_READINGS = 3  # of a job whose files change while it is read
_STATUS = 1 << 14  # bytes of /proc/self/status, which has about 1500
_DETAIL = 500  # characters of what an unexpected error says
_LONGEST = 2000  # characters of a message; a table of findings is not a message


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerRequest:
    """Request to a worker, sent once.

    Args:
        ledger: folder of the results.
        surroundings: what every key depends on.
        allow_outside: whether jobs may name files outside their folder.
        reports: whose report sets are written: "none", "failed" or "all".
        memory: cap of the process, in bytes; zero for none.
        parent: process id whose end is the worker's end; zero for none.
    """

    ledger: Path
    surroundings: Environment
    allow_outside: bool
    reports: str
    memory: int
    parent: int

    def text(self) -> str:
        """As the worker's argument."""
        around = self.surroundings
        return json.dumps(
            {
                "ledger": str(self.ledger),
                "parameters": dict(around.parameters),
                "code": around.code,
                "environment": dict(around.environment),
                "allow_outside": self.allow_outside,
                "reports": self.reports,
                "memory": self.memory,
                "parent": self.parent,
            }
        )


def order_of(text: str) -> WorkerRequest:
    """An order read back."""
    said = json.loads(text)
    return WorkerRequest(
        ledger=Path(said["ledger"]),
        surroundings=Environment(
            parameters=tuple(sorted(said["parameters"].items())),
            code=said["code"],
            environment=tuple(sorted(said["environment"].items())),
        ),
        allow_outside=said["allow_outside"],
        reports=said["reports"],
        memory=said["memory"],
        parent=said["parent"],
    )


def local_pool(order: WorkerRequest, caps: Caps, workers: int) -> WorkerPool:
    """A pool of worker processes.

    Args:
        order: what each is told.
        caps: of one case.
        workers: how many.
    """
    text = replace(order, parent=os.getpid()).text()
    return WorkerPool(
        PoolOptions(
            # -P: nothing of the folder that the command runs in is imported
            command=(sys.executable, "-P", "-m", "planner.batch.worker", text),
            workers=workers,
            caps=caps,
            log=order.ledger / "workers.log",
        )
    )


@dataclass(slots=True, kw_only=True)
class _Writing:
    """Defers a termination signal while a result is written."""

    now: bool = False
    asked: bool = False

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        """Handle SIGTERM."""
        del number, frame
        self.asked = True
        if not self.now:
            os._exit(ENDED)

    @contextlib.contextmanager
    def section(self) -> Iterator[None]:
        """Not ended inside of it."""
        self.now = True
        try:
            yield
        finally:
            self.now = False
            if self.asked:
                os._exit(ENDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Worker:
    order: WorkerRequest
    ledger: Ledger
    hashes: FileHashes = field(default_factory=FileHashes)
    writing: _Writing = field(default_factory=_Writing)

    def do(self, said: dict[str, str]) -> dict[str, object]:
        """Judge one task and write its result."""
        case = Case(name=said["name"], job=Path(said["job"]), text=said["text"])
        _forget_peak()
        try:
            digest = self._written(case)
        except OutputError as error:
            return _end(Ending.UNWRITABLE, said["digest"], error.message)
        except MemoryError:
            return _end(Ending.MEMORY_CAP, said["digest"])
        except Exception as error:  # noqa: BLE001 whatever a job does to us is a row of the batch
            traceback.print_exc()
            detail = shown(placeless(f"{type(error).__name__}: {error}", case))[:_DETAIL]
            return _end(Ending.CRASHED, said["digest"], detail)
        return _end(Ending.WRITTEN, digest)

    def _written(self, case: Case) -> str:
        key = key_of(case, self.order.surroundings, self.hashes)
        for _ in range(_READINGS):
            found = run_case(case, key, allow_outside=self.order.allow_outside)
            after = key_of(case, self.order.surroundings, self.hashes)
            if after.inputs == key.inputs:
                break
            key = after  # a file was changed while the job was read
        else:
            found = CaseResult(outcome=_restless(case))
        with self.writing.section():
            self._report(case, key, found)
            self.ledger.write(key, found.outcome)
        return key.digest

    def _report(self, case: Case, key: CaseKey, found: CaseResult) -> None:
        wanted = self.order.reports
        failed = found.outcome.status.failed
        if wanted == "none" or (wanted == "failed" and not failed):
            return
        proof = found.proof
        if proof is None or not proof.passed:
            return
        from reports.export import export
        from reports.provenance import provenance

        export(
            proof,
            self.ledger.report(key.digest),
            made=provenance(proof.plan, f"palpeur plan {case.job.name}", case.job.name),
        )


def main() -> None:
    """Judge tasks until there are none."""
    order = order_of(sys.argv[1])
    worker = _Worker(order=order, ledger=Ledger(folder=order.ledger))
    signal.signal(signal.SIGTERM, worker.writing.on_signal)
    _end_with(order.parent)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what libraries print is no answer
    sys.stderr = EscapedStream(sys.stderr)
    prepare()
    _check_same(order)
    _limit(order.memory)
    _say(answers, {READY: True})
    for line in sys.stdin:
        _say(answers, worker.do(json.loads(line)))


def _say(answers: TextIO, said: dict[str, object]) -> None:
    with contextlib.suppress(BrokenPipeError):  # nobody listens: stdin has ended as well
        answers.write(json.dumps(said) + "\n")
        answers.flush()


def _end(ending: Ending, digest: str, detail: str = "") -> dict[str, object]:
    return {"ending": ending.value, "digest": digest, "detail": detail, "peak": _peak()}


def _restless(case: Case) -> Outcome:
    return Outcome(
        status=CaseStatus.CRASHED,
        code="changing",
        where=shown(case.job.name),
        message=f"the files of the job changed {_READINGS} times while it was read; run the batch "
        "again when they are at rest.",
    )


def _check_same(order: WorkerRequest) -> None:
    """Refuse to judge with other code than the keys say: on a cluster, or after an upgrade."""
    here = surroundings(allow_outside=order.allow_outside)
    mine = dict(here.environment) | dict(here.parameters)
    asked = dict(order.surroundings.environment) | dict(order.surroundings.parameters)
    others = sorted(name for name in {*mine, *asked} if mine.get(name) != asked.get(name))
    if here.code != order.surroundings.code:
        others.append("Palpeur's own files")
    if others:
        sys.exit(
            f"this is not the installation that the batch was started with: {', '.join(others)}; "
            "run the same command again with equal ones"
        )


def _end_with(parent: int) -> None:
    """End when the parent does, whatever ends it."""
    if not parent:
        return
    if not hasattr(signal, "SIGKILL"):
        return  # Windows, where stdin ends with the parent and the worker with stdin
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it was gone before we asked
        os._exit(0)


def _limit(memory: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits; the batch says so
        return
    if memory:
        most = memory + _HEADROOM
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _forget_peak() -> None:
    """Start the kernel's count of the most memory anew."""
    with contextlib.suppress(OSError), _opened("/proc/self/clear_refs", os.O_WRONLY) as handle:
        os.write(handle, b"5")


def _peak() -> int:
    """Most memory since ``_forget_peak``, in bytes."""
    with contextlib.suppress(OSError), _opened("/proc/self/status", os.O_RDONLY) as handle:
        _, _, rest = os.read(handle, _STATUS).partition(b"VmHWM:")
        return 1024 * int(rest.split(maxsplit=1)[0]) if rest else 0
    return 0


@contextlib.contextmanager
def _opened(path: str, flags: int) -> Iterator[int]:
    """A handle without the buffers and decoders of a file: two of them cost a job 0.2 ms."""
    handle = os.open(path, flags)
    try:
        yield handle
    finally:
        os.close(handle)


# --- one case ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CaseResult:
    """Outcome of a case, and the proof of its plan.

    Args:
        outcome: what came out.
        proof: of its plan; None where there is none.
    """

    outcome: Outcome
    proof: Proof | None = None


def prepare() -> None:
    """Load what judging needs, so that no case pays for it."""
    for module in ("planner.job", "planner.planning", "planner.proof"):
        importlib.import_module(module)


def run_case(case: Case, key: CaseKey, *, allow_outside: bool) -> CaseResult:
    """Read, plan and prove a case; whatever is wrong with the job is its outcome.

    Args:
        case: the job.
        key: what the ledger knows of its inputs.
        allow_outside: whether the job may name files outside its folder.
    """
    from planner.job import read_job
    from planner.planning import plan_and_prove

    try:
        job = read_job(case.job, allow_outside=allow_outside, text=case.text, fixed_part=True)
        proof = plan_and_prove(job)
    except PalpeurError as error:
        return CaseResult(outcome=_refused(error, case))
    known = set(dict(key.inputs))
    further = {
        _place(item, case): item.sha256
        for item in job.inputs
        if item.path is not None and item.name not in known
    }
    return CaseResult(outcome=_planned(proof, further), proof=proof)


def _place(item: JobInput, case: Case) -> str:
    """Where an input is found again from the job's folder; a mesh has a name of its own."""
    if item.beside and item.path is not None:
        return os.path.relpath(item.path, case.job.parent.resolve())
    return item.name


def _refused(error: PalpeurError, case: Case) -> Outcome:
    where = error.facts.get("key") or error.facts.get("file") or case.job.name
    return Outcome(
        status=CaseStatus.REFUSED,
        code=type(error).__name__,
        where=shown(placeless(str(where), case)),
        message=shown(placeless(error.message, case))[:_LONGEST],
    )


def placeless(text: str, case: Case) -> str:
    """A text that does not say in which folder it was written: equal inputs, equal results."""
    folder = case.job.parent
    for path in (str(folder.resolve()), str(folder)):
        if path not in {".", "/"}:
            text = text.replace(f"{path}/", "").replace(path, ".")
    return text


def _planned(proof: Proof, further: dict[str, str]) -> Outcome:
    plan = proof.plan
    if not proof.passed:
        from reports.rejection import failed_check_text

        failed = ", ".join(check.name for check in proof.failures)
        status, code, where = CaseStatus.NOT_VALIDATED, "validation", failed
        told = "; ".join(failed_check_text(plan, check) for check in proof.failures)
        message = f"the plan failed its own validation: {told}. This is a fault of Palpeur's."
    elif plan.feasible:
        status, code, where, message = CaseStatus.FEASIBLE, "", "", ""
    else:
        worst = next(item for item in plan.finding_list if item.severity is Severity.ERROR)
        status, code, where = CaseStatus.INFEASIBLE, worst.code, worst.where
        message = _sentence(worst, plan)
    return Outcome(
        status=status,
        code=code,
        where=shown(where),
        message=shown(message)[:_LONGEST],
        figures=_figures(plan),
        findings=Counter(item.code for item in plan.finding_list),
        unchecked=tuple(one.aspect for one in plan.unchecked),
        inputs=further,
    )


def _sentence(worst: Finding, plan: Plan) -> str:
    others = sum(item.severity is Severity.ERROR for item in plan.finding_list) - 1
    return f"{worst.message} (and {others} more)" if others else worst.message


def _figures(plan: Plan) -> dict[str, float]:
    """Numbers that tell two plans apart; those that do not exist are left out.

    Where no point is reached nothing moves: a motion of 0 s would look like the quickest one.
    """
    reached = [point for point in plan.planned_points if point.reachable]
    mechanism = plan.job.mechanism
    turns = {joint.name: joint.kind.angular for joint in mechanism.movable}
    angles = [p.joint_margin for p in reached if turns.get(p.margin_joint, False)]
    slides = [p.joint_margin for p in reached if not turns.get(p.margin_joint, True)]
    nearest = plan.nearest
    found = {
        "points": float(len(plan.planned_points)),
        "points_reached": float(len(reached)),
        "joint_margin_deg": float(np.degrees(min(angles, default=np.nan))),
        "joint_margin_mm": 1e3 * min(slides, default=np.nan),
        "clearance_mm": np.nan
        if nearest is None or not nearest[0].kept(plan.job.checks.clearance)
        else 1e3 * nearest[0].certified,
        "singularity_margin": min((p.singularity_margin for p in reached), default=np.nan),
    }
    if plan.timeline:
        found |= _motion_figures(plan)
    return {name: float(value) for name, value in found.items() if np.isfinite(value)}


def _motion_figures(plan: Plan) -> dict[str, float]:
    from planner.plan import or_nan

    movable = plan.job.mechanism.movable
    turning = {joint.name for joint in movable if joint.kind.angular}
    limits = {joint.name: joint.max_effort for joint in movable}
    found = {
        "duration_s": plan.totals.duration,
        "energy_j": or_nan(plan.totals.energy),
        "peak_power_w": or_nan(plan.totals.peak_power),
        "peak_torque_nm": max(
            (or_nan(j.peak_torque) for j in plan.joint_loads if j.name in turning), default=np.nan
        ),
    }
    if np.isfinite(list(limits.values())).any():
        found["torque_fraction"] = max(
            or_nan(j.peak_torque) / limits[j.name] for j in plan.joint_loads
        )
    return found


if __name__ == "__main__":
    main()
