"""The replay in Chromium: no error, no request, it plays, pauses and goes where it is told."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import numpy as np
import pytest

from reports.scene.page_policy import page_policy
from reports.scene.viser_scene import scene_html

CHROMIUM = shutil.which("chromium")
SHOTS = Path(__file__).resolve().parents[3] / "out" / "screenshots"
ADDRESS = "http://replay.test/"
OPTIONS = [
    *("--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader"),
    *("--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
TIME = "document.querySelector('input').value"
TURNS = 400  # of looking again, each after a frame or two
FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


class Replay:
    """A page of the replay, with everything it said and asked for."""

    def __init__(self, browser, page_text: str, **options) -> None:
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page = browser.new_page(**options)
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
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

    def _hear(self, message) -> None:
        if message.type == "error":
            self.said.append(message.text)

    def time(self) -> str:
        """What the player shows after the next frame."""
        self.page.evaluate(FRAMES)
        return self.page.evaluate(TIME)

    def reaches(self, wanted) -> bool:
        """Whether the shown time comes to satisfy a condition."""
        return any(wanted(self.time()) for _ in range(TURNS))

    def at(self, seconds: str) -> np.ndarray:
        """What the canvas shows at an instant; the player pauses there. # (h, w, 3)."""
        from PIL import Image

        self.page.fill("input", seconds)
        place = self.page.locator("canvas").last.bounding_box()
        # Frames are drawn when the machine finds time: look until two pictures agree.
        before, picture = b"", self.page.screenshot(clip=place)
        for _ in range(TURNS):
            if picture == before:
                break
            assert self.time() == seconds
            before, picture = picture, self.page.screenshot(clip=place)
        return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"), dtype=float)


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
    if CHROMIUM is None:
        pytest.skip("chromium is not installed; `make test` installs it")
    with api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield found
        found.close()


def changed(a: np.ndarray, b: np.ndarray) -> float:
    """Share of pixels that differ visibly."""
    return float(np.mean(np.abs(a - b).max(axis=2) > 24.0))


@pytest.mark.parametrize(("dark", "width", "height"), [(False, 900, 600), (True, 390, 500)])
def test_it_plays_and_goes_where_it_is_told(browser, scenes, dark, width, height):
    name = f"replay-{'dark' if dark else 'light'}.png"
    replay = Replay(
        browser,
        scene_html(scenes["nine"], dark=dark),
        viewport={"width": width, "height": height},
    )
    assert replay.reaches(lambda shown: float(shown) > 0.3)  # it plays by itself
    early, late = replay.at("0.4"), replay.at("2.0")
    assert changed(early, late) > 0.01
    assert changed(early, replay.at("0.4")) < 0.5 * changed(early, late)
    replay.page.locator("button:has(svg.tabler-icon-player-play-filled)").click()
    assert replay.reaches(lambda shown: shown != "0.4")
    SHOTS.mkdir(parents=True, exist_ok=True)
    replay.page.screenshot(path=SHOTS / name)
    assert replay.asked == [ADDRESS]
    assert replay.said == []
    replay.page.close()
