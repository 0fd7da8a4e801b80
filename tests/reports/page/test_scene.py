"""The embedded scene: the guard comes first, every script is known by its hash."""

from __future__ import annotations

from pathlib import Path

import pytest

from reports.page.html import digest
from reports.page.scene import LIMIT, embedded, embeds

PLAIN = (
    "<!doctype html><html><head><style>a{}</style></head><body><script>one()</script></body></html>"
)


def test_the_guard_runs_before_all_others():
    scene = embedded(PLAIN, "guard()")
    assert scene.text.index("guard()") < scene.text.index("one()")
    assert scene.scripts == (digest("guard()"), digest("one()"))
    assert scene.styles == (digest(""), digest("a{}"))


def test_scripts_are_hashed_as_a_browser_reads_them():
    # HTML: carriage returns are line feeds before anything is parsed
    scene = embedded(PLAIN.replace("one()", "one()\r\ntwo()\r"), "guard()")
    assert digest("one()\ntwo()\n") in scene.scripts


def test_the_program_that_viser_packs_is_unpacked_and_hashed():
    """Oracle: the page of the installed viser, packed again after nothing was changed."""
    client = pytest.importorskip("viser").__path__[0]
    text = Path(client, "client", "build", "index.html").read_text(encoding="utf-8")
    scene = embedded(text, "guard()")
    assert len(scene.scripts) == 3  # guard, unpacker, program
    assert len(set(scene.scripts)) == 3


def test_a_scene_above_the_limit_stands_beside_the_page():
    assert embeds("x" * LIMIT)
    assert not embeds("x" * (LIMIT + 1))
    assert not embeds("µ" * (LIMIT // 2 + 1))
