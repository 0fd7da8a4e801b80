"""``palpeur stewart move``: one motion of a platform, judged and reported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.moves.sampled import instants
from planner.cli.output import Form, bold, print_csv, print_json, print_table
from planner.cli.session import Session
from planner.cli.stewart.move_findings import findings_of
from planner.cli.stewart.pose_text import pose_of
from planner.errors import OptionError
from reports.document_text import document_text
from robots.core.arrays import Array
from robots.stewart.library import open_platform
from robots.stewart.limits import violations
from robots.stewart.model import PlatformModel
from robots.stewart.motion import TimedMotion
from robots.stewart.platform import Platform

if TYPE_CHECKING:
    from reports.stewart.leg_motion import Balance, LegMotion, LegSamples


_RISE = 1.0 / 3.0  # part of a trapezoid's given duration in which it speeds up
_NODES, _PANELS = 16, 24  # of the quadrature of work, on each smooth piece


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveRequest:
    """What is asked.

    Args:
        robot: name or path.
        start: pose.
        end: pose; empty with ``published``.
        law: by name.
        duration: zero for the least. [s]
        published: the paper's motion.
        period_ms: of the samples.
        out: folder; empty for none.
        form: of the answer.
        session: for messages.
    """

    robot: str
    start: str
    end: str
    law: str
    duration: float
    published: bool
    period_ms: float
    out: str
    form: Form
    session: Session


@dataclass(frozen=True, slots=True, kw_only=True)
class _Timed:
    """A motion with its names."""

    motion: TimedMotion
    title: str
    law: str
    binding: str = ""


def print_move(request: MoveRequest) -> int:
    """Time, judge, write and print one motion.

    Raises:
        RobotError: a platform that is none; poses it cannot take; limits that give no time.
        OptionError: values that do not fit together, or a pose out of the workspace.
        OutputError: the folder holds other files, or cannot be written.
    """
    from reports.stewart.motion_document import motion_document, sample_rows

    if not np.isfinite(request.period_ms):
        raise OptionError(f"--period-ms is {request.period_ms}; give a finite number.")
    if request.out:
        from planner.result_files import check_set
        from reports.stewart.motion_set import KIND

        check_set(
            Path(request.out), KIND, force=request.session.force
        )  # before the work, not after it
    platform = open_platform(request.robot)
    shown = _leg_motion(platform, _timed(platform, request), request)
    document = motion_document(shown)
    if request.out:
        _write(shown, document, request)
    if request.form.json:
        print_json(document)
    elif request.form.csv:
        print_csv(*sample_rows(shown))
    else:
        _print_text(shown)
    return ExitCode.DONE if shown.feasible else ExitCode.FAILED


def _timed(platform: Platform, request: MoveRequest) -> _Timed:
    from planner.cli.stewart.published import published_of
    from robots.core.motion.motion_law import motion_law
    from robots.stewart.motion_move import pose_move
    from robots.stewart.motion_time import least_time_move

    if request.published:
        if request.end or request.start != "home" or request.duration:
            raise OptionError("--published is a whole motion; leave out --from, --to, --duration.")
        title = f"{platform.name}, motion of [STAICU09] (5)-(6)"
        return _Timed(motion=published_of(platform), title=title, law="harmonic")
    if not request.end:
        raise OptionError("--to is missing; give a pose x,y,z[,rz,ry,rx], or --published.")
    start = pose_of(request.start, "--from", platform)
    end = pose_of(request.end, "--to", platform)
    _check_inside(platform, start, "--from")
    _check_inside(platform, end, "--to")
    if not 0.0 <= request.duration < inf:
        raise OptionError(
            f"--duration is {request.duration:g} s; give a finite number above 0, or leave it out "
            "for the least that the legs allow.",
            option="--duration",
            value=request.duration,
            limit=0.0,
            unit="s",
        )
    title = f"{platform.name}, {request.start} to {request.end}"
    if request.duration:
        course = pose_move(start, end, motion_law(request.law, acceleration_fraction=_RISE))
        motion = TimedMotion(course=course, duration=request.duration)
        return _Timed(motion=motion, title=title, law=request.law, binding="--duration")
    least = least_time_move(PlatformModel(platform), start, end, request.law)
    return _Timed(motion=least.motion, title=title, law=request.law, binding=str(least.binding))


def _check_inside(platform: Platform, T: Array, option: str) -> None:
    broken = violations(platform, T)
    if broken:
        rest = f" and {len(broken) - 1} more limits" if len(broken) > 1 else ""
        raise OptionError(
            f"{option} is outside the workspace of {platform.name}: "
            f"{broken[0].sentence.rstrip('.')}{rest}; give a pose nearer to home.",
            option=option,
        )


def _leg_motion(platform: Platform, timed: _Timed, request: MoveRequest) -> LegMotion:
    from reports.stewart.leg_motion import LegMotion
    from robots.stewart.motion_check import check_motion
    from robots.stewart.motion_legs import motion_peaks

    model = PlatformModel(platform, "single-use")
    report = check_motion(model, timed.motion)
    return LegMotion(
        platform=platform,
        title=timed.title,
        law=timed.law,
        motion=timed.motion,
        binding=timed.binding,
        samples=_samples(model, timed.motion, request.period_ms),
        peaks=motion_peaks(model, timed.motion),
        balance=_balance(model, timed.motion),
        findings=findings_of(report),
        command=_command(request),
    )


def _samples(model: PlatformModel, motion: TimedMotion, period_ms: float) -> LegSamples:
    from reports.stewart.leg_motion import LegSamples

    t = instants(motion.duration, period_ms)
    state = motion.state(t, "right")
    last = motion.state(t[-1:], "left")  # nothing comes after the end
    A = np.concatenate([state.A[:-1], last.A])
    return LegSamples(
        t=t,
        T=state.T,
        lengths=model.lengths(state.T),
        rates=model.length_rates(state.T, state.V),
        accelerations=model.length_accelerations(state.T, state.V, A),
        forces=model.forces(state.T, state.V, A),
    )


def _balance(model: PlatformModel, motion: TimedMotion) -> Balance:
    """Work by Gauss' quadrature on every smooth piece, energy at both ends."""
    from reports.stewart.leg_motion import Balance

    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    edges = motion.duration * np.unique(
        np.concatenate([np.linspace(0.0, 1.0, _PANELS + 1), motion.course.breaks])
    )
    half = np.diff(edges)[:, None] / 2.0
    t = (edges[:-1, None] + half * (1.0 + nodes)).ravel()
    state = motion.state(t)
    rates = model.length_rates(state.T, state.V)
    share = (half * weights).ravel()
    work = float(share @ np.sum(model.forces(state.T, state.V, state.A) * rates, axis=-1))
    legs = model.platform.legs
    viscous = np.array([leg.viscous for leg in legs])
    coulomb = np.array([leg.coulomb for leg in legs])
    lost = np.sum(coulomb * np.abs(rates) + viscous * rates**2, axis=-1)
    ends = motion.state(np.array([0.0, motion.duration]))
    energy = model.energies(ends.T, ends.V)
    total = np.asarray(energy.kinetic) + np.asarray(energy.potential)
    return Balance(
        net_work=work, energy_change=float(total[1] - total[0]), friction=float(share @ lost)
    )


