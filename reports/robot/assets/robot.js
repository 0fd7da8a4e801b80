"use strict";
// Poses the arm: forward geometry from the joints' placements, the tool's pose, the scene.
(() => {
  const arm = JSON.parse(document.getElementById("robot").textContent);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const q = [...arm.first], said = document.getElementById("said");
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
  const factor = (joint) => (joint.unit === "deg" ? Math.PI / 180 : 1e-3);
  const minus = (text) => (/[1-9]/.test(text) ? text : text.replace("-", "")).replace("-", "−");

  // --- forward geometry: rows of [R | p] ----------------------------------------------------------
  const product = (a, b) => {
    const c = new Array(12);
    for (let i = 0; i < 12; i += 4) {
      for (let j = 0; j < 4; j += 1) c[i + j] = a[i] * b[j] + a[i + 1] * b[4 + j] + a[i + 2] * b[8 + j];
      c[i + 3] += a[i + 3];
    }
    return c;
  };
  const motion = (kind, value) => {
    if (kind === "prismatic") return [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, value];
    const c = Math.cos(value), s = Math.sin(value);
    return [c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, 0];
  };
  const forward = (values) => {
    const poses = [];
    for (const link of arm.links) {
      const local = link.variable < 0 ? link.placement : product(link.placement, motion(link.kind, values[link.variable]));
      poses.push(link.parent < 0 ? local : product(poses[link.parent], local));
    }
    return product(poses[arm.tool.link], arm.tool.placement);
  };
  // about z, y, x; about x by none where y is a quarter turn
  const turns = (T) => {
    const edge = Math.hypot(T[0], T[4]) < 1e-12;
    const z = edge ? Math.atan2(-T[1], T[5]) : Math.atan2(T[4], T[0]), c = Math.cos(z), s = Math.sin(z);
    const y = Math.atan2(-T[8], T[0] * c + T[4] * s);
    const x = edge ? 0 : Math.atan2(T[2] * s - T[6] * c, T[5] * c - T[1] * s);
    return [z, y, x].map((angle) => (angle * 180) / Math.PI);
  };

  // --- the scene: every link in the one before it --------------------------------------------------
  let scene = null, due = false;
  const local = (link) => {
    const value = link.variable < 0 ? 0 : q[link.variable], [w, x, y, z] = link.wxyz;
    const p = [link.placement[3], link.placement[7], link.placement[11]];
    if (link.kind === "prismatic") return [link.node, link.wxyz, p.map((at, row) => at + value * link.placement[4 * row + 2])];
    const c = Math.cos(value / 2), s = Math.sin(value / 2);
    return [link.node, [w * c - z * s, x * c + y * s, y * c - x * s, z * c + w * s], p];
  };
  const draw = () => {
    due = false;
    scene?.postMessage({ palpeur: "pose", poses: arm.links.map(local) }, "*");
  };
  const show = () => {
    const shown = all("[data-guide]").flatMap((box) => arm.guides[box.dataset.guide].map((node) => [node, box.checked]));
    scene?.postMessage({ palpeur: "pose", shown }, "*");
  };
  addEventListener("message", (event) => {
    const frame = document.querySelector("#replay-box iframe");
    if (!frame || event.source !== frame.contentWindow || event.data?.palpeur !== "ready") return;
    scene = event.source;
    draw();
    show();
    document.getElementById("replay-box").dataset.ready = "true";
  });
  all("[data-guide]").forEach((box) => {
    if (!arm.guides[box.dataset.guide].length) box.parentNode.hidden = true;
    box.addEventListener("change", show);
  });

  // --- what is read and written ---------------------------------------------------------------------
  const inputs = arm.joints.map((joint) => {
    const own = joint.name.split(" ")[0].slice(1);
    return { ...joint, slider: document.getElementById(`slider-${own}`), number: document.getElementById(`number-${own}`) };
  });
  const typed = (joint) => String(Number((q[joint.place] / factor(joint)).toFixed(6)) + 0);
  const tell = (key, value, digits) => {
    const output = document.getElementById(`pose-${key}`);
    output.dataset.value = value;
    output.textContent = minus(value.toFixed(digits));
  };
  const update = (source = null) => {
    for (const joint of inputs) {
      if (joint.slider !== source) joint.slider.value = q[joint.place] / factor(joint);
      if (joint.number !== source) { joint.number.value = typed(joint); joint.number.removeAttribute("aria-invalid"); }
      joint.slider.setAttribute("aria-valuetext", `${Number(typed(joint)).toFixed(1)} ${joint.unit}`);
    }
    const T = forward(q), angles = turns(T);
    ["x", "y", "z"].forEach((axis, row) => { tell(axis, 1e3 * T[4 * row + 3], 3); tell(`a${axis}`, T[4 * row + 2], 5); });
    ["rz", "ry", "rx"].forEach((key, place) => tell(key, angles[place], 4));
    document.getElementById("pose").dataset.matrix = JSON.stringify(T);
    document.getElementById("option").textContent = `--q=${inputs.map(typed).join(",")}`;
    if (!due) { due = true; requestAnimationFrame(draw); }
  };
  const set = (joint, shown, source) => {
    q[joint.place] = clamp(shown * factor(joint), arm.low[joint.place], arm.high[joint.place]);
    said.textContent = "";
    update(source);
  };
  // A step is 1 deg or mm, a tenth of it with Shift, ten with PageUp and PageDown.
  const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 };
  for (const joint of inputs) {
    joint.slider.addEventListener("input", () => set(joint, joint.slider.valueAsNumber, joint.slider));
    joint.slider.addEventListener("keydown", (event) => {
      const step = STEPS[event.key];
      if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      set(joint, q[joint.place] / factor(joint) + step * (event.shiftKey ? 0.1 : 1), null);
    });
    const ends = [arm.low, arm.high].map((limits) => Number((limits[joint.place] / factor(joint)).toFixed(6)));
    const inside = (value) => value >= ends[0] && value <= ends[1];
    joint.number.addEventListener("input", () => {
      const value = joint.number.valueAsNumber;
      if (inside(value)) { joint.number.removeAttribute("aria-invalid"); set(joint, value, joint.number); }
      else joint.number.setAttribute("aria-invalid", "true");
    });
    joint.number.addEventListener("change", () => {
      const value = joint.number.valueAsNumber, outside = Number.isFinite(value) && !inside(value);
      if (outside) set(joint, value, null);
      else update();
      if (outside) said.textContent = `${joint.name}: ${value} ${joint.unit} is outside ${ends[0]} to ${ends[1]} ${joint.unit}; it stands at the limit.`;
    });
  }
  document.getElementById("joints").addEventListener("submit", (event) => event.preventDefault());
  all("[data-posture]").forEach((button) => button.addEventListener("click", () => {
    q.splice(0, q.length, ...arm.postures[button.dataset.posture]);
    said.textContent = "";
    update();
  }));
  update();
})();
