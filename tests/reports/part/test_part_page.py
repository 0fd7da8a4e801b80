"""The page of a part in Chromium: a click names the face, a row chooses the feature."""

from __future__ import annotations

from dataclasses import replace

from parts.part import load_part
from reports.part import part_page, part_views
from tests.cases import cases

HOSTILE = "</script><img src=x onerror=alert(1)>"


def test_a_click_names_the_face_under_it(watched, tmp_path, screenshots):
    part = load_part("block")
    faces = tuple(
        replace(face, name=HOSTILE) if face.name == "top" else face for face in part.geometry.faces
    )
    part = replace(part, geometry=replace(part.geometry, faces=faces))
    file = tmp_path / "part.html"
    file.write_text(part_page(part), encoding="utf-8")
    page = watched()
    page.goto(file.as_uri())
    box = page.locator("#view").bounding_box()
    seen = set()
    for x in (0.36, 0.44, 0.5, 0.56, 0.64):
        for y in (0.42, 0.5, 0.58):
            page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
            seen.add(page.locator("#chosen").inner_text())
    names = {text.partition(" · ")[2] for text in seen}
    assert HOSTILE in names
    assert {"front", "right"} & names or {"front", "left"} & names
    page.locator("#table-features tbody tr", has_text="hole-20").click()
    assert page.locator("#chosen").inner_text().endswith("hole-20")
    assert "palpeur sample block --feature hole-20" in page.locator("#use").inner_text()
    assert "20 mm" in page.locator("#facts").inner_text()
    screenshots(page, "part.png")


def test_every_feature_of_the_block_is_seen_from_one_of_the_two_sides(monkeypatch):
    monkeypatch.setattr("reports.part.picture._PIXELS", cases(gate=300, soak=900))
    part = load_part("block")
    views = part_views(part.geometry, part.form_features)
    seen = {int(number) for view in views for number in view.feature.ravel() if number >= 0}
    assert seen == set(range(len(part.form_features)))
    # and nothing behind the skin shines through it: the front never sees the bottom
    names = [one.name for one in part.form_features]
    assert names.index("bottom") not in views[0].feature
    assert names.index("top") not in views[1].feature
