"""The page about the inverse shows what the command prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reports.models.robot import explanation_lines
from robots.core.chain_inverse.explanation import explain
from robots.core.chain_inverse.solver import ChainInverse
from robots.core.inverse.task import Task
from robots.library import load
from tests.cases import some

PAGE = Path(__file__).parents[2] / "docs/inverse.md"
BLOCKS = re.findall(
    r"```console\n\$ palpeur robot inverse (\S+) --explain\n(.*?)```",
    PAGE.read_text(encoding="utf-8"),
    re.DOTALL,
)


@pytest.mark.parametrize(("name", "shown"), some(BLOCKS, gate=2))
def test_listings_are_the_lines_that_are_printed_in_their_order(name, shown):
    task = Task.POSITION_AND_AXIS if load(name).dof == 5 else Task.POSE
    printed = iter(explanation_lines(explain(ChainInverse.of(load(name), task))))
    for line in shown.splitlines():
        assert line in printed, line  # an iterator: each is looked for after the one before it


def test_the_page_shows_the_four_arms():
    assert [name for name, _ in BLOCKS] == ["industrial-6r", "ur5e", "scara-4", "measuring-arm"]
