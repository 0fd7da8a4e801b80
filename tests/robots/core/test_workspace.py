"""Reachable volumes against closed forms, within the stated uncertainty."""

import numpy as np
import pytest

from robots.core.denavit_hartenberg import DhRow
from robots.core.errors import StateError
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.core.model import Model
from robots.core.workspace import workspace
from robots.library import load
from tests.cases import some

SAMPLES = 1 << 16


def chain(kinds, rows, tool_x=0.0, limits=None):
    T = np.eye(4)
    T[0, 3] = tool_x
    limits = limits or [(-np.inf, np.inf)] * len(rows)
    joints = tuple(
        Joint(name=f"q{i}", kind=kind, parent=i - 1, placement=row.pose(), q_min=lo, q_max=hi)
        for i, (kind, row, (lo, hi)) in enumerate(zip(kinds, rows, limits, strict=True))
    )
    return Mechanism(name="chain", joints=joints, tool=T)


R, P = JointKind.REVOLUTE, JointKind.PRISMATIC
PLANAR_2R = chain([R, R], [DhRow(), DhRow(d=0.7)], 0.4)
CUBE = chain(
    [P, P, P],
    [DhRow(), DhRow(alpha=np.pi / 2, theta=np.pi / 2), DhRow(alpha=np.pi / 2)],
    limits=[(0, 0.4), (0, 0.5), (-0.3, 0.3)],
)
TILTED = chain([R, R], [DhRow(alpha=0.6), DhRow(d=0.7)], 0.4)
LIMITED = chain([R, R], [DhRow(), DhRow(d=0.7)], 0.4, [(-1.0, 1.0), (0.0, np.pi / 2)])
CLOSED_FORMS = [
    (PLANAR_2R, 2, np.pi * (1.1**2 - 0.3**2)),  # annulus
    (TILTED, 2, np.pi * (1.1**2 - 0.3**2)),  # the same in a tilted plane
    ("planar-3r", 2, np.pi * 1.2**2),  # disc: 0.5 < 0.4 + 0.3
    ("anthropomorphic", 3, 4 / 3 * np.pi * (0.9**3 - 0.1**3)),  # shell
    # One elbow only, so that postures map one to one: the area is ∫|det J| = Δq1·a1·a2·[-cos q2].
    (LIMITED, 2, 2.0 * 0.7 * 0.4),
]


@pytest.mark.parametrize(("robot", "dimension", "exact"), CLOSED_FORMS)
def test_closed_forms_lie_within_the_stated_uncertainty(robot, dimension, exact):
    mechanism = load(robot) if isinstance(robot, str) else robot
    found = workspace(Model(mechanism), samples=SAMPLES)
    assert found.dimension == dimension
    assert abs(found.measure - exact) <= found.uncertainty
    assert found.uncertainty < 0.15 * exact


def test_a_box_of_sliding_joints():
    found = workspace(Model(CUBE), samples=SAMPLES)
    exact = 0.4 * 0.5 * 0.6
    assert abs(found.measure - exact) <= found.uncertainty
    assert found.high - found.low == pytest.approx([0.6, 0.5, 0.4], abs=2e-3)
    assert found.singular_fraction() == 0.0


def test_more_samples_make_it_surer():
    few, many = (workspace(Model(PLANAR_2R), samples=n) for n in (1 << 13, 1 << 17))
    assert many.uncertainty < few.uncertainty
    assert many.cell < few.cell


def test_radii_of_the_annulus():
    found = workspace(Model(PLANAR_2R), samples=SAMPLES)
    # One sample in 65536 falls within about 1e-4 rad of the stretched and folded postures.
    assert found.radii[1] == pytest.approx(1.1, abs=1e-6)
    assert found.radii[0] == pytest.approx(0.3, abs=1e-6)
    shifted = workspace(Model(PLANAR_2R), samples=SAMPLES, center=(0, 0, 1))
    assert shifted.radii[1] == pytest.approx(np.hypot(1.1, 1), abs=1e-6)


