"use strict";
// Adds to a page that says everything without it: values under the pointer, zoom, sorting,
// filters, the 3D scene, light and dark. All texts are set as text, never as markup.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector, root = document) => root.querySelector(selector);
  const data = (id) => { const block = document.getElementById(id); return block ? JSON.parse(block.textContent) : null; };
  const make = (name, text = "") => { const made = document.createElement(name); made.textContent = text; return made; };
  const draw = (name, kind) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    made.setAttribute("class", kind);
    return made;
  };
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
  // index of the last entry that is not above a value; 0 before the first
  const last = (values, value) => {
    let low = 0, high = values.length;
    while (high - low > 1) { const middle = (low + high) >> 1; if (values[middle] <= value) low = middle; else high = middle; }
    return low;
  };
  const number = (value, digits) => {
    const size = Math.abs(value);
    const text = size && (size < 1e-3 || size >= 1e6) ? value.toExponential(digits - 1) : String(Number(value.toPrecision(digits)));
    return text.replaceAll("-", "−");
  };

  all(".scripted").forEach((part) => { part.hidden = false; });

  // --- light and dark ---------------------------------------------------------------------------
  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);
  one("#theme").addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; });

  // --- the 3D scene: made when it is looked at ---------------------------------------------------
  const box = one("#replay-box");
  if (box) {
    let shown = false;
    const drawn = () => {
      const context = make("canvas").getContext("webgl2");
      context?.getExtension("WEBGL_lose_context")?.loseContext();
      return context !== null;
    };
    const show = () => {
      if (shown) return;
      shown = true;
      if (!drawn()) {
        const told = make("p");
        told.textContent = "This browser has no WebGL, which the 3D scene needs; everything else on this page does not.";
        box.replaceChildren(told);
        return;
      }
      const frame = make("iframe");
      frame.setAttribute("sandbox", "allow-scripts");
      frame.title = "3D scene";
      frame.name = isDark() ? "dark" : "light";
      frame.srcdoc = data("scene");
      box.replaceChildren(frame);
    };
    one("#replay-open").addEventListener("click", show);
    if ("IntersectionObserver" in window) {
      const watch = new IntersectionObserver((seen) => {
        if (seen.some((entry) => entry.isIntersecting)) { watch.disconnect(); show(); }
      }, { threshold: 0.35 });
      watch.observe(box);
    }
  }

  // --- tables -----------------------------------------------------------------------------------
  const order = new Intl.Collator("en", { numeric: true });
  const value = (cell) => {
    const read = Number.parseFloat(cell.textContent.replace("−", "-"));
    return Number.isNaN(read) ? Infinity : read;
  };
  const sort = (table, column, numeric, falling) => {
    const body = table.tBodies[0], sign = falling ? -1 : 1;
    const keyed = [...body.rows].map((row) => ({ row, cell: row.cells[column] }));
    const compare = numeric
      ? (a, b) => { const [x, y] = [value(a.cell), value(b.cell)]; return x === y ? 0 : !Number.isFinite(x) ? 1 : !Number.isFinite(y) ? -1 : sign * (x - y); }
      : (a, b) => sign * order.compare(a.cell.textContent, b.cell.textContent);
    body.append(...keyed.sort(compare).map((entry) => entry.row));
  };
  const sortable = (table) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = make("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const falling = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", falling ? "descending" : "ascending");
        sort(table, column, head.classList.contains("n"), falling);
      });
    });
  };
  const filter = (table, tools) => {
    const input = make("input"), told = make("span");
    input.type = "search";
    input.placeholder = "Filter rows";
    input.setAttribute("aria-label", "Filter rows of this table");
    told.setAttribute("role", "status");
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      const rows = [...table.tBodies[0].rows];
      rows.forEach((row) => { row.hidden = !row.textContent.toLowerCase().includes(wanted); });
      told.textContent = wanted ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows` : "";
    });
    tools.append(input, told);
    tools.hidden = false;
  };
  all(".table-tools").forEach((tools) => {
    const table = document.getElementById(`table-${tools.dataset.table}`);
    if (table.tBodies[0].rows.length > 1) sortable(table);
    if (table.tBodies[0].rows.length > 8) filter(table, tools);
  });

  // --- pages of findings ------------------------------------------------------------------------
  const open = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.tagName === "DETAILS") target.open = true;
  };
  addEventListener("hashchange", open);
  open();
  addEventListener("beforeprint", () => all("details").forEach((part) => { part.open = true; }));

  // --- curves -----------------------------------------------------------------------------------
  const motion = data("motion");
  if (!motion) return;
  const WIDTH = 100000, HEIGHT = 1000, CLOSEST = 1e-4;
  const told = one("#instant");
  const plots = all(".plot").map((plot, index) => {
    const parts = { plot, output: one("output", plot.parentNode), curve: motion.panels[index] };
    for (const [name, kind] of [["span", "rect"], ["cross", "path"], ["dot", "path"]]) plot.append(parts[name] = draw(kind, name));
    parts.span.setAttribute("height", HEIGHT);
    return parts;
  });
  const stops = all(".stops text").map((text) => ({ text, at: Number.parseFloat(text.getAttribute("x")) / 100 }));
  const axes = all(".axis .stops"), grid = one("#time-grid");
  let view = { from: 0, to: 1 }, at = null;

  const valueAt = (curve, t) => {
    const k = Math.min(last(curve.t, t), curve.t.length - 2), span = curve.t[k + 1] - curve.t[k];
    const share = span > 0 ? clamp((t - curve.t[k]) / span, 0, 1) : 0;
    return curve.v[k] + share * (curve.v[k + 1] - curve.v[k]);
  };
  const ofLimit = (curve, now) => {
    const limit = now < 0 ? curve.lower : curve.upper;
    return limit && curve.lower === -curve.upper ? `${curve.unit} · ${Math.round((100 * now) / limit)} %` : curve.unit;
  };
  const tell = (share) => {
    at = share;
    if (share === null) {
      told.textContent = "";
      plots.forEach(({ output, cross, dot }) => { output.textContent = ""; cross.removeAttribute("d"); dot.removeAttribute("d"); });
      return;
    }
    const t = share * motion.duration, x = share * WIDTH, k = last(motion.start, t);
    const what = `${motion.kinds[motion.kind[k]]} ${motion.points[motion.point[k]]} · ${motion.laws[motion.law[k]]}`;
    told.replaceChildren(make("b", `${t.toFixed(4)} s`), ` · ${what}`);
    plots.forEach(({ output, cross, dot, curve }) => {
      const now = valueAt(curve, t), y = ((curve.high - now) / (curve.high - curve.low)) * HEIGHT;
      output.textContent = `${number(now, 4)} ${ofLimit(curve, now)}`;
      cross.setAttribute("d", `M${x} 0V${HEIGHT}`);
      dot.setAttribute("d", `M${x} ${y}h0`);
    });
  };
  const roundStep = (rough) => {
    const scale = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 2.5, 5, 10].map((step) => step * scale).find((step) => step >= rough * (1 - 1e-9));
  };
  const place = (text, share) => {
    const seen = (share - view.from) / (view.to - view.from);
    text.setAttribute("x", `${100 * seen}%`);
    text.toggleAttribute("display", false);
    if (seen < -0.001 || seen > 1.001) text.setAttribute("display", "none");
  };
  const look = (from, to) => {
    const width = clamp(to - from, CLOSEST, 1), start = clamp(from, 0, 1 - width);
    view = { from: start, to: start + width };
    plots.forEach(({ plot }) => plot.setAttribute("viewBox", `${start * WIDTH} 0 ${width * WIDTH} ${HEIGHT}`));
    stops.forEach(({ text, at: share }) => { if (!text.closest(".axis")) place(text, share); });
    const room = innerWidth < 740 ? 4 : 8, step = roundStep((width * motion.duration) / room);
    const decimals = Math.max(0, Math.ceil(-Math.log10(step) + 1e-9) + (/^25/.test(String(Math.round(step * 1e9))) ? 1 : 0));
    const marks = [];
    for (let k = Math.ceil((start * motion.duration) / step - 1e-9); k * step <= view.to * motion.duration * (1 + 1e-12); k++) marks.push(k * step);
    grid.setAttribute("d", marks.map((mark) => `M${(mark / motion.duration) * WIDTH} 0v${HEIGHT}`).join(""));
    axes.forEach((axis) => axis.replaceChildren(...marks.map((mark) => {
      const text = draw("text", "");
      text.textContent = mark ? mark.toFixed(decimals) : "0";
      text.setAttribute("y", "12");
      place(text, mark / motion.duration);
      return text;
    })));
  };
  const zoom = (factor, centre = at ?? (view.from + view.to) / 2) => {
    const middle = clamp(centre, view.from, view.to);
    look(middle - (middle - view.from) * factor, middle + (view.to - middle) * factor);
  };
  const shareOf = (plot, event) => {
    const edges = plot.getBoundingClientRect();
    return clamp(view.from + ((event.clientX - edges.left) / edges.width) * (view.to - view.from), view.from, view.to);
  };
  const mark = (from, to) => plots.forEach(({ span }) => {
    span.setAttribute("x", Math.min(from, to) * WIDTH);
    span.setAttribute("width", Math.abs(to - from) * WIDTH);
  });

  let held = null, asked = null;
  const follow = () => { const share = asked; asked = null; if (share !== null) { tell(share); if (held !== null) mark(held, share); } };
  plots.forEach(({ plot }) => {
    plot.addEventListener("pointerdown", (event) => {
      tell(shareOf(plot, event));
      if (event.pointerType === "mouse" && event.button === 0) { held = at; plot.setPointerCapture(event.pointerId); }
    });
    plot.addEventListener("pointermove", (event) => {
      if (asked === null) requestAnimationFrame(follow);
      asked = shareOf(plot, event);
    });
    plot.addEventListener("pointerup", (event) => {
      const from = held, to = shareOf(plot, event);
      held = null;
      mark(0, 0);
      if (from !== null && Math.abs(to - from) > 0.01 * (view.to - view.from)) look(Math.min(from, to), Math.max(from, to));
    });
    plot.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse" && held === null) { asked = null; tell(null); } });
    plot.addEventListener("pointercancel", () => { held = null; mark(0, 0); });
    plot.addEventListener("dblclick", () => look(0, 1));
  });
  one("#zoom-in").addEventListener("click", () => zoom(0.5));
  one("#zoom-out").addEventListener("click", () => zoom(2));
  one("#zoom-all").addEventListener("click", () => look(0, 1));
  const keys = {
    ArrowLeft: (width) => tell(clamp((at ?? view.from) - width / 200, 0, 1)),
    ArrowRight: (width) => tell(clamp((at ?? view.from) + width / 200, 0, 1)),
    PageUp: (width) => tell(clamp((at ?? view.from) - width / 10, 0, 1)),
    PageDown: (width) => tell(clamp((at ?? view.from) + width / 10, 0, 1)),
    Home: () => tell(view.from),
    End: () => tell(view.to),
    "+": () => zoom(0.5),
    "=": () => zoom(0.5),
    "-": () => zoom(2),
    0: () => look(0, 1),
    Escape: () => { look(0, 1); tell(null); },
  };
  all(".quantity").forEach((quantity) => {
    quantity.tabIndex = 0;
    quantity.addEventListener("keydown", (event) => {
      const act = event.ctrlKey || event.altKey || event.metaKey ? null : keys[event.key];
      if (!act) return;
      event.preventDefault();
      act(view.to - view.from);
      if (at !== null && (at < view.from || at > view.to)) look(at - (view.to - view.from) / 2, at + (view.to - view.from) / 2);
    });
  });
  addEventListener("beforeprint", () => { look(0, 1); tell(null); });
  addEventListener("resize", () => look(view.from, view.to));
  look(0, 1);
})();