def _command(request: MoveRequest) -> str:
    parts = ["palpeur stewart move", request.robot]
    if request.published:
        parts.append("--published")
    else:
        parts += ["--from", request.start, "--to", request.end, "--law", request.law]
        parts += ["--duration", f"{request.duration:g}"] if request.duration else []
    return " ".join([*parts, "--period-ms", f"{request.period_ms:g}"])


def _write(shown: LegMotion, document: dict[str, object], request: MoveRequest) -> None:
    from reports.stewart.motion_set import write_motion_set

    write_motion_set(shown, document_text(document), Path(request.out), force=request.session.force)
    request.session.say(f"figures, motion.csv, motion.json and page.html written to {request.out}")


def _print_text(shown: LegMotion) -> None:
    duration = f"{shown.motion.duration:.6f} s"
    print(bold(f"{shown.title}: {duration}"))
    if shown.binding:
        print(f"bound by {shown.binding}")
    peaks = shown.peaks
    values: tuple[Callable[[int], float], ...] = (
        lambda k: 1e3 * float(peaks.shortest.value[k]),
        lambda k: 1e3 * float(peaks.longest.value[k]),
        lambda k: float(peaks.speed.value[k]),
        lambda k: float(peaks.acceleration.value[k]),
        lambda k: float(shown.samples.forces[:, k].min()),
        lambda k: float(shown.samples.forces[:, k].max()),
    )
    rows = [
        (leg.name, *(f"{value(k):.6g}" for value in values))
        for k, leg in enumerate(shown.platform.legs)
    ]
    heads = ("shortest mm", "longest mm", "speed m/s", "accel. m/s²", "least N", "largest N")
    print_table(("leg", *heads), rows)
    balance = shown.balance
    friction = f", {balance.friction:.6g} J lost to friction" if balance.friction else ""
    print(
        f"work of the drives {balance.net_work:.9g} J, "
        f"energy gained {balance.energy_change:.9g} J{friction}"
    )
    for finding in shown.findings:
        print(finding)
    print("feasible" if shown.feasible else "NOT FEASIBLE")
