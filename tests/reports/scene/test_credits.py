"""What a page embeds is credited on it, with the licences."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import viser

from reports.scene.viser_scene import credited, notices

ROOT = Path(__file__).resolve().parents[3]
LICENCES = ("The MIT licence", "The ISC licence", "The 3-clause BSD licence", "Apache License")
# What only builds the client, and types, which leave nothing in it.
BUILDING = ("@types/", "@vitejs/", "@vanilla-extract/css", "browserslist", "postcss", "vite")


def test_the_notice_is_that_of_the_pages():
    assert (ROOT / "NOTICE").read_text(encoding="utf-8") == notices()
    assert [name for name in LICENCES if name not in notices()] == []


def runtime_packages():
    """Names of all npm packages that the client of the installed viser depends on."""
    lock = Path(viser.__file__).parent / "client" / "package-lock.json"
    packages = json.loads(lock.read_text(encoding="utf-8"))["packages"]

    def place(name, above):
        while True:
            path = f"{above}/node_modules/{name}" if above else f"node_modules/{name}"
            if path in packages or not above:
                return path
            above = above.rpartition("/node_modules/")[0]

    names, seen = set(), set()
    waiting = [(n, "") for n in packages[""]["dependencies"] if not n.startswith(BUILDING)]
    while waiting:
        name, above = waiting.pop()
        path = place(name, above)
        if path in packages and path not in seen:
            seen.add(path)
            names.add(name)
            own = packages[path].get("dependencies", {})
            waiting += [(n, path) for n in own if not n.startswith("@types/")]
    return names


def test_every_library_of_the_installed_client_is_named():
    words = set(notices().replace(",", " ").split())
    names = runtime_packages()
    assert {"three", "react", "@react-three/fiber", "@mantine/core"} <= names
    assert sorted(names - words) == []


def test_credits_stand_in_the_page_as_text():
    page = credited("<html><body><div id=root></div></body></html>")
    assert page.endswith("</details></body></html>")
    assert "three.js authors" in page
    assert "http://" not in page
    assert "https://" not in page
    with pytest.raises(ValueError, match="no body"):
        credited("<html></html>")
