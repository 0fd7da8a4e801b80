"""Settings shared by all tests, and the browser that shows the pages of the reports."""

from __future__ import annotations

import gc
import os
import re
import shutil
import signal
import sys
import time
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from robots.core.kernels import cache as code_cache
from tests.cases import SOAK, cases

try:
    import fcntl
except ImportError:  # Windows: two processes may compile the same
    fcntl = None

# Fixed examples in every run; the machine is shared, so time says nothing about the code.
settings.register_profile(
    "palpeur",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=cases(gate=10, soak=100),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("palpeur")

FEW = ("joint-speed", "tip-path")  # figures of a set whose law is another

# Nothing that is collected is garbage; see pytest_collection_finish.
gc.disable()

# Tests start processes; none should compile Palpeur's sources again. Nor should this one rewrite
# the assertions of all tests again, which takes longer than to import them.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_configure(config):
    """Kernels and logs of the tests stay out of the user's folders; what was compiled is kept.

    One folder for all processes of a run and for the next runs: compiling every loop takes as long
    as hundreds of tests. What a shell starts in the background ignores Ctrl-C, and so would the
    commands that tests interrupt.
    """
    os.environ["PALPEUR_CACHE_DIR"] = str(config.cache.mkdir("palpeur"))
    if fcntl is not None:
        compile_once(Path(os.environ["PALPEUR_CACHE_DIR"]) / "locks")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def compile_once(folder):
    """Let one process compile what several want: the others wait for its entry of the cache.

    A lock is held from a miss until the entry is written, and given up after a minute by who waits:
    what cannot be written, or is no code, costs a compilation and never stops the tests.
    """
    folder.mkdir(exist_ok=True)
    read, write, held = code_cache.read, code_cache.write, {}

    def reading(key, *kind):
        code = read(key, *kind)
        shared = os.environ.get("PALPEUR_CACHE_DIR") == str(folder.parent)  # no test's own
        dear = kind != ("programmes",)  # which are made at once, and not kept by all who miss them
        if code is not None or not (shared and dear) or key in held or not held_after(key):
            return code
        code = read(key, *kind)  # somebody may have written it meanwhile
        if code is not None:
            held.pop(key).close()
        return code

    def held_after(key, seconds=60.0):
        file = (folder / key).open("w")
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                time.sleep(0.05)
            else:
                held[key] = file
                return True
        file.close()
        return False

    def writing(key, code, *kind):
        write(key, code, *kind)
        if key in held:
            held.pop(key).close()

    code_cache.read, code_cache.write = reading, writing


def pytest_collection_finish():
    """Ten thousand collected tests are no garbage: searching them again and again takes minutes.

    Nor is much of what a test makes in its few milliseconds: from then on garbage is looked for
    after a hundred thousand new objects, not after seven hundred.
    """
    gc.enable()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


@pytest.fixture(scope="session")
def library_plan():
    """``library_plan("obstructed")`` → the plan of a library job, made once in each process."""
    from planner.job import read_job
    from planner.library import path_of
    from planner.planning import plan

    return cache(lambda name: plan(read_job(path_of(name))))


@pytest.fixture(scope="session", autouse=True)
def coarse_pictures():
    """Pictures and figures with a ninth of the pixels: what they show and number is the same."""
    from reports.figures import style
    from reports.part import picture

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(picture, "_PIXELS", cases(gate=300, soak=900))
        patch.setattr(style, "DPI", cases(gate=50, soak=150))
        yield


@pytest.fixture(scope="session")
def drawing_few():
    """``with drawing_few():`` report sets hold two of seven figures, in the soak all.

    Drawing them is most of an export.
    """
    from reports.figures import motion

    draw = motion.draw_figures
    files = [f"{name}.{form}" for name in FEW for form in ("png", "svg")]

    def draw_few(plan, drawn, wanted=None):
        return draw(plan, drawn, files if wanted is None else wanted)

    @contextmanager
    def few():
        with pytest.MonkeyPatch.context() as patch:
            if not SOAK:
                patch.setattr(motion, "draw_figures", draw_few)
            yield

    return few


@pytest.fixture
def few_figures(drawing_few):
    """Figures are few in this test."""
    with drawing_few():
        yield


class Recent(dict):
    """The last few entries."""

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        if len(self) > 12:
            del self[next(iter(self))]


@pytest.fixture(scope="session", autouse=True)
def kept_surfaces():
    """Surfaces outlive their proof: many tests prove plans in the same few cells.

    They are found by their content; to prepare one takes longer than the rest of a proof.
    """
    from planner.proof import surface_distance

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(surface_distance, "_PREPARED", Recent())
        yield


# --- the browser ---------------------------------------------------------------------------------

# Scenes are drawn by software, so that every machine shows them.
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--disable-quic"),
    *("--no-first-run", "--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--webgl-antialiasing-mode=none"),
)
WINDOWS = {"phone": {"width": 390, "height": 844}, "desktop": {"width": 1440, "height": 900}}
# Pages that scroll smoothly let each click that leads somewhere wait for a second.
MOTION = "no-preference" if SOAK else "reduce"
LOCAL = ("file:", "data:", "blob:", "about:")
# Warnings that are not a page's fault: viser's player uses a part of three.js that is about to go,
# and a canvas that software draws is read back slowly.
FOREIGN_WARNINGS = re.compile(
    r"THREE\.Clock: This module has been deprecated\. Please use THREE\.Timer instead\."
    r"|\[\.WebGL-0x[0-9a-f]+\]GL Driver Message \(OpenGL, Performance, .*ReadPixels.*"
)


