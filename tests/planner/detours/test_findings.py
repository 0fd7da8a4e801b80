"""What is said of detours, and that every code has its page."""

import numpy as np
import pytest

from planner.clearance.surroundings import BodyPair
from planner.detours.find import Blocked, Detours
from planner.detours.motions import DetourKind, DetourMotions, Legs
from planner.findings import Severity, pages
from planner.findings.clearance_findings import Watch, detour_findings
from planner.job.settings import Travel
from planner.job.solids import Cell
from planner.job.stylus import BALL, SHANK
from robots.core.motion.joint_limits import JointLimits

LIMITS = JointLimits(max_speed=[1.0], max_acceleration=[10.0])
NAMES = [("P1", "P2"), ("P2", "P3")]


def blocked(**changes):
    facts = {
        "travel": 1,
        "motions": 3400,
        "end": False,
        "pair": BodyPair(moving="forearm", against="wall", touching=False),
        "clearance": -0.0121,
        "place": np.array([0.1, 1.2, -0.5]),
    }
    return Blocked(**(facts | changes))


def detours(way, *failures):
    route = np.array([[0.0], [1.0], [0.5]])
    motions = DetourMotions([Legs(route, LIMITS).pieces(np.zeros(1))], route[:1], LIMITS)
    return Detours(
        travels=np.array([0]), ways=(way,), routes=(route,), motions=motions, blocked=failures
    )


def said(way, travel, *failures, diameters=None):
    found = detours(way, *failures)
    straight = 0.65  # [s]
    more = np.append(found.motions.duration - straight, np.nan)  # nothing of a travel without a way
    watch = Watch(pairs=(), cell=Cell(), required=0.0, diameters=diameters or {})
    return detour_findings(found, NAMES, more, travel, watch)


def test_a_stylus_without_diameters_is_a_tip_and_an_axis():
    for name, told in ((BALL, "stylus tip"), (SHANK, "stylus axis")):
        failure = blocked(pair=BodyPair(moving=name, against="wall", touching=False))
        bare, thick = (
            said(DetourKind.PLANE, Travel(), failure, diameters={BALL: size, SHANK: size})[1]
            for size in (0.0, 0.002)
        )
        assert f"{told} is 12.1 mm deep in wall" in bare.message
        assert f"{name} is 12.1 mm deep in wall" in thick.message


@pytest.mark.parametrize(
    ("way", "travel", "words"),
    [
        (DetourKind.PLANE, Travel(clearance_plane=1.2), "over the clearance plane (z = 1200 mm)"),
        (DetourKind.CUBE, Travel(clearance_cube=0.05), "around the clearance cube (50 mm)"),
        (DetourKind.SEARCHED, Travel(), "detour found by search"),
        (DetourKind.LIFTED, Travel(), "detour lifted over the obstacle"),
    ],
)
def test_a_detour_is_a_note(way, travel, words):
    (note,) = said(way, travel)
    assert (note.code, note.severity, note.where) == ("P138", Severity.NOTE, "P1 to P2")
    assert words in note.message
    # Two legs that stop between: 1 + 0.15 s and 0.5 + 0.15 s, less 0.65 s.
    assert "adds 1.150 s" in note.message


def test_a_travel_without_a_way_is_an_error():
    _, error = said(DetourKind.PLANE, Travel(), blocked())
    assert (error.code, error.severity, error.where) == ("P137", Severity.ERROR, "P2 to P3")
    assert "forearm is 12.1 mm deep in wall at (100, 1200, -500) mm" in error.message
    assert "3400 motions were looked at" in error.message


@pytest.mark.parametrize(
    ("changes", "travel", "message", "hint"),
    [
        ({"end": True, "clearance": 0.003}, Travel(), "at one of its ends forearm comes within 3.0",
         "another approach"),
        ({"motions": 0}, Travel(detour="plane"), "on the direct path", 'set detour = "auto"'),
        ({"motions": 0}, Travel(detour="none"), "on the direct path", "switched off"),
        ({"pair": None}, Travel(), "something is in the way", "visiting order"),
    ],
)  # fmt: skip
def test_what_is_in_the_way_and_what_to_do(changes, travel, message, hint):
    _, error = said(DetourKind.PLANE, travel, blocked(**changes))
    assert message in error.message
    assert hint in error.hint


def test_pages():
    assert {"P137", "P138"} <= {page.code for page in pages()}
