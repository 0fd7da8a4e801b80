"""The jobs that come with Palpeur, and their names."""

import numpy as np
import pytest

from planner import library
from planner.errors import JobError
from planner.job import read_job
from planner.reach.placement import place
from robots.arm.inverse import ArmInverse


def test_names_and_paths():
    assert library.names() == (
        "blade",
        "block-with-holes",
        "nine-points-as-published",
        "nine-points-corrected",
        "obstructed",
        "unreachable",
    )
    for name in library.names():
        assert library.path_of(name).is_file()
        assert library.path_of(name).parent.name == name
    with pytest.raises(JobError, match="no library job 'nine-points'; did you mean"):
        library.path_of("nine-points")
    with pytest.raises(JobError, match=r"job '\.\./secret'; the library has blade, block-with"):
        library.path_of("../secret")


@pytest.mark.parametrize(
    ("name", "q2_margin", "q5_margin"),
    [
        # Tableau 2: q2 at P'7 and q5 at P'1 [deg]; the limits are 90 and -105 deg.
        ("nine-points-as-published", 90 - 89.391589, 105 - 99.825592),
        ("nine-points-corrected", 3.8, 4.0),  # issue 2
    ],
)
def test_one_branch_reaches_every_point_within_the_limits(name, q2_margin, q5_margin):
    job = read_job(library.path_of(name))
    placed, arm = place(job), ArmInverse(job.mechanism)
    ends = [arm.solve(at, placed.axes) for at in (placed.clearances, placed.contacts)]
    assert all(found.solved.all() for found in ends)
    q = np.degrees(np.stack([found.q for found in ends]))  # (2, 9, 8, 5)
    low, high = np.degrees(job.mechanism.q_min), np.degrees(job.mechanism.q_max)
    margins = np.minimum(q - low, high - q).min(axis=(0, 1))  # (8, 5)
    best = margins[np.argmax(margins.min(axis=1))]
    printed = 5e-2 if name.endswith("corrected") else 5e-3  # Tableau 2's normal was mistyped
    assert best[1] == pytest.approx(q2_margin, abs=printed)
    assert best[4] == pytest.approx(q5_margin, abs=printed)
