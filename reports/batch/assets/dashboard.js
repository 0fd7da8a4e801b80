"use strict";
// The table of jobs: sorted, filtered, one page of rows at a time. All texts are set as text.
(() => {
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const make = (name, kind, text) => {
    const made = document.createElement(name);
    if (kind) made.className = kind;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  all(".scripted").forEach((part) => { part.hidden = false; });

  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  one("#theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  const { columns, rows, total } = JSON.parse(one("#data").textContent);
  const place = new Map(columns.map((column, index) => [column.key, index]));
  const LINK = columns.length;
  const LOOKS = { feasible: "good", infeasible: "bad", worse: "bad", better: "good", changed: "doubtful" };
  const text = (row, index) => (columns[index].words ? columns[index].words[row[index]] : row[index]);
  const count = (number) => number.toLocaleString("en");
  const digits = (value) => {
    const size = Math.abs(value);
    const told = size && (size < 1e-3 || size >= 1e7) ? value.toExponential(3) : String(size >= 1e4 ? Math.round(value) : Number(value.toPrecision(4)));
    return told.replaceAll("-", "−");
  };
  const address = (link) => {
    const digest = link.slice(1);
    if (link[0] === "r") return `./results/${digest.slice(0, 2)}/${digest}.json`;
    return link[0] === "p" ? `./reports/${digest}/report.html` : digest;
  };

  // --- state ------------------------------------------------------------------------------------
  let shown = rows, start = 0, sorted = -1, falling = false;
  const picked = new Map(); // index of a column: number of the word that is wanted
  const search = one("#search"), size = one("#size"), table = one("#table"), box = one("#jobs .table-box");
  let hay = null; // what is searched of every row
  const spoken = columns.map((column, index) => index).filter((index) => ["name", "code", "message", "findings"].includes(columns[index].key));
  const swept = columns.map((column, index) => index).filter((index) => columns[index].swept);
  const straw = (row) => [
    ...spoken.map((index) => text(row, index)),
    ...swept.map((index) => `${columns[index].title}=${text(row, index) ?? ""}`),
  ].join("\n").toLowerCase();

  // --- order ------------------------------------------------------------------------------------
  const collator = new Intl.Collator("en", { numeric: true });
  const ranks = new Map(); // of the words of a column, so that texts are compared once
  const rank = (index) => {
    if (!ranks.has(index)) {
      const words = columns[index].words, order = words.map((_, k) => k);
      order.sort((a, b) => collator.compare(words[a], words[b]));
      const found = new Array(words.length);
      order.forEach((word, k) => { found[word] = k; });
      ranks.set(index, found);
    }
    return ranks.get(index);
  };
  const inOrder = (found) => {
    if (sorted < 0) return found;
    const sign = falling ? -1 : 1, index = sorted, kind = columns[index].kind;
    const places = kind === "word" ? rank(index) : null;
    const missing = (row) => (places ? columns[index].words[row[index]] === "" : row[index] === null);
    const order = places
      ? (a, b) => places[a[index]] - places[b[index]]
      : kind === "number" ? (a, b) => a[index] - b[index] : (a, b) => collator.compare(a[index], b[index]);
    const there = found.filter((row) => !missing(row)); // what is missing comes last, either way
    there.sort((a, b) => sign * order(a, b));
    return there.concat(found.filter(missing));
  };
  const choose = () => {
    const words = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length && !hay) hay = new Map(rows.map((row) => [row, straw(row)]));
    const wanted = [...picked];
    shown = inOrder(rows.filter((row) =>
      wanted.every(([index, word]) => row[index] === word) && words.every((word) => hay.get(row).includes(word))));
    start = 0;
    draw();
  };

  // --- drawing ----------------------------------------------------------------------------------
  const cell = (row, column, index) => {
    const told = text(row, index);
    if (column.kind === "name") {
      const made = make("td", "name"), link = make("a", "job", told || "(no name)");
      link.href = address(row[LINK]);
      made.append(link);
      return made;
    }
    if (column.kind === "number") return make("td", "n", told === null ? "" : digits(told));
    let look = column.key === "status" || column.key === "change" ? LOOKS[told] ?? (column.key === "status" ? "doubtful" : "") : "";
    if (column.key === "status" && look === "good" && text(row, place.get("unchecked"))) look = "doubtful"; // green is proven
    return make("td", `${column.swept ? "swept" : column.key} ${look}`.trim(), told);
  };
  const line = (row) => {
    const made = make("tr");
    made.append(...columns.map((column, index) => cell(row, column, index)));
    return made;
  };
  const draw = () => {
    const many = Number(size.value), end = Math.min(start + many, shown.length);
    const lines = shown.slice(start, end).map(line);
    if (!lines.length) {
      const nothing = make("td", "nothing", "No job fits.");
      nothing.colSpan = columns.length;
      lines.push(make("tr", "empty-row"));
      lines[0].append(nothing);
    }
    table.tBodies[0].replaceChildren(...lines);
    const part = shown.length ? `${count(start + 1)}–${count(end)} of ${count(shown.length)} jobs` : "0 jobs";
    one("#count").textContent = shown.length < rows.length ? `${part}, chosen from ${count(rows.length)}` : part;
    one("#previous").disabled = start === 0;
    one("#next").disabled = end >= shown.length;
    box.scrollTop = 0;
  };
  const turn = (step) => {
    const many = Number(size.value), past = Math.max(0, Math.ceil(shown.length / many) - 1) * many;
    start = Math.min(Math.max(0, start + step * many), past);
    draw();
  };

  // --- head, filters ----------------------------------------------------------------------------
  const heads = columns.map((column, index) => {
    const head = make("th", column.kind === "number" ? "n" : column.swept ? "swept" : column.key), button = make("button", "", column.title);
    head.scope = "col";
    button.type = "button";
    head.append(button);
    if (column.unit) head.append(make("span", "unit", column.unit));
    button.addEventListener("click", () => {
      falling = sorted === index && !falling;
      sorted = index;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      choose();
    });
    return head;
  });
  const top = make("tr");
  top.append(...heads);
  table.tHead.append(top);

  const CHOICES = 60, FILTERS = 8; // values of a swept key, and keys, that a reader chooses among
  const selects = new Map(), choices = new Map(); // by the key and by the index of a column
  const filter = (index, every, most) => {
    const { key } = columns[index];
    const label = make("label", "", columns[index].title), select = make("select");
    select.append(make("option", "", every));
    select.options[0].value = "";
    const occurs = new Map();
    rows.forEach((row) => occurs.set(row[index], (occurs.get(row[index]) ?? 0) + 1));
    if (occurs.size < 2 && columns[index].swept || occurs.size > most) return false;
    const worded = columns[index].words !== null;
    const order = worded ? (a, b) => rank(index)[a] - rank(index)[b] : (a, b) => (a ?? Infinity) - (b ?? Infinity);
    const found = [...occurs.keys()].sort(order);
    found.forEach((value, k) => {
      const told = worded ? columns[index].words[value] : value === null ? "" : digits(value);
      const option = make("option", "", `${(told || "none").slice(0, 60)} (${count(occurs.get(value))})`);
      option.value = String(k);
      select.append(option);
    });
    select.addEventListener("change", () => {
      if (select.value === "") picked.delete(index); else picked.set(index, found[Number(select.value)]);
      choose();
    });
    choices.set(index, found);
    label.append(select);
    one("#picks").append(label);
    selects.set(key, select);
    return true;
  };
  for (const [key, every] of [["status", "every status"], ["code", "every reason"], ["change", "every change"]]) {
    if (place.has(key)) filter(place.get(key), every, Infinity);
  }
  let filters = 0;
  swept.forEach((index) => { filters += filters < FILTERS && filter(index, "every value", Math.min(CHOICES, rows.length / 2)); });
  const clear = () => {
    search.value = "";
    picked.clear();
    selects.forEach((select) => { select.value = ""; });
  };
  all(".pick").forEach((button) => {
    const { column, value } = button.dataset, select = selects.get(column), index = place.get(column);
    const word = columns[index].words.indexOf(value);
    button.hidden = word < 0; // a text that was cut otherwise, or only of rows that are left out
    button.addEventListener("click", () => {
      clear();
      select.value = String(choices.get(index).indexOf(word));
      picked.set(index, word);
      choose();
      one("#jobs").scrollIntoView();
      select.focus({ preventScroll: true });
    });
  });
  one("#tools").addEventListener("submit", (event) => event.preventDefault());
  one("#tools").addEventListener("reset", (event) => { event.preventDefault(); clear(); choose(); });
  search.addEventListener("input", choose);
  size.addEventListener("change", () => { start = 0; draw(); });
  one("#previous").addEventListener("click", () => turn(-1));
  one("#next").addEventListener("click", () => turn(1));
  if (total > rows.length) one("#count").title = `${count(total)} jobs in all`;
  draw();
})();
