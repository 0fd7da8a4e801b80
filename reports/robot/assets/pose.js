"use strict";
// Runs inside the scene's frame: moves its nodes as the page around it says.
(() => {
  // viser draws on demand, and for a quarter of a second after it: where frames take long, names
  // would stay behind their joints and the scene half faded in. Frames are asked for a while longer.
  let scene = null, until = 0, asking = 0;
  const ask = (milliseconds) => {
    until = Math.max(until, performance.now() + milliseconds);
    scene.requestRender();
    asking ||= setInterval(() => {
      scene.requestRender();
      if (performance.now() > until) asking = clearInterval(asking) ?? 0;
    }, 200);
  };
  addEventListener("message", (event) => {
    if (event.source !== parent || !scene || event.data?.palpeur !== "pose") return;
    const { poses = [], shown = [] } = event.data;
    scene.messageQueue.push(
      ...poses.flatMap(([name, wxyz, position]) => [
        { type: "SetOrientationMessage", name, wxyz, owner: "" },
        { type: "SetPositionMessage", name, position, owner: "" },
      ]),
      ...shown.map(([name, visible]) => ({ type: "SetSceneNodeVisibilityMessage", name, visible, owner: "" })),
    );
    ask(500);
  });
  const wait = setInterval(() => {
    const found = window.palpeurViewer();
    if (!found?.useSceneTree.getAll()["/robot"]) return; // the recording has not been drawn yet
    clearInterval(wait);
    scene = found.mutable.current;
    ask(4000);
    parent.postMessage({ palpeur: "ready" }, "*");
  }, 40);
})();
