"use strict";
// Draws the part and names the face under a click. All texts are set as text, never as markup.
(() => {
  const drawn = JSON.parse(document.getElementById("drawn").textContent);
  const canvas = document.getElementById("view");
  const gl = canvas.getContext("webgl", { antialias: true });
  const bytes = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)).buffer;
  const corners = new Float32Array(bytes(drawn.positions)), triangles = new Uint32Array(bytes(drawn.triangles));
  const faceOf = new Uint32Array(bytes(drawn.face));
  const NONE = 0xffffff;
  let chosen = -1, chosenFace = NONE;

  // --- what is told of a face -----------------------------------------------------------------
  const make = (name, text) => { const made = document.createElement(name); made.textContent = text; return made; };
  const rowOf = (feature) => [...document.querySelectorAll("#table-features tbody tr")].find((row) => Number(row.cells[0].textContent) === feature + 1);
  const quoted = (text) => (/^[\w.#:,*-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const tell = () => {
    const feature = drawn.features[chosen];
    const face = chosenFace === NONE ? null : drawn.faces[chosenFace];
    document.querySelectorAll("tr.chosen").forEach((row) => row.classList.remove("chosen"));
    const head = document.getElementById("chosen"), facts = document.getElementById("facts");
    facts.replaceChildren();
    document.getElementById("use").hidden = !feature;
    if (!feature) {
      head.textContent = face ? `Face #${chosenFace}: not identified` : "No face chosen";
      return;
    }
    head.textContent = `${chosen + 1} · ${feature.name}`;
    const rows = [...feature.facts];
    if (face) rows.unshift(["face", face.name === `face-${chosenFace}` ? `#${chosenFace}` : `#${chosenFace} ${face.name}`]);
    for (const [label, value] of rows) facts.append(make("dt", label), make("dd", value));
    document.getElementById("command").textContent = `palpeur sample ${quoted(drawn.source)} --feature ${quoted(feature.name)}`;
    rowOf(chosen)?.classList.add("chosen");
  };

  // --- drawing ----------------------------------------------------------------------------------
  if (!gl) {
    canvas.hidden = true;
    document.getElementById("no-view").textContent = "This browser has no WebGL, which the picture needs; the table below does not.";
    return;
  }
  canvas.hidden = false;
  const count = triangles.length / 3, place = new Float32Array(9 * count), normal = new Float32Array(9 * count);
  const colour = new Float32Array(9 * count), mark = new Float32Array(9 * count);
  const grey = [0.62, 0.62, 0.62];
  for (let t = 0; t < count; t += 1) {
    const [a, b, c] = [0, 1, 2].map((k) => 3 * triangles[3 * t + k]);
    const u = [0, 1, 2].map((k) => corners[b + k] - corners[a + k]), v = [0, 1, 2].map((k) => corners[c + k] - corners[a + k]);
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const length = Math.hypot(...n) || 1, face = faceOf[t], feature = drawn.faces[face].feature;
    const paint = drawn.features[feature]?.colour ?? grey;
    [a, b, c].forEach((from, corner) => {
      for (let k = 0; k < 3; k += 1) {
        const at = 9 * t + 3 * corner + k;
        place[at] = corners[from + k];
        normal[at] = n[k] / length;
        colour[at] = paint[k];
      }
      mark[9 * t + 3 * corner] = face & 255;
      mark[9 * t + 3 * corner + 1] = (face >> 8) & 255;
      mark[9 * t + 3 * corner + 2] = feature;
    });
  }
  let set = {};
  const prepare = () => {
    const compiled = (kind, text) => { const made = gl.createShader(kind); gl.shaderSource(made, text); gl.compileShader(made); return made; };
    const program = gl.createProgram();
    gl.attachShader(program, compiled(gl.VERTEX_SHADER, `
      attribute vec3 place, normal, colour, mark; uniform mat3 turn; uniform vec2 shift, scale; uniform float radius, chosen, face;
      uniform bool picking; varying vec3 paint;
      void main() {
        vec3 eye = turn * place, side = turn * normal;
        gl_Position = vec4((eye.xy + shift) * scale, -eye.z / (4.0 * radius), 1.0);
        float light = 0.42 + 0.58 * max(dot(side, normalize(vec3(-0.3, 0.5, 0.8))), 0.0);
        bool same = chosen >= 0.0 && abs(mark.z - chosen) < 0.5;
        bool own = abs(mark.x + 256.0 * mark.y - face) < 0.5;
        vec3 base = same ? (own ? vec3(0.0, 0.36, 0.66) : vec3(0.13, 0.53, 0.85)) : colour;
        paint = picking ? vec3(mark.xy / 255.0, 0.0) : base * light;
      }`));
    gl.attachShader(program, compiled(gl.FRAGMENT_SHADER, "precision highp float; varying vec3 paint; uniform float solid; void main() { gl_FragColor = vec4(paint, solid); }"));
    gl.linkProgram(program);
    gl.useProgram(program);
    for (const [name, values] of [["place", place], ["normal", normal], ["colour", colour], ["mark", mark]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
      const at = gl.getAttribLocation(program, name);
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 0, 0);
    }
    set = Object.fromEntries(["turn", "shift", "scale", "radius", "chosen", "face", "picking", "solid"].map((name) => [name, gl.getUniformLocation(program, name)]));
    gl.enable(gl.DEPTH_TEST);
  };
  prepare();
  let yaw = -0.62, pitch = 0.62, near = 1, shift = [0, 0], due = false;
  const rotation = () => {
    const c = Math.cos(yaw), s = Math.sin(yaw), p = Math.cos(pitch), q = Math.sin(pitch);
    return [c, s * q, -s * p, -s, c * q, -c * p, 0, p, q]; // columns: x, y, z of the part
  };
  const render = (picking) => {
    const ratio = canvas.width / canvas.height, size = near / (1.06 * drawn.radius);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(picking ? 1 : 0, picking ? 1 : 0, picking ? 1 : 0, picking ? 1 : 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.uniformMatrix3fv(set.turn, false, rotation());
    gl.uniform2fv(set.shift, shift);
    gl.uniform2f(set.scale, ratio > 1 ? size / ratio : size, ratio > 1 ? size : size * ratio);
    gl.uniform1f(set.radius, drawn.radius);
    gl.uniform1f(set.chosen, chosen);
    gl.uniform1f(set.face, chosenFace);
    gl.uniform1i(set.picking, picking ? 1 : 0);
    gl.uniform1f(set.solid, 1);
    gl.drawArrays(gl.TRIANGLES, 0, 3 * count);
  };
  const draw = () => { due = false; render(false); };
  const ask = () => { if (!due) { due = true; requestAnimationFrame(draw); } };
  const fit = () => {
    const box = canvas.getBoundingClientRect(), dots = Math.min(devicePixelRatio || 1, 2);
    canvas.width = Math.max(1, Math.round(box.width * dots));
    canvas.height = Math.max(1, Math.round(box.height * dots));
    ask();
  };

  // --- choosing ---------------------------------------------------------------------------------
  // without antialiasing: mixed colours at an edge would name a face that is elsewhere
  const pickAt = (event) => {
    const box = canvas.getBoundingClientRect();
    const x = Math.round((event.clientX - box.left) * canvas.width / box.width);
    const y = Math.round((box.bottom - event.clientY) * canvas.height / box.height);
    const frame = gl.createFramebuffer(), texture = gl.createTexture(), depth = gl.createRenderbuffer();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, canvas.width, canvas.height, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    gl.bindRenderbuffer(gl.RENDERBUFFER, depth);
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT16, canvas.width, canvas.height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depth);
    render(true);
    const pixel = new Uint8Array(4);
    gl.readPixels(x, y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.deleteFramebuffer(frame); gl.deleteTexture(texture); gl.deleteRenderbuffer(depth);
    const face = pixel[2] ? NONE : pixel[0] + 256 * pixel[1];
    chosenFace = face < drawn.faces.length ? face : NONE;
    chosen = chosenFace === NONE ? -1 : drawn.faces[chosenFace].feature;
    if (chosen >= drawn.features.length) chosen = -1;
    tell();
    ask();
  };
  document.querySelector("#table-features tbody")?.addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    if (!row) return;
    chosen = Number(row.cells[0].textContent) - 1;
    chosenFace = NONE;
    tell();
    ask();
    document.getElementById("part").scrollIntoView({ block: "start" });
  });

  // --- turning, moving, coming nearer -------------------------------------------------------------
  const fingers = new Map();
  let moved = 0, apart = 0;
  const perPixel = () => (2.12 * drawn.radius) / (near * Math.min(canvas.clientWidth, canvas.clientHeight));
  const zoom = (factor) => { near = Math.min(Math.max(near * factor, 0.3), 200); ask(); };
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, event);
    moved = fingers.size > 1 ? 99 : 0;
    apart = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY;
    moved += Math.abs(dx) + Math.abs(dy);
    fingers.set(event.pointerId, event);
    if (fingers.size > 1) {
      const [a, b] = [...fingers.values()], gap = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
      if (apart) zoom(gap / apart);
      apart = gap;
    }
    if (fingers.size > 1 || event.buttons & 6 || event.shiftKey) {
      const step = perPixel() / fingers.size;
      shift = [shift[0] + dx * step, shift[1] - dy * step];
    } else {
      yaw += dx * 0.008;
      pitch = Math.min(Math.max(pitch + dy * 0.008, -Math.PI / 2), Math.PI / 2);
    }
    ask();
  });
  const release = (event) => {
    const known = fingers.delete(event.pointerId);
    if (known && event.type === "pointerup" && moved < 5 && event.button === 0) pickAt(event);
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.exp(-event.deltaY * 0.0015)); }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const turns = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
    if (turns) { yaw += turns[0]; pitch = Math.min(Math.max(pitch + turns[1], -Math.PI / 2), Math.PI / 2); ask(); }
    else if (event.key === "+" || event.key === "=") zoom(1.2);
    else if (event.key === "-") zoom(1 / 1.2);
    else return;
    event.preventDefault();
  });
  new ResizeObserver(fit).observe(canvas);
  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => { prepare(); ask(); });
  fit();
})();