@pytest.fixture(scope="session")
def browser():
    """Chromium without a window, started once in each process of the tests that needs it.

    From then on Playwright's event loop counts as running in that process: ``asyncio.run`` would be
    refused in tests that follow, and none calls it.
    """
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("chromium: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        one = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        yield one
        one.close()


@pytest.fixture(scope="session")
def screenshots():
    """``screenshots(page, "a.png")``: a picture for a person, if PALPEUR_SCREENSHOTS is a folder.

    Nothing is judged by these pictures, and drawing them takes as long as many of the judgements.
    """
    folder = os.environ.get("PALPEUR_SCREENSHOTS")

    def take(page, name):
        if folder:
            page.screenshot(path=Path(folder) / name)

    return take


@pytest.fixture(scope="session")
def lamps_only():
    """``with lamps_only():`` scenes get viser's lamps alone; the soak lights them as they are.

    Software takes four seconds to blur the picture that viser lights scenes with, for each page
    again, and half of every frame for shadows.
    """
    from reports.scene import viser_scene

    look = viser_scene.look

    def dimmed(server, scene):
        look(server, scene)
        server.scene.configure_environment_map(None)
        server.scene.configure_default_lights(True, cast_shadow=False)

    @contextmanager
    def dim():
        with pytest.MonkeyPatch.context() as patch:
            if not SOAK:
                patch.setattr(viser_scene, "look", dimmed)
            yield

    return dim


@pytest.fixture(scope="session")
def watching(browser):
    """``with watching() as watch``: ``watch`` is as ``watched`` and judges when the block ends."""
    return contextmanager(lambda: _watching(browser))


@pytest.fixture
def watched(watching):
    """``watched(device, served, **context)`` → an empty page; at the end: it had no complaint.

    A complaint is an error or a warning in the console, an exception, or a request for an address
    that does not begin like one in ``served``.
    """
    with watching() as watch:
        yield watch


def _watching(browser):
    complaints, contexts = [], []

    def hear(message):
        warned = message.type == "warning" and not FOREIGN_WARNINGS.fullmatch(message.text)
        if warned or message.type == "error":
            complaints.append(message.text)

    def watch(device="desktop", served=LOCAL, **context):
        asked = {"viewport": WINDOWS[device], "reduced_motion": MOTION, **context}
        contexts.append(browser.new_context(**asked))
        page = contexts[-1].new_page()
        page.on("console", hear)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda r: r.url.startswith(served) or complaints.append(r.url))
        return page

    yield watch
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def opened(watched, tmp_path):
    """``opened(text, device, **context)`` → the page of that text, a file, watched."""

    def show(text, device="desktop", **context):
        file = tmp_path / "page.html"
        file.write_bytes(text.encode("utf-8"))
        page = watched(device, **context)
        page.goto(file.as_uri())
        return page

    return show
