"""``[presenter]`` of a job file: what is read, what is refused and with which words."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from planner.errors import JobError
from planner.job import read_job
from planner.job.schema import JobFile
from robots.core.pose import make_pose, rotation_zyx
from robots.stewart.library import text_of

FOLDER = Path(__file__).parent.parent / "presenting" / "job"


@pytest.fixture
def job(tmp_path):
    """``job(("old", "new"), …)`` → path of the job with other words in it."""

    def written(*changes):
        folder = shutil.copytree(FOLDER, tmp_path / "job")
        path = folder / "job.toml"
        text = path.read_text(encoding="utf-8")
        for old, new in changes:
            assert text.count(old) == 1
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
        return path

    return written


def test_the_part_stands_on_the_platform_at_home(job):
    read = read_job(job())
    presenter = read.presenter
    base = make_pose(rotation_zyx(np.radians([150.0, 0.0, 0.0])), np.array([0.0, 1.1, -1.1]))
    on_it = make_pose(np.eye(3), np.array([-0.06, -0.04, 0.1]))
    np.testing.assert_allclose(presenter.T_base_hexapod, base, atol=1e-15)
    np.testing.assert_allclose(presenter.T_platform_part, on_it, atol=1e-15)
    expected = base @ presenter.platform.home @ on_it
    np.testing.assert_allclose(read.part.T_base_part, expected, atol=1e-15)
    skin = read.geometry.mesh.vertices @ expected[:3, :3].T + expected[:3, 3]
    np.testing.assert_allclose(read.cell.part.mesh.vertices, skin, atol=1e-12)


def test_settings_and_their_defaults(job):
    presenter = read_job(job()).presenter
    assert presenter.model == "measuring-hexapod"
    assert presenter.length_sigma == 5e-6
    assert (presenter.part_mass, presenter.most_poses, presenter.seed) == (0.0, 4, 1)
    assert JobFile.model_fields["presenter"].default is None


def test_a_repeatability_in_micrometres_and_a_mass(job):
    lines = "most_poses = 4\nlength_sigma_um = 2.5\npart_mass_kg = 12\nseed = 9"
    presenter = read_job(job(("most_poses = 4", lines))).presenter
    assert presenter.length_sigma == pytest.approx(2.5e-6, rel=1e-15)
    assert (presenter.part_mass, presenter.seed) == (12.0, 9)


def test_a_platform_file_beside_the_job_is_an_input(job):
    path = job(('"measuring-hexapod"', '"mine.toml"'))
    path.with_name("mine.toml").write_text(text_of("measuring-hexapod"), encoding="utf-8")
    read = read_job(path)
    assert read.inputs[-1].name == "mine.toml"
    assert read.inputs[-1].path == path.with_name("mine.toml").resolve()
    assert read.presenter.platform.name == "measuring-hexapod"


def test_the_librarys_platform_is_an_input_too(job):
    assert read_job(job()).inputs[-1].name == "measuring-hexapod"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            'frame = "part"',
            'frame = "base"',
            r'points.frame is "base", but a presenter moves the part .* frame = "part", or remove',
        ),
        (
            '"measuring-hexapod"',
            '"measuring-hexapot"',
            r"presenter.platform is 'measuring-hexapot', which is neither a library platform nor a "
            r"path ending in .toml;.*measuring-hexapod",
        ),
        ('"measuring-hexapod"', '"none.toml"', r"presenter.platform is 'none.toml', but .* exist"),
        ('"measuring-hexapod"', '"../a.toml"', r"which leaves the job's folder"),
        ("most_poses = 4", "most_poses = 0", r"most_poses.*a whole number from 1 to 50"),
        ("most_poses = 4", "length_sigma_um = -1", r"length_sigma_um.*a number from 0"),
        ("most_poses = 4", "poses = 4", r"presenter.poses"),
    ],
)
def test_what_is_refused(job, old, new, words):
    with pytest.raises(JobError, match=words) as caught:
        read_job(job((old, new)))
    assert caught.value.facts["line"] is not None


def test_a_platform_file_with_a_fault(job):
    path = job(('"measuring-hexapod"', '"mine.toml"'))
    text = text_of("measuring-hexapod").replace("min_mm = 505", "min_mm = 805")
    path.with_name("mine.toml").write_text(text, encoding="utf-8")
    with pytest.raises(JobError, match=r"'mine.toml', which has a fault\.\n"):
        read_job(path)
    path.with_name("mine.toml").write_bytes(b"\xff")
    with pytest.raises(JobError, match="of which byte 1 is not UTF-8"):
        read_job(path)
