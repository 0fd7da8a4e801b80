"""`palpeur robot show --as`: every form reads back as the same robot."""

from __future__ import annotations

import numpy as np
import pytest

from planner.cli.main import main
from robots.core.language import mechanism_of, parse
from robots.core.model import Model
from robots.core.robot_file import read_robot
from robots.core.urdf import read_urdf
from robots.library import load


def printed(capsys, *arguments: str) -> str:
    assert main(["robot", "show", *arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("form", ["toml", "urdf", "phrase"])
def test_a_form_reads_back_as_the_same_arm(form, capsys):
    text = printed(capsys, "measuring-arm", "--as", form)
    arm = load("measuring-arm")
    readers = {
        "toml": lambda: read_robot(text, origin="text"),
        "urdf": lambda: read_urdf(text, origin="text"),
        "phrase": lambda: mechanism_of(parse(text), {}),
    }
    again = readers[form]()
    q = np.random.default_rng(4).uniform(-1.0, 1.0, (5, 5))
    found, expected = (Model(m).transforms(q) for m in (again, arm))
    joints = [k for k, joint in enumerate(again.joints) if joint.movable]
    assert np.allclose(found[:, joints][..., :3, 3], expected[..., :3, 3], atol=1e-12)


def test_an_unknown_form_is_refused(capsys):
    assert main(["robot", "show", "measuring-arm", "--as", "xacro"]) == 2
    assert "choose one of toml, urdf, phrase" in capsys.readouterr().err
