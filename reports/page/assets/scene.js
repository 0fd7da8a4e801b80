"use strict";
// Runs before the scene's own scripts, inside its sandboxed frame.
(() => {
  // Styles made while the scene runs have no hash that a policy could name; sheets built by
  // script need none.
  const sheets = new WeakMap();
  const take = (style, text) => {
    let sheet = sheets.get(style);
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheets.set(style, sheet);
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    }
    sheet.replaceSync(text);
  };
  const held = new WeakMap();
  const told = {
    configurable: true,
    get() { return held.get(this) ?? ""; },
    set(text) { held.set(this, String(text)); take(this, String(text)); },
  };
  Object.defineProperty(HTMLStyleElement.prototype, "innerHTML", told);
  Object.defineProperty(HTMLStyleElement.prototype, "textContent", told);
  HTMLStyleElement.prototype.appendChild = function (node) {
    this.textContent += node.data ?? "";
    return node;
  };
  // Sorting of Gaussian splats, which no scene of ours has, would build code from text.
  addEventListener("unhandledrejection", (event) => {
    if (event.reason instanceof EvalError) event.preventDefault();
  });
  // Light or dark is what the report around the scene is.
  const config = { darkMode: window.name === "dark" };
  Object.defineProperty(window, "__VISER_EMBED_CONFIG__", { get: () => config, set() {} });
})();
