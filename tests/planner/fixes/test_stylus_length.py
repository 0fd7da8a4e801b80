"""A job with another stylus length is the job that is read with it."""

from __future__ import annotations

import numpy as np
import pytest

from planner.fixes.kinds import with_stylus_length
from planner.job import read_job

P = {"name": "P", "x": 0.0, "y": 1500.0, "z": 0.0}
PROBES = {
    "plain": "",
    "heavy": "probe.mass_kg = 0.4\n",
    "with its own centre": "probe.mass_kg = 0.4\nprobe.com_mm = 30\n",
    "with a head": "probe.capsule = [{ name = 'head', from_mm = [0, 0, 0], to_mm = [0, 0, 60], "
    "radius_mm = 30 }]\n",
}


def read(job_file, more, length):
    path = job_file([P])
    probe = f"probe.stylus_length_mm = {length}\nprobe.ball_diameter_mm = 4\n" + more
    lines = [line for line in path.read_text().splitlines() if not line.startswith("probe")]
    path.write_text(probe + "\n".join(lines))
    return read_job(path)


@pytest.mark.parametrize("more", PROBES.values(), ids=PROBES)
@pytest.mark.parametrize(("before", "after"), [(200, 260), (200, 80), (0, 150), (150, 150)])
def test_it_is_the_job_read_with_it(job_file, more, before, after):
    changed = with_stylus_length(read(job_file, more, before), after / 1e3)
    other = read(job_file, more, after)
    a, b = changed.mechanism, other.mechanism
    np.testing.assert_allclose(a.tool, b.tool, atol=1e-15)
    assert a.self_pairs == b.self_pairs
    assert [c.name for c in a.capsules] == [c.name for c in b.capsules]
    for one, two in zip(a.capsules, b.capsules, strict=True):
        np.testing.assert_allclose([one.start, one.end], [two.start, two.end], atol=1e-15)
        assert (one.radius, one.joint) == (two.radius, two.joint)
    body, known = a.joints[-1].body, b.joints[-1].body
    # The probe is taken out of the body and put in again: rounding of masses of a kilogram.
    assert body.mass == pytest.approx(known.mass, abs=1e-15)
    np.testing.assert_allclose(body.com, known.com, atol=1e-15)
    np.testing.assert_allclose(body.inertia_at_origin, known.inertia_at_origin, atol=1e-15)
    assert changed.probe.com == pytest.approx(other.probe.com, abs=1e-15)
