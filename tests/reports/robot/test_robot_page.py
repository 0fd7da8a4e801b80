"""The page of a robot in Chromium: its own forward geometry, sliders, keyboard, scene, paper."""

from __future__ import annotations

import json

import numpy as np
import pytest

from planner.errors import OptionError
from reports.robot.page import robot_page
from robots.core.mechanism import BASE, Joint, JointKind, Mechanism
from robots.core.pose import rotation_zyx
from robots.robot import Robot
from tests.cases import cases

HOSTILE = "</script><b id=own>q"
TIP_ERROR = 1e-12  # [m]: a billionth of a millimetre
# The scene's client, found as the page finds it: through React's tree.
VIEWER = """() => {
  const root = document.getElementById("root");
  const open = [root[Object.keys(root).find((name) => name.startsWith("__reactContainer$"))]];
  for (;;) {
    const fiber = open.pop(), value = fiber.memoizedProps?.value;
    if (value?.mutable?.current?.messageQueue) {
      const tree = value.useSceneTree.getAll();
      return {
        waiting: value.mutable.current.messageQueue.length,
        poses: value.mutable.current.nodePoseData,
        visible: Object.fromEntries(Object.entries(tree).map(([k, node]) => [k, node?.visibility])),
      };
    }
    if (fiber.sibling) open.push(fiber.sibling);
    if (fiber.child) open.push(fiber.child);
  }
}"""
SET = """(postures) => postures.map((values) => {
  for (const [id, value] of Object.entries(values)) {
    const input = document.getElementById(id);
    input.value = value;
    input.dispatchEvent(new Event("input"));
  }
  const outputs = [...document.querySelectorAll("#pose output")];
  const told = outputs.map((one) => Number(one.dataset.value));
  return { matrix: JSON.parse(document.getElementById("pose").dataset.matrix), told };
})"""


def pose(*turns, at):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation_zyx(np.array(turns)), at
    return T


def joint(name, kind, parent, placement, low=-np.inf, high=np.inf):
    return Joint(name=name, kind=kind, parent=parent, placement=placement, q_min=low, q_max=high)


@pytest.fixture(scope="module")
def arm():
    """A tree: numbers out of order, a fixed joint, a side branch, a hostile name, free joints."""
    turn, slide, fixed = JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.FIXED
    joints = (
        joint("q2", slide, BASE, pose(0.3, -0.2, 0.1, at=[0.1, -0.2, 0.4]), -0.25, 1.5),
        joint("q1", turn, 0, pose(-0.7, 0.4, 1.1, at=[0.3, 0.1, 0.2]), -1.2, 2.1),
        joint(HOSTILE, fixed, 1, pose(1.0, 0.1, -2.0, at=[0.0, 0.25, 0.0])),
        joint("q4", slide, 2, pose(0.0, 1.3, 0.0, at=[0.2, 0.0, 0.1])),
        joint("q3", turn, 3, pose(0.5, 0.5, 0.5, at=[0.1, 0.1, 0.1])),
        joint("q5", turn, 0, pose(0.0, 0.0, 0.0, at=[0.0, 0.0, 0.5]), 0.2, 0.9),
    )
    tool = pose(0.2, -1.0, 0.3, at=[0.01, 0.02, 0.15])
    return Mechanism(name=f"arm {HOSTILE}", joints=joints, tool=tool, tool_joint=4)


@pytest.fixture(scope="module")
def model(arm):
    return Robot(arm, engine="numpy")


@pytest.fixture(scope="module")
def text(model, lamps_only):
    with lamps_only():
        return robot_page(model, np.array([0.5, 1.0, 0.1, -0.4, 0.3]))


@pytest.fixture(scope="module")
def kept(watching, text, tmp_path_factory):
    """The page, opened once for the tests that leave it usable for others."""
    file = tmp_path_factory.mktemp("robot") / "page.html"
    file.write_bytes(text.encode("utf-8"))
    with watching() as watch:
        shown = watch(viewport={"width": 1000, "height": 640})
        shown.goto(file.as_uri())
        yield shown


def typed(arm, q):
    """What is typed for a posture, and the posture that this says."""
    entries, exact = {}, np.zeros(arm.dof)
    for place, (number, one) in enumerate(zip(arm.numbers, arm.movable, strict=True)):
        factor = np.pi / 180.0 if one.kind.angular else 1e-3
        shown = round(float(q[place] / factor), 6)
        entries[f"number-{number}"], exact[place] = repr(shown), shown * factor
    return entries, exact


