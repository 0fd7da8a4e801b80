"""The replay in Chromium: no complaint, no request, it plays, pauses and goes where it is told."""

from __future__ import annotations

import io

import numpy as np
import pytest

from reports.scene.viser_scene import scene_html
from tests.cases import some
from tests.reports.scene.page_policy import page_policy

ADDRESS = "http://replay.test/"
EMBEDDED = ("data:", "blob:")  # what the page brings along
TIME = "document.querySelector('input').value"
TURNS = 400  # of looking again, each after a frame or two
FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


class Replay:
    """A page of the replay under its policy, with everything it asked for."""

    def __init__(self, page, page_text: str) -> None:
        self.asked: list[str] = []
        self.page = page
        head = {
            "content-type": "text/html; charset=utf-8",
            "content-security-policy": page_policy(page_text).text,
        }

        def answer(route):
            self.asked.append(route.request.url)
            if route.request.url == ADDRESS:
                route.fulfill(status=200, headers=head, body=page_text)
            else:
                route.abort()

        self.page.route("**/*", answer)
        self.page.goto(ADDRESS)
        self.page.wait_for_selector("canvas")
        self.page.wait_for_selector("input")

    def time(self) -> str:
        """What the player shows after the next frame."""
        self.page.evaluate(FRAMES)
        return self.page.evaluate(TIME)

    def _told(self, seconds: str) -> bool:
        self.page.fill("input", seconds)
        return self.time() == seconds

    def reaches(self, wanted) -> bool:
        """Whether the shown time comes to satisfy a condition."""
        return any(wanted(self.time()) for _ in range(TURNS))

    def at(self, seconds: str) -> np.ndarray:
        """What the canvas shows at an instant; the player pauses there. # (h, w, 3)."""
        from PIL import Image

        # Typing pauses the player, but a frame that comes between selecting its number and typing
        # leaves both there (0.4 at 1.0 s: "1.004"); told again, the paused one shows this alone.
        assert any(self._told(seconds) for _ in range(2))
        place = self.page.locator("canvas").last.bounding_box()
        # Frames are drawn when the machine finds time: look until two pictures agree.
        before, picture = b"", self.page.screenshot(clip=place)
        for _ in range(TURNS):
            if picture == before:
                break
            assert self.time() == seconds
            before, picture = picture, self.page.screenshot(clip=place)
        return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"), dtype=float)


def changed(a: np.ndarray, b: np.ndarray) -> float:
    """Share of pixels that differ visibly."""
    return float(np.mean(np.abs(a - b).max(axis=2) > 24.0))


@pytest.mark.parametrize(
    ("dark", "width", "height"), some([(True, 390, 500), (False, 900, 600)], gate=1)
)
def test_it_plays_and_goes_where_it_is_told(
    watched, scenes, screenshots, lamps_only, dark, width, height
):
    page = watched(served=(ADDRESS, *EMBEDDED), viewport={"width": width, "height": height})
    with lamps_only():
        text = scene_html(scenes["nine"], dark=dark)
    replay = Replay(page, text)
    assert replay.reaches(lambda shown: float(shown) > 0.3)  # it plays by itself
    early, late = replay.at("0.4"), replay.at("2.0")
    assert changed(early, late) > 0.01
    assert changed(early, replay.at("0.4")) < 0.5 * changed(early, late)
    replay.page.locator("button:has(svg.tabler-icon-player-play-filled)").click()
    assert replay.reaches(lambda shown: shown != "0.4")
    screenshots(replay.page, f"replay-{'dark' if dark else 'light'}.png")
    assert replay.asked == [ADDRESS]
