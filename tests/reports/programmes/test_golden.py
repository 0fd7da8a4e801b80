"""Programmes of a tiny job, letter for letter.

To renew them after a wanted change, write the files of the fixture ``written`` into
the folder ``golden`` and read every difference. URScript is of a robot with six axes, G-code of one
with three.
"""

import re
from importlib.metadata import version
from pathlib import Path

import pytest

from reports.programmes import EXPORTS, programmes

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(path for export in EXPORTS.values() for path in export.files)


def as_kept(files):
    """Without what changes with a release; line ends as git keeps them."""
    made_by = f"Palpeur {version('palpeur')}".encode()
    return {
        path: content.replace(made_by, b"Palpeur VERSION").replace(b"\r\n", b"\n")
        for path, content in files.items()
    }


@pytest.fixture(scope="module")
def written(two_points, six_axes, on_gantry):
    files = as_kept(
        programmes(two_points)
        | programmes(six_axes, ["urscript"])
        | programmes(on_gantry, ["linuxcnc", "fanuc-gcode"])
    )
    script = files["robot/palpeur.script"]
    # Its postures are found by search; what they are is tested beside the motion.
    files["robot/palpeur.script"] = re.sub(rb"\[[-\d., ]+\]", b"[POSTURE]", script)
    return files


@pytest.mark.parametrize("path", FILES)
def test_a_programme_is_as_it_was(written, path):
    assert written[path].decode() == (GOLDEN / path).read_text(encoding="utf-8")


def test_every_file_has_its_golden_one(written):
    kept = {str(path.relative_to(GOLDEN)) for path in GOLDEN.rglob("*") if path.is_file()}
    assert kept == set(FILES) == set(written)
