"""The page in headless Chromium: no complaint, values under the pointer, hostile names."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import product

import pytest

from planner.findings import page as finding_page
from reports.page.page import page
from tests.cases import SOAK, some

SCENE = """<!doctype html><html><head><script>window.scene = true;</script></head><body>
<style>body { background: rgb(1, 2, 3); }</style><p id="from-scene">scene</p><script>
let reached = false;
try { reached = Boolean(parent.document.body); } catch { /* another origin: as it should be */ }
document.title = `reached ${reached}`;
</script></body></html>"""


@pytest.fixture(scope="module")
def plain(report, segments):
    return page(report, segments, SCENE)


@pytest.fixture(scope="module")
def kept(watching, plain, tmp_path_factory):
    """The page on a desktop, opened once for the tests that leave it usable for others."""
    file = tmp_path_factory.mktemp("page") / "page.html"
    file.write_bytes(plain.encode("utf-8"))
    with watching() as watch:
        shown = watch()
        shown.goto(file.as_uri())
        yield shown


@pytest.fixture(scope="module")
def phone(watching, plain, tmp_path_factory):
    """The page on a phone, opened once, too."""
    file = tmp_path_factory.mktemp("phone") / "page.html"
    file.write_bytes(plain.encode("utf-8"))
    with watching() as watch:
        shown = watch("phone", has_touch=True)
        shown.goto(file.as_uri())
        yield shown


def middle(shown, selector, share=0.5):
    box = shown.locator(selector).first.bounding_box()
    return box["x"] + share * box["width"], box["y"] + box["height"] / 2


@pytest.mark.parametrize(
    ("device", "scheme"), some([*product(("phone", "desktop"), ("light", "dark"))], gate=2)
)
def test_nothing_is_wider_than_the_window(phone, kept, screenshots, device, scheme):
    shown = {"phone": phone, "desktop": kept}[device]
    shown.emulate_media(color_scheme=scheme)
    wide = shown.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    screenshots(shown, f"report-{device}-{scheme}.png")
    shown.locator("#curves").scroll_into_view_if_needed()
    screenshots(shown, f"report-{device}-{scheme}-curves.png")
    shown.emulate_media(color_scheme="null")


def test_light_and_dark_change_by_a_button_and_paper_is_always_light(kept):
    shown = kept
    shown.emulate_media(color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = shown.evaluate(ground)
    shown.click("#theme")
    light = shown.evaluate(ground)
    assert dark == "rgb(16, 20, 24)"
    assert light == "rgb(246, 247, 249)"
    shown.click("#theme")
    assert shown.evaluate(ground) == dark
    shown.emulate_media(media="print")
    assert shown.evaluate(ground) == "rgb(255, 255, 255)"
    assert shown.evaluate("getComputedStyle(document.body).color") == "rgb(27, 31, 36)"
    shown.emulate_media(media="null", color_scheme="null")


def test_values_of_all_joints_follow_the_pointer(kept, plan):
    shown = kept
    shown.locator("#curves-position .plot").first.scroll_into_view_if_needed()
    shown.mouse.move(*middle(shown, "#curves-position .plot"))
    shown.wait_for_function("document.querySelector('#instant').textContent !== ''")
    told = shown.inner_text("#instant")
    t = plan.timeline[-1].end / 2
    assert float(told.split(" s")[0]) == pytest.approx(t, abs=0.002)  # a pixel is 1.4 ms
    assert "travel P3 · trapezoid" in told
    outputs = shown.locator(".panel output").all_inner_texts()
    assert len(outputs) == 26  # five quantities of five joints, and total power
    q = plan.trajectory.sample(0.001).q
    wanted = [57.2957795 * float(value) for value in q[round(t / 0.001)]]
    found = [float(text.split()[0].replace("−", "-")) for text in outputs[:5]]
    assert found == pytest.approx(wanted, abs=0.5)  # slopes are below 100 deg/s
    assert re.fullmatch(r"−?[\d.e−]+ rad/s · \d+ %", outputs[5])  # of the speed limit


def test_a_drag_zooms_and_a_double_click_shows_all(kept):
    shown = kept
    shown.locator("#curves-position .plot").first.scroll_into_view_if_needed()
    box = "[...document.querySelectorAll('.plot')].map(p => p.getAttribute('viewBox'))"
    whole = shown.evaluate(box)
    shown.mouse.move(*middle(shown, ".plot", 0.25))
    shown.mouse.down()
    shown.mouse.move(*middle(shown, ".plot", 0.4))
    shown.mouse.move(*middle(shown, ".plot", 0.5))
    shown.mouse.up()
    zoomed = shown.evaluate(box)
    assert len(set(zoomed)) == 1  # all panels together
    start, _, width, _ = map(float, zoomed[0].split())
    assert (start, width) == pytest.approx((25_000, 25_000), rel=0.01)
    labels = shown.locator("#curves-position .axis text").all_text_contents()
    assert [float(label) for label in labels] == sorted({float(label) for label in labels})
    shown.mouse.dblclick(*middle(shown, ".plot"))
    assert shown.evaluate(box) == whole


def test_curves_answer_to_keys_and_to_touch(phone):
    shown = phone
    shown.focus("#curves-velocity")
    shown.keyboard.press("Home")
    assert shown.inner_text("#instant").startswith("0.0000 s")
    shown.keyboard.press("PageDown")
    assert shown.inner_text("#instant").startswith("0.1200 s · probe P1")
    shown.keyboard.press("+")
    assert float(shown.get_attribute(".plot", "viewBox").split()[2]) == pytest.approx(50_000)
    shown.keyboard.press("Escape")
    assert shown.inner_text("#instant") == ""
    shown.locator(".plot").first.scroll_into_view_if_needed()
    shown.touchscreen.tap(*middle(shown, ".plot"))
    assert shown.inner_text("#instant").startswith("0.60")


def test_tables_sort_and_filter(opened, long_report, long_segments):
    shown = opened(page(long_report, long_segments, None))
    cells = "#table-points tbody tr:not([hidden]) td:nth-child({})"
    head = shown.locator("#table-points th", has_text="x").first.locator("button")
    head.click()
    values = [
        float(v.replace("−", "-")) for v in shown.locator(cells.format(4)).all_text_contents()
    ]
    assert values == sorted(values)
    head.click()
    falling = shown.locator(cells.format(4)).all_text_contents()
    assert [float(v.replace("−", "-")) for v in falling] == values[::-1]
    assert shown.get_attribute("#table-points th[aria-sort]", "aria-sort") == "descending"
    shown.fill("[data-table=points] input", "p2")
    assert set(shown.locator(cells.format(1)).all_text_contents()) == {"P2"}
    assert shown.inner_text("[data-table=points] [role=status]") == "167 of 500 rows"


def test_a_code_leads_to_its_page(kept):
    shown = kept
    cause = finding_page("P101").cause
    assert not shown.locator(f"text={cause}").is_visible()
    shown.click("#findings .code")
    shown.locator(f"text={cause}").wait_for()  # the page hears of its new address a little later


def test_the_scene_is_made_when_it_is_looked_at_and_cannot_reach_the_page(opened, plain):
    shown = opened(plain, viewport={"width": 1440, "height": 500})
    assert shown.locator("iframe").count() == 0
    shown.locator("#replay-box").scroll_into_view_if_needed()
    frame = shown.frame_locator("#replay-box iframe")
    frame.locator("#from-scene").wait_for()
    assert shown.get_attribute("iframe", "sandbox") == "allow-scripts"
    inner = shown.frames[1]
    assert inner.evaluate("[window.scene, document.title]") == [True, "reached false"]
    ground = inner.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(1, 2, 3)"


def test_a_browser_that_cannot_draw_the_scene_says_so(watched, plain, tmp_path):
    file = tmp_path / "page.html"
    file.write_bytes(plain.encode())
    shown = watched()
    shown.add_init_script("HTMLCanvasElement.prototype.getContext = () => null;")
    shown.goto(file.as_uri())
    shown.locator("#replay-box").scroll_into_view_if_needed()
    told = (
        "This browser has no WebGL, which the 3D scene needs; everything else on this page does "
        "not."
    )
    assert shown.inner_text("#replay-box p") == told
    assert shown.locator("iframe").count() == 0


def test_a_scene_of_viser_runs_under_the_policy(opened, report, segments, screenshots):
    """Unpacks, draws and plays; the fixture sees that nothing was blocked or asked for."""
    from playwright.sync_api import expect

    viser = pytest.importorskip("viser")
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    if not SOAK:  # as of lamps_only
        server.scene.configure_environment_map(None)
        server.scene.configure_default_lights(True, cast_shadow=False)
    recorded = server.get_scene_serializer()
    box = server.scene.add_box("/box", dimensions=(1.0, 1.0, 1.0), color=(213, 94, 0))
    for step in range(20):
        box.position = (0.1 * step, 0.0, 0.0)
        recorded.insert_sleep(0.1)
    text = page(report, segments, recorded.as_html())
    server.stop()
    shown = opened(text, viewport={"width": 800, "height": 600}, color_scheme="dark")
    shown.locator("#replay-box").scroll_into_view_if_needed()
    shown.frame_locator("iframe").locator("canvas").last.wait_for()
    clock = shown.frame_locator("iframe").locator("input").first
    clock.wait_for()
    first = clock.input_value()
    screenshots(shown, "replay.png")
    expect(clock).not_to_have_value(first)
    assert shown.frames[1].evaluate("window.__VISER_EMBED_CONFIG__.darkMode") is True


def test_hostile_names_are_shown_and_never_run(opened, hostile, hostile_segments, screenshots):
    shown = opened(page(hostile, hostile_segments, None), "phone")
    shown.locator("#curves-position .plot").first.scroll_into_view_if_needed()
    for share in (0.05, 0.2, 0.35, 0.5, 0.75, 0.95):
        shown.mouse.move(*middle(shown, ".plot", share))
        shown.wait_for_timeout(30)
    for button in shown.locator("#table-points th button").all()[:3]:
        button.click()
    screenshots(shown, "hostile-phone.png")
    assert shown.evaluate("window.hit") is None
    assert shown.locator("img").count() == 0
    assert shown.locator("script").count() == 2  # our data and our script
    assert shown.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    told = shown.inner_text("main")
    for name in ("<script>window.hit=1</script>", '"><img src=x onerror="window.hit=1">'):
        assert name in told
    assert "⟨U+202E⟩gnp.exe⟨U+202C⟩" in told


def test_without_javascript_everything_but_the_replay_is_there(opened, plain):
    shown = opened(plain, java_script_enabled=False)
    told = shown.inner_text("main")
    for word in ("Not feasible", "P101", "Joint torques", "finite differences", "SHA-256"):
        assert word in told
    assert shown.locator(".plot .curve").count() == 26
    assert shown.locator(".scripted:visible").count() == 0


def test_paper_has_every_section(opened, plain, tmp_path):
    shown = opened(plain)
    file = tmp_path / "report.pdf"
    shown.pdf(path=file, prefer_css_page_size=True)
    assert shown.evaluate("[...document.querySelectorAll('details')].every(d => d.open)")
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext: apt-get install poppler-utils")
    done = subprocess.run(["pdftotext", file, "-"], check=True, capture_output=True, text=True)
    for head in re.findall(r"<h2[^>]*>([^<]*)</h2>", plain):
        assert head in done.stdout
    assert "The part stands too far" in done.stdout
    assert "Filter rows" not in done.stdout
