"""A small synthetic biped: pelvis, two legs of three joints, trunk; it sways, or falls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.findings import Finding, Severity
from planner.findings.finding import SupportEdge
from reports.biped import figures
from reports.biped.motion import ReportedMotion
from robots.biped.biped import Biped, Foot
from robots.biped.motion import BipedMotion, MotorLoads
from robots.biped.posture.ground import Ground
from robots.biped.posture.verdict import Stance, StanceVerdict
from robots.core.mechanism import BASE, Body, Joint, JointKind, Mechanism
from tests.cases import some

SOLE = np.array([[0.17, -0.09], [0.17, 0.09], [-0.12, 0.06], [-0.12, -0.06]])
SPREAD = 0.11  # [m]


def _placed(x, y, z, turn=None):
    T = np.eye(4)
    T[:3, 3] = (x, y, z)
    if turn is not None:
        T[:3, :3] = turn
    return T


ACROSS = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # z of the joint lies along −y


def _leg(first, side, y):
    """Hip, knee and ankle turn about the lateral axis; x forward, y up in their frames."""
    places = (_placed(0, y, 0, ACROSS), _placed(0, -0.41, 0), _placed(0, -0.41, 0))
    return [
        Joint(
            name=f"{name} {side}",
            kind=JointKind.REVOLUTE,
            parent=BASE if k == 0 else first + k - 1,
            placement=places[k],
            q_min=-1.2,
            q_max=1.4,
            max_speed=4.0,
            max_effort=200.0,
            body=Body(mass=mass),
        )
        for k, (name, mass) in enumerate((("hip", 11.0), ("knee", 6.0), ("ankle", 2.0)))
    ]


def _biped():
    trunk = Joint(
        name="trunk",
        kind=JointKind.FIXED,
        parent=BASE,
        placement=_placed(0, 0, 0.13),
        body=Body(mass=48.0, com=[0.0, 0.0, 0.4]),
    )
    joints = (*_leg(0, "right", -SPREAD), *_leg(3, "left", SPREAD), trunk)
    corners = np.column_stack([SOLE[:, 0], np.full(4, -0.083), -SOLE[:, 1]])
    feet = tuple(Foot(name=s, link=f"ankle {s}", sole=corners) for s in ("right", "left"))
    mechanism = Mechanism(name="two-legs", joints=joints, source="made up")
    return Biped(mechanism=mechanism, feet=feet)


def _hull():
    return np.array([[0.17, -0.2], [0.17, 0.2], [-0.12, 0.17], [-0.12, -0.17]])


def sway(reach):
    """Knees bend and the centre of mass goes back by ``reach`` and comes again. [m]."""
    t = np.linspace(0.0, 4.0, 201)
    depth = 0.5 * (1 - np.cos(np.pi * t / 2.0))
    q = np.zeros((len(t), 6))
    q[:, [0, 3]], q[:, [1, 4]], q[:, [2, 5]] = (
        0.4 * depth[:, None],
        -0.8 * depth[:, None],
        0.4 * depth[:, None],
    )
    T = np.tile(np.eye(4), (len(t), 1, 1))
    T[:, 2, 3] = 0.083 + 2 * 0.41 * np.cos(0.4 * depth)
    com = np.column_stack([-0.02 - reach * depth, 0 * t, T[:, 2, 3] + 0.1])
    zmp = np.column_stack([com[:, 0] - 0.004 * np.sin(np.pi * t), 0.002 * np.sin(t), 0 * t])
    margin = zmp[:, 0] + 0.12
    out = np.flatnonzero(margin < 0.0)
    stands = out.size == 0
    verdict = StanceVerdict(
        stance=Stance.STANDING if stands else Stance.FALLEN,
        time=np.nan if stands else float(t[out[0]]),
        edge="heel",
        margin=float(margin.min()),
    )
    qd = np.gradient(q, t, axis=0)
    return BipedMotion(
        biped=_biped(),
        title="sway of two legs",
        t=t,
        q=q,
        qd=qd,
        qdd=np.gradient(qd, t, axis=0),
        tau=30.0 * q + 5.0,
        T_world_base=T,
        com=com,
        zmp=zmp,
        support=tuple(_hull() for _ in t),
        margin=margin,
        ground=np.zeros((len(t), 2)),
        verdict=verdict,
        curves={"capture_x_m": com[:, 0] + 0.01},
        remarks=("The knee goes as far as it was told.",),
    )


def _shown(motion):
    n = motion.q.shape[1]
    ratio = 100.0
    finding = Finding(
        code="B301",
        severity=Severity.ERROR,
        subject=SupportEdge("heel"),
        message="The centre of mass leaves the support polygon over the heel at 1.4 s.",
        hint="Go less deep.",
    )
    return ReportedMotion(
        scenario="squat",
        motion=motion,
        margin=motion.judged_margin(),
        motors=MotorLoads(
            names=tuple(f"m{k + 1}" for k in range(n)),
            position=ratio * motion.q,
            speed=ratio * motion.qd,
            torque=motion.tau / ratio,
            max_speed=np.full(n, 500.0),
            max_torque=np.full(n, np.inf),
        ),
        findings=() if motion.verdict.stance is Stance.STANDING else (finding,),
        command="palpeur biped squat two-legs",
    )


@pytest.fixture(scope="session")
def standing():
    return _shown(sway(0.05))


@pytest.fixture(scope="session")
def falling():
    return _shown(sway(0.18))


@pytest.fixture(scope="session")
def tilting():
    """On ground that tilts, with a polygon that goes with it."""
    motion = sway(0.02)
    beta = 0.2 * np.sin(np.pi * motion.t / 4.0)
    alpha = 0.5 * beta
    T, com, zmp = motion.T_world_base.copy(), motion.com.copy(), motion.zmp.copy()
    support = []
    for k, ground in enumerate(Ground(alpha=a, beta=b) for a, b in zip(alpha, beta, strict=True)):
        T[k], com[k] = ground.T_world_ground @ T[k], ground.rotation @ com[k]
        zmp[k] = ground.below(zmp[k])
        support.append((np.column_stack([_hull(), np.zeros(4)]) @ ground.rotation.T)[:, :2])
    return _shown(
        replace(
            motion,
            ground=np.column_stack([alpha, beta]),
            support=tuple(support),
            T_world_base=T,
            com=com,
            zmp=zmp,
        )
    )


@pytest.fixture(scope="session")
def drawn(falling):
    """Files of the figures of the fall: of one quantity of joints, in the soak of all of them.

    The gate draws all when ``palpeur biped squat`` writes its set.
    """
    quantities = figures.quantities
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "quantities", lambda shown: some(quantities(shown), gate=1))
        return figures.draw_figures(falling)