def value(page, number):
    return float(page.input_value(f"#number-{number}"))


def matrix(page):
    return np.array(json.loads(page.get_attribute("#pose", "data-matrix"))).reshape(3, 4)


def test_the_page_s_forward_geometry_is_the_model_s(kept, arm, model):
    random = np.random.default_rng(5)
    low = np.where(np.isfinite(arm.q_min), arm.q_min, -0.9) + 1e-6
    high = np.where(np.isfinite(arm.q_max), arm.q_max, 0.9) - 1e-6
    postures = random.uniform(low, high, (cases(gate=40, soak=2000), arm.dof))
    pairs = [typed(arm, q) for q in postures]
    T = model.forward(np.array([exact for _, exact in pairs]))
    answers = kept.evaluate(SET, [entries for entries, _ in pairs])
    found = np.array([one["matrix"] for one in answers]).reshape(-1, 3, 4)
    assert np.abs(found - T[:, :3]).max() < TIP_ERROR
    told = np.array([one["told"] for one in answers])
    assert np.abs(told[:, :3] - 1e3 * T[:, :3, 3]).max() < 1e3 * TIP_ERROR
    assert np.abs(rotation_zyx(np.radians(told[:, 3:6])) - T[:, :3, :3]).max() < 1e-12
    assert np.abs(told[:, 6:] - T[:, :3, 2]).max() < 1e-12


def test_postures_and_the_command_line(kept, model, state_of):
    given = np.array([0.5, 1.0, 0.1, -0.4, 0.3])
    middle = np.array([0.625, 0.45, 0.0, 0.0, 0.55])
    zero = np.array([0.0, 0.0, 0.0, 0.0, 0.2])  # q5 does not reach zero
    for name, q in (("zero", zero), ("middle", middle), ("given", given)):
        kept.click(f"[data-posture={name}]")
        assert np.abs(matrix(kept) - model.forward(q)[:3]).max() < TIP_ERROR
        option = kept.inner_text("#option").removeprefix("--q=")
        assert np.abs(state_of(option) - q).max() < 1e-8


@pytest.fixture(scope="module")
def state_of(arm):
    from planner.tables import one_state

    return lambda option: one_state({"q": option}, arm).groups["q"][0]


def test_sliders_answer_to_keys_and_stay_within_limits(kept):
    kept.click("[data-posture=middle]")
    kept.focus("#slider-1")
    start, before = value(kept, 1), matrix(kept)
    for key, step in (
        ("ArrowRight", 1),
        ("Shift+ArrowLeft", -0.1),
        ("PageUp", 10),
        ("ArrowDown", -1),
    ):
        kept.keyboard.press(key)
        start += step
        assert value(kept, 1) == pytest.approx(start, abs=2e-6)
    assert np.abs(matrix(kept) - before).max() > 0.01
    kept.keyboard.press("End")
    assert value(kept, 1) == pytest.approx(np.degrees(2.1), abs=1e-6)
    kept.keyboard.press("ArrowUp")
    assert value(kept, 1) == pytest.approx(np.degrees(2.1), abs=1e-6)
    kept.keyboard.press("Home")
    assert value(kept, 1) == pytest.approx(np.degrees(-1.2), abs=1e-6)
    assert kept.get_attribute("#slider-1", "aria-valuetext").startswith("-68.8 deg")
    labels = kept.evaluate(
        "[...document.querySelectorAll('#joints input')]"
        ".map(one => one.labels[0]?.textContent ?? one.getAttribute('aria-label'))"
    )
    assert [label.split()[0] for label in labels] == [
        f"q{k}" for k in (1, 1, 2, 2, 3, 3, 4, 4, 5, 5)
    ]


def test_a_typed_value_outside_is_refused_with_the_limit(kept):
    kept.click("[data-posture=middle]")
    kept.fill("#number-2", "1500.5")
    assert kept.get_attribute("#number-2", "aria-invalid") == "true"
    kept.press("#number-2", "Enter")
    assert value(kept, 2) == 1500.0
    told = kept.inner_text("#said")
    assert [part for part in ("q2", "1500.5", "-250", "1500", "mm") if part not in told] == []
    kept.fill("#number-2", "12")
    assert kept.inner_text("#said") == ""


def test_joints_without_limits_have_a_range(kept):
    ends = kept.evaluate(
        "[3, 4].map(k => document.getElementById(`slider-${k}`))"
        ".map(slider => [Number(slider.min), Number(slider.max)])"
    )
    assert ends[0] == pytest.approx([-360.0, 360.0])
    assert ends[1][0] == -ends[1][1] < -100.0  # it slides by the size of the arm [mm]


