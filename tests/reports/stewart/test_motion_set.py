"""The figures, the scene and the page of a platform's motion."""

from __future__ import annotations

import numpy as np
import pytest

from planner.errors import OutputError
from planner.result_files import check_set
from reports.page.scene import LIMIT
from reports.stewart.motion import (
    Balance,
    LegSamples,
    PlatformMotion,
    leg_quantities,
    motion_document,
    samples_csv,
)
from reports.stewart.motion_set import KIND, leg_page, leg_scene
from robots.stewart.library import load
from robots.stewart.model import PlatformModel
from robots.stewart.motion import published_motion
from robots.stewart.motion_check import motion_peaks
from robots.stewart.platform import leg_vectors


@pytest.fixture(scope="module")
def shown():
    platform = load("staicu-stewart")
    model, motion = PlatformModel(platform, "numpy"), published_motion(platform)
    t = np.linspace(0.0, 3.0, 61)
    state = motion.state(t)
    samples = LegSamples(
        t=t,
        T=state.T,
        lengths=model.lengths(state.T),
        rates=model.length_rates(state.T, state.V),
        accelerations=model.length_accelerations(state.T, state.V, state.A),
        forces=model.forces(state.T, state.V, state.A),
    )
    return PlatformMotion(
        platform=platform,
        title="<script>alert(1)</script>",
        law="harmonic",
        motion=motion,
        binding="",
        samples=samples,
        peaks=motion_peaks(model, motion),
        balance=Balance(net_work=0.0, energy_change=0.0, friction=0.0),
        findings=(),
        command="palpeur stewart move staicu-stewart --published",
    )


def placed(scene, index, q):
    """Pose of a link of the scene in the base, through its chain. # (4, 4)."""
    from reports.scene.model import SceneLink

    link: SceneLink = scene.links[index]
    w, x, y, z = link.rotations(q[None])[0]
    T = np.eye(4)
    T[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    T[:3, 3] = link.translations(q[None])[0]
    return T if link.parent < 0 else placed(scene, link.parent, q) @ T


def test_every_leg_of_the_scene_ends_at_the_platform(shown):
    scene, platform = leg_scene(shown), shown.platform
    for k in (0, 40, 90, 133):
        q = scene.motion.q[k]
        T = shown.motion.state(scene.motion.t[k]).T
        ends = leg_vectors(platform, T) + platform.base_points
        for leg in range(6):
            piston = placed(scene, 3 * leg + 2, q)
            assert piston[:3, 3] == pytest.approx(ends[leg], abs=1e-12)
        last = placed(scene, len(scene.links) - 1, q)
        corners = np.array([body.start for body in scene.links[-1].bodies])
        seen = corners @ last[:3, :3].T + last[:3, 3]
        gaps = np.linalg.norm(seen[:, None] - ends[None], axis=-1).min(axis=1)
        assert gaps == pytest.approx(0.0, abs=1e-12)


def test_the_page_holds_four_curves_of_six_legs_and_no_foreign_script(shown):
    page = leg_page(shown, None)
    assert page.count('class="row panel"') == 24
    assert "<script>alert(1)" not in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert page == leg_page(shown, None)
    assert len(page) < LIMIT


def test_limits_and_peaks_stand_beside_the_values(shown):
    length, speed, _, force = leg_quantities(shown)
    assert length.lower == pytest.approx(np.full(6, 2800.0))
    assert np.all(np.isinf(speed.upper))
    assert force.peaks[5] == pytest.approx(1245.33, abs=0.01)


def test_the_table_reads_back_to_the_same_numbers(shown):
    lines = samples_csv(shown).splitlines()
    assert lines[0].startswith("t_s,T11,")
    row = dict(zip(lines[0].split(","), map(float, lines[31].split(",")), strict=True))
    assert row["f6_n"] == shown.samples.forces[30, 5]
    assert motion_document(shown)["legs"][5]["shortest_m"] == pytest.approx(2.330, abs=5e-4)


def test_a_foreign_file_is_kept(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(OutputError, match=r"holds thesis\.tex.*--force"):
        check_set(tmp_path, KIND)