def test_near_singular_share_of_a_planar_2r():
    """σ2/σ1 depends on q2 alone: the share of q2 below the threshold, by direct quadrature."""
    found = workspace(Model(PLANAR_2R), samples=SAMPLES)
    q2 = np.linspace(-np.pi, np.pi, 200_001)
    J = np.array(
        [[-0.4 * np.sin(q2), -0.4 * np.sin(q2)], [0.7 + 0.4 * np.cos(q2), 0.4 * np.cos(q2)]]
    )
    s = np.linalg.svd(np.moveaxis(J, -1, 0), compute_uv=False)
    assert found.singular_fraction() == pytest.approx(np.mean(s[:, 1] < 0.02 * s[:, 0]), abs=2e-3)


def test_the_section_shows_the_shell():
    found = workspace(Model(load("anthropomorphic")), samples=SAMPLES)
    section = found.section()
    r = 0.5 * (section.edges(0)[1:] + section.edges(0)[:-1])
    z = 0.5 * (section.edges(1)[1:] + section.edges(1)[:-1])
    radius = np.hypot(*np.meshgrid(r, z, indexing="ij"))
    inside = (radius < 0.85) & (radius > 0.15) & (r > 0.02)[:, None]
    assert np.all(section.cells[inside])
    assert not np.any(section.cells[radius > 0.95])


def test_a_single_turning_joint_draws_a_line_in_its_plane():
    found = workspace(Model(chain([R], [DhRow()], 0.5)), samples=1 << 12)
    assert found.dimension == 2
    assert found.measure < 0.2  # a circle has no area; one layer of cells is left
    assert found.unit == "m²"


def test_a_tool_that_cannot_move():
    found = workspace(Model(chain([R], [DhRow()])), samples=1 << 10)
    assert found.dimension == 0
    assert found.measure == 0.0
    assert found.singular_fraction() == 1.0


def test_results_repeat_to_the_bit():
    first, second = (workspace(Model(PLANAR_2R), samples=1 << 12) for _ in range(2))
    assert (first.measure, first.uncertainty) == (second.measure, second.uncertainty)


def test_wrong_requests_are_refused():
    with pytest.raises(StateError, match="too few"):
        workspace(Model(PLANAR_2R), samples=10)
    with pytest.raises(StateError, match="three finite"):
        workspace(Model(PLANAR_2R), samples=SAMPLES, center=(0, np.nan, 0))


@pytest.mark.parametrize("cell", [0.1, 0.02])
def test_cells_of_a_given_edge_are_counted(cell):
    """A box whose sides lie on the borders of the cells: counting is exact."""
    found = workspace(Model(CUBE), samples=SAMPLES, cell=cell)
    assert found.cell == cell
    assert found.measure == pytest.approx(0.4 * 0.5 * 0.6)
    assert found.growth < 0.02
    assert found.uncertainty == pytest.approx(found.growth * found.measure)


def test_distance_from_the_first_axis():
    found = workspace(Model(PLANAR_2R), samples=SAMPLES)
    assert found.axis_radii == pytest.approx([0.3, 1.1], abs=1e-6)
    with pytest.raises(StateError, match="too small"):
        workspace(Model(CUBE), samples=SAMPLES, cell=1e-9)


@pytest.mark.parametrize("arm", some([PLANAR_2R, TILTED, "anthropomorphic"], gate=2))
def test_the_border_is_the_outside_of_what_is_reached(arm):
    """Shells between two radii: what lies at the border is near one of them, and both are found."""
    mechanism = load(arm) if isinstance(arm, str) else arm
    inner, outer = (0.1, 0.9) if isinstance(arm, str) else (0.3, 1.1)
    found = workspace(Model(mechanism), samples=SAMPLES)
    border = found.border()
    centre = np.array([0.0, 0.0, np.mean([found.low[2], found.high[2]])])
    radii = np.linalg.norm(border - centre, axis=1)
    assert set(map(tuple, border.tolist())) <= set(map(tuple, found.points.tolist()))
    assert radii.max() == pytest.approx(outer, abs=0.01)
    cell = 2.0 * np.sqrt(3.0) * found.cell  # a cell and its neighbour, from corner to corner
    assert np.all((radii > outer - cell) | (radii < inner + cell))
    assert len(border) < len(found.points) / 20