def test_the_scene_stands_as_the_sliders_say(kept, arm, model, screenshots):
    kept.locator("#replay-box").scroll_into_view_if_needed()
    kept.wait_for_selector("#replay-box[data-ready]")
    frame = kept.frames[1]
    kept.check("[data-guide=reach]")
    kept.uncheck("[data-guide=axes]")
    entries, q = typed(arm, np.array([0.2, -0.3, 0.4, 0.7, 0.8]))
    (answer,) = kept.evaluate(SET, [entries])
    nodes = json.loads(kept.inner_text("#robot") or kept.text_content("#robot"))
    path = [link["node"] for link in nodes["links"]]

    def poses():
        kept.evaluate(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )
        client = frame.evaluate(VIEWER)
        found = []
        for link, node in zip(arm.joints, path, strict=True):
            at = client["poses"][node]
            w, x, y, z = at["wxyz"]
            T = np.eye(4)
            T[:3, :3] = np.eye(3) + 2 * (
                w * np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
                + np.outer([x, y, z], [x, y, z]) - (x * x + y * y + z * z) * np.eye(3)
            )  # fmt: skip
            T[:3, 3] = at["position"]
            found.append(T if link.parent == BASE else found[link.parent] @ T)
        return np.array(found), client["visible"]

    wanted = model.transforms(q[None])[0]
    for _ in range(100):
        found, visible = poses()
        if np.abs(found - wanted).max() < 1e-6 and visible["/reach"]:
            break
    assert np.abs(found - wanted).max() < 1e-6
    assert np.array(answer["matrix"]).reshape(3, 4) == pytest.approx(
        (found[4] @ arm.tool)[:3], abs=1e-6
    )
    assert visible["/reach"] is True
    assert {visible[node] for node in nodes["guides"]["axes"]} == {False}
    assert {visible[node] for node in nodes["guides"]["frames"]} == {False}
    screenshots(kept, "robot.png")


@pytest.fixture
def phone(kept):
    """The page that is kept, as a dark phone shows it."""
    size = kept.viewport_size
    kept.set_viewport_size({"width": 390, "height": 844})
    kept.emulate_media(color_scheme="dark")
    kept.click("[data-posture=given]")
    yield kept
    kept.set_viewport_size(size)
    kept.emulate_media(media="null", color_scheme="null")


def test_on_a_phone_on_paper_and_without_script(phone, opened, text, screenshots):
    shown = phone
    assert shown.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert shown.locator("#own").count() == 0  # a name is text
    assert HOSTILE in shown.inner_text("h1")
    scripted = shown.locator("#pose output").all_inner_texts()
    # The picture stays in sight, and what it scrolls over is not covered by the rest of its column.
    shown.evaluate(
        "document.querySelector('#slider-5').scrollIntoView({block: 'end', behavior: 'instant'})"
    )
    top, bottom, told, panel = shown.evaluate(
        "['#replay-box', '.shown', '.arm-panel'].map(q => document.querySelector(q))"
        ".map(one => one.getBoundingClientRect())"
        ".flatMap((box, k) => (k ? [k === 1 ? box.bottom : box.top] : [box.top, box.bottom]))"
    )
    assert 0 <= top < bottom < shown.locator("#slider-5").bounding_box()["y"]
    assert told <= panel
    screenshots(shown, "robot-phone.png")
    shown.emulate_media(media="print")
    assert not shown.is_visible("#replay-box")
    assert not shown.is_visible("#slider-1")
    assert shown.is_visible("#number-1")
    assert shown.is_visible("#pose-x")
    plain = opened(text, java_script_enabled=False)
    assert plain.locator("#pose output").all_inner_texts() == scripted


def test_the_same_robot_gives_the_same_page(model, text, lamps_only):
    with lamps_only():
        assert robot_page(model, np.array([0.5, 1.0, 0.1, -0.4, 0.3])) == text


def test_a_posture_outside_is_refused(model):
    with pytest.raises(OptionError, match=r"'q5'.* upper limit"):
        robot_page(model, np.array([0.5, 1.0, 0.1, -0.4, 3.0]))


def test_a_robot_that_cannot_move_is_refused():
    still = Mechanism(name="still", joints=(joint("a", JointKind.FIXED, BASE, np.eye(4)),))
    with pytest.raises(OptionError, match="only fixed joints"):
        robot_page(Robot(still, engine="numpy"))
