"use strict";
(() => {
  const theme = document.getElementById("theme");
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  // Numbers by size, whatever their sign; words by the alphabet; a dash comes last.
  const key = (cell) => {
    const text = cell.textContent.trim();
    const number = Number(text.replace("\u2212", "-").replace(/\s*%$/, ""));
    return text !== "" && Number.isFinite(number) ? Math.abs(number) : text;
  };
  const order = (one, other) => {
    if (typeof one === "number" && typeof other === "number") return one - other;
    if (typeof one === "number") return -1;
    if (typeof other === "number") return 1;
    return one.localeCompare(other, "en", { numeric: true });
  };
  const sort = (table, column, head) => {
    const down = head.getAttribute("aria-sort") !== "descending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => [key(row.cells[column]), row]);
    rows.sort((a, b) => (typeof a[0] === typeof b[0] && down ? order(b[0], a[0]) : order(a[0], b[0])));
    body.append(...rows.map((pair) => pair[1]));
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => sort(table, column, head));
    });
  }
})();
