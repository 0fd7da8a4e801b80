"""Random valid robots: the library's, variants of them, small URDF arms, and the real URDF files.

Each is one file (or a library name) and a mechanism to draw postures from. The pool is finite, so
that the loops compiled for a robot serve many jobs.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from robots.core.capsule import Capsule
from robots.core.errors import RobotError
from robots.core.mechanism import BASE, Mechanism
from robots.core.pose import make_pose, rotation_zyx
from robots.core.robot_file import write_toml
from robots.core.self_pairs import default_self_pairs
from robots.core.urdf import read_urdf
from robots.library.catalogue import load, names

# Beside the project, wherever a clone of it stands; jobs of these robots are left out without it.
REAL = Path(
    os.environ.get(
        "PALPEUR_REAL_DATA", Path(__file__).resolve().parents[4] / "shared" / "data" / "real"
    )
)
VARIANTS = 24  # of library robots
ARMS = 24  # made as URDF
PLANNED = (  # library robots that bring a ball to a place along a direction
    "measuring-arm",
    "measuring-arm-com-reading",
    "gantry-5",
    "industrial-6r",
    "industrial-7r",
    "liegeois-6r",
    "stanford",
)

_FEWEST_AXES, _MOST_AXES = 5, 7  # of robots that can


@dataclass(frozen=True)
class Robot:
    """A robot as a job names it.

    Args:
        model: library name, or name of the file.
        text: of the file; empty for a library name.
        mechanism: for postures and limits.
    """

    model: str
    text: str
    mechanism: Mechanism


@cache
def library_robot(name: str) -> Robot:
    return Robot(model=name, text="", mechanism=load(name))


@cache
def other_library_names() -> tuple[str, ...]:
    """Robots that cannot do the task; such jobs must be refused, not more."""
    return tuple(name for name in names() if not _FEWEST_AXES <= load(name).dof <= _MOST_AXES)


@cache
def variant(number: int) -> Robot:
    """A library robot with friction, without capsules, on another base, with motors."""
    draw = np.random.default_rng([77, number])
    mechanism = load(PLANNED[number % len(PLANNED)])
    friction, motors = number % 4, draw.random() < 0.5
    joints = []
    for given in mechanism.joints:
        changes = {}
        if given.movable:
            scale = 10.0 if given.kind.angular else 60.0
            changes = {
                "coulomb": scale * draw.uniform(0.01, 1.0) if friction in (1, 3) else 0.0,
                "viscous": scale * draw.uniform(0.01, 1.0) if friction in (2, 3) else 0.0,
                "motor_inertia": draw.uniform(0.0, 2.0) if motors else given.motor_inertia,
            }
        if given.parent == BASE and draw.random() < 0.5:
            turn = draw.choice([0.0, 30.0, 90.0, 180.0], size=3) * (draw.random() < 0.5)
            base = make_pose(rotation_zyx(np.radians(turn)), draw.uniform(-1.0, 1.0, 3))
            changes["placement"] = base @ given.placement
        joints.append(replace(given, **changes))
    changed = replace(mechanism, name=f"variant-{number}", joints=tuple(joints))
    if draw.random() < 0.4:
        changed = replace(changed, capsules=(), self_pairs=())
    elif not mechanism.capsules:
        changed = _clad(changed, draw)
    if draw.random() < 0.2:
        changed = replace(changed, gravity=9.81 * _direction(draw))
    return Robot(model=f"variant-{number}.toml", text=write_toml(changed), mechanism=changed)


def _direction(draw) -> np.ndarray:
    way = draw.normal(size=3)
    return way / np.linalg.norm(way)


def _clad(mechanism: Mechanism, draw) -> Mechanism:
    """Capsules along the links."""
    capsules = []
    for k, joint in enumerate(mechanism.joints):
        way = joint.placement[:3, 3]
        if joint.parent != BASE and np.linalg.norm(way) > 0.02:
            end = 0.9 * way
            radius = float(draw.uniform(0.01, 0.05))
            capsules.append(
                Capsule(
                    name=f"link {k}", joint=joint.parent, start=0.1 * way, end=end, radius=radius
                )
            )
    clad = replace(mechanism, capsules=tuple(capsules))
    return replace(clad, self_pairs=default_self_pairs(clad))


@cache
def arm(number: int) -> Robot:
    """A URDF arm of five to seven joints that the generator makes."""
    draw = np.random.default_rng([78, number])
    name = f"arm-{number}"
    text = _urdf(name, draw)
    return Robot(model=f"{name}.urdf", text=text, mechanism=read_urdf(text, origin=name))


_AXES = ("0 0 1", "0 1 0", "0 1 0", "1 0 0", "0 1 0", "1 0 0", "0 1 0")


def _urdf(name: str, draw) -> str:
    """Shoulder, elbow and wrist as most arms have them, with offsets of their own."""
    n = int(draw.choice([5, 6, 6, 7]))
    clad, heavy = draw.random() < 0.5, draw.random() < 0.8
    rubbing, fixed = draw.random() < 0.5, draw.random() < 0.3
    lines = [f'<robot name="{name}">', '<link name="base"/>']
    parent = "base"
    if fixed:
        x, y, z = draw.uniform(-0.3, 0.3, 3)
        lines += [
            '<link name="stand"/>',
            f'<joint name="stand" type="fixed"><origin xyz="{x} {y} {z}" rpy="0 0 '
            f'{draw.choice([0.0, 1.5707963267948966])}"/>'
            '<parent link="base"/><child link="stand"/></joint>',
        ]
        parent = "stand"
    for k in range(n):
        length = float(draw.uniform(0.1, 0.5)) if k in (1, 2, 3) else float(draw.uniform(0.0, 0.15))
        side = float(draw.choice([0.0, 0.0, 0.05]))
        along = f"{side} 0 {length}"
        kind = "revolute"
        if k == 0 and draw.random() < 0.15:
            kind = "prismatic"
        if k in (3, 5) and draw.random() < 0.2:
            kind = "continuous"
        low, high = (-3.0, 3.0) if kind != "prismatic" else (-0.5, 0.5)
        body = ""
        if heavy:
            mass, size = draw.uniform(0.2, 8.0), draw.uniform(0.03, 0.1)
            inertia = mass * size * size
            body = (
                f'<inertial><origin xyz="0.01 0 {0.5 * length}"/><mass value="{mass}"/>'
                f'<inertia ixx="{inertia}" ixy="0" ixz="0" iyy="{inertia}" iyz="0" '
                f'izz="{0.6 * inertia}"/></inertial>'
            )
        if clad and k < n - 1:
            body += (
                f'<collision><origin xyz="0 0 {0.5 * length}"/><geometry><cylinder '
                f'radius="{draw.uniform(0.01, 0.05)}" length="{0.6 * length + 0.02}"/></geometry>'
                "</collision>"
            )
        rub = (
            f'<dynamics damping="{draw.uniform(0.0, 2.0)}" friction="{draw.uniform(0.0, 2.0)}"/>'
            if rubbing
            else ""
        )
        lines += [
            f'<link name="l{k}">{body}</link>',
            f'<joint name="j{k}" type="{kind}"><parent link="{parent}"/><child link="l{k}"/>'
            f'<origin xyz="{along}" rpy="0 0 0"/><axis xyz="{_AXES[k]}"/>'
            f'<limit lower="{low}" upper="{high}" velocity="{draw.uniform(0.5, 4.0)}" '
            f'effort="{draw.choice([0.0, 50.0, 400.0])}"/>{rub}</joint>',
        ]
        parent = f"l{k}"
    lean = float(draw.choice([0.0, 0.0, 1.5707963267948966, 0.6]))
    lines += [
        '<link name="tool"/>',
        f'<joint name="tool" type="fixed"><parent link="{parent}"/><child link="tool"/>'
        f'<origin xyz="{draw.choice([0.0, 0.03])} 0 0.05" rpy="0 {lean} 0"/></joint>',
        "</robot>",
    ]
    return "\n".join(lines) + "\n"


@cache
def real() -> tuple[Robot, ...]:
    """Published robots, where the data are present and their files are robots."""
    found = []
    for path in sorted(REAL.glob("*.urdf")):
        text = path.read_text(encoding="utf-8")
        try:
            mechanism = read_urdf(text, origin=path.name)
        except RobotError:
            continue  # refused with a message: nothing to plan
        found.append(Robot(model=path.name, text=text, mechanism=mechanism))
    return tuple(found)


def robot(draw, *, few: bool = False) -> Robot:
    """One of all; with ``few`` one of a smaller pool."""
    kind = draw.random()
    variants, arms = (4, 3) if few else (VARIANTS, ARMS)
    if kind < 0.40:
        return library_robot(str(draw.choice(PLANNED, p=[0.3, 0.1, 0.15, 0.15, 0.1, 0.1, 0.1])))
    if kind < 0.70:
        return variant(int(draw.integers(variants)))
    if kind < 0.90 or few or not real():
        return arm(int(draw.integers(arms)))
    if kind < 0.99:
        return real()[int(draw.integers(len(real())))]
    others = other_library_names()
    return library_robot(others[int(draw.integers(len(others)))])
