// Shows the shapes of links on request. A replay that begins anew hides them with its first
// messages, so what passes the queue is corrected.
(() => {
  const box = document.querySelector("#shapes input");
  const nodes = new Set(JSON.parse(document.getElementById("shape-nodes").textContent));
  const message = (name) => ({ type: "SetSceneNodeVisibilityMessage", name, visible: box.checked, owner: "" });
  const wait = setInterval(() => {
    const found = window.palpeurViewer();
    if (!found?.useSceneTree.getAll()["/robot"]) return; // the recording has not been drawn yet
    clearInterval(wait);
    const scene = found.mutable.current, queue = scene.messageQueue, push = queue.push;
    queue.push = (...messages) => push.apply(queue, messages.map((one) =>
      one.type === "SetSceneNodeVisibilityMessage" && nodes.has(one.name) ? message(one.name) : one));
    const show = () => {
      push.apply(queue, [...nodes].map(message));
      scene.requestRender();
    };
    box.addEventListener("change", show);
    document.getElementById("shapes").dataset.ready = "true";
    if (box.checked) show();
  }, 40);
})();
