"""Loops compiled ahead: loaded before any cache, never run when damaged or of another text."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SUBJECT = """
from robots.core.kernels.loop import Loop

def scale(values, factor, out):
    for k in range(values.shape[0]):
        out[k] = 3.0 * factor * values[k]

SCALE = Loop(scale, "f8[1] f8 f8[1]")
"""

COMPILE = """
from robots.core.kernels.ahead import compile_ahead
print(compile_ahead(["jobs"]))
"""

CALL = """
import sys
import numpy as np
from jobs.subject import SCALE
out = np.zeros(3)
SCALE(np.arange(3.0), 2.0, out)
print(out[2] / 12.0, "numba" in sys.modules)
"""


@pytest.fixture
def run(tmp_path):
    """Run Python beside a package ``jobs``; what is compiled ahead lies in the folder ``ahead``."""
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "__init__.py").touch()
    (tmp_path / "jobs" / "subject.py").write_text(SUBJECT)
    root = str(Path(__file__).parents[4])
    own = (
        f"import sys; sys.path[:0] = [{root!r}, {str(tmp_path)!r}]\n"
        "from pathlib import Path\n"
        "from robots.core.kernels import cache\n"
        f"cache._AHEAD = Path({str(tmp_path / 'ahead')!r})\n"
    )

    def run(text: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", own + text],
            cwd=root,
            env={**os.environ, "PALPEUR_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


def test_what_is_compiled_ahead_is_loaded_and_nothing_else_is(run, tmp_path):
    assert run(COMPILE + COMPILE).split() == ["1", "0"]
    (former,) = (tmp_path / "ahead" / "objects").glob("*.o")
    (bitcode,) = (tmp_path / "ahead" / "bitcode").glob("*.bc")
    assert run(CALL) == "1.0 False"
    assert not (tmp_path / "cache").exists()

    former.write_bytes(former.read_bytes()[:-7])
    assert run(CALL) == "1.0 False"  # of the bitcode
    (own,) = (tmp_path / "cache" / "kernels").glob("*.o")
    own.unlink()
    bitcode.write_bytes(bitcode.read_bytes()[:-7])
    assert run(CALL) == "1.0 True"

    (tmp_path / "jobs" / "subject.py").write_text(SUBJECT.replace("3.0", "6.0"))
    assert run(CALL + COMPILE).split() == ["2.0", "True", "1"]
    assert not former.exists()
    assert not bitcode.exists()
    assert len(list((tmp_path / "ahead" / "objects").glob("*.o"))) == 1
