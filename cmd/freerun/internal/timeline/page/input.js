// The pointer, the wheel, fingers and keys.

function listen(app) {
  const lanes = document.getElementById("lanes"), ruler = document.getElementById("ruler"), overview = document.getElementById("overview");
  listenToPointer(app, lanes);
  for (const canvas of [lanes, ruler]) {
    canvas.addEventListener("wheel", e => {
      if (e.offsetX < app.view.left && canvas === lanes) return; // over the names it scrolls
      e.preventDefault();
      if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) app.view.pan(e.deltaX || e.deltaY);
      else app.view.zoom(Math.exp(-e.deltaY * (e.deltaMode === 1 ? 0.05 : e.ctrlKey ? 0.01 : 0.0022)), e.offsetX);
    }, { passive: false });
  }
  stretch(app, ruler, (a, b) => app.view.show(app.view.time(a), app.view.time(b)), x => app.view.zoom(2, x));
  const time = x => (x - app.view.left) / (app.view.width - app.view.left) * app.model.end;
  const half = () => (app.view.to - app.view.from) / 2;
  stretch(app, overview, (a, b) => app.view.show(time(a), time(b)), x => app.view.show(time(x) - half(), time(x) + half()));
  document.addEventListener("keydown", e => key(app, e));
}

// stretch calls chosen with both ends after the pointer was dragged over the canvas, and clicked with the place after a click.
function stretch(app, canvas, chosen, clicked) {
  let from = -1;
  canvas.addEventListener("pointerdown", e => {
    from = e.offsetX;
    canvas.setPointerCapture(e.pointerId);
  });
  canvas.addEventListener("pointermove", e => {
    if (from >= 0 && canvas.id !== "overview") app.mark(from, e.offsetX);
    else if (from >= 0 && Math.abs(e.offsetX - from) > 4) chosen(Math.min(from, e.offsetX), Math.max(from, e.offsetX));
  });
  canvas.addEventListener("pointerup", e => {
    const to = e.offsetX, start = from;
    from = -1;
    app.mark(-1, -1);
    if (start < 0) return;
    if (Math.abs(to - start) > 4) chosen(Math.min(start, to), Math.max(start, to));
    else clicked(to);
  });
  canvas.addEventListener("pointercancel", () => {
    from = -1;
    app.mark(-1, -1);
  });
}

// listenToPointer: dragging moves the lanes, with shift it chooses a stretch; two fingers zoom; a click chooses a slice.
function listenToPointer(app, canvas) {
  const down = new Map(); // pointers that touch, by id
  let moved = 0, marking = -1;
  const y = e => e.offsetY + app.scrolled();
  canvas.addEventListener("pointerdown", e => {
    if (e.button !== 0) return;
    canvas.focus({ preventScroll: true });
    down.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
    canvas.setPointerCapture(e.pointerId);
    moved = 0;
    marking = e.shiftKey ? e.offsetX : -1;
    hideTooltip();
  });
  canvas.addEventListener("pointermove", e => {
    const last = down.get(e.pointerId);
    if (!last) return app.hover(e.offsetX, y(e), e.clientX, e.clientY);
    if (marking >= 0) app.mark(marking, e.offsetX);
    else if (down.size === 1) app.view.pan(last.x - e.offsetX);
    else {
      const other = [...down].find(([id]) => id !== e.pointerId)[1];
      const before = Math.abs(last.x - other.x), now = Math.abs(e.offsetX - other.x);
      if (before > 8 && now > 8) app.view.zoom(now / before, other.x);
    }
    moved += Math.abs(e.offsetX - last.x);
    if (moved > 4) canvas.classList.add("moving");
    down.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
  });
  const up = e => {
    if (!down.delete(e.pointerId)) return;
    canvas.classList.remove("moving");
    if (e.type === "pointerup" && marking >= 0 && moved > 4) {
      app.view.show(app.view.time(Math.min(marking, e.offsetX)), app.view.time(Math.max(marking, e.offsetX)));
    } else if (e.type === "pointerup" && moved <= 4) app.choose(app.sliceAt(e.offsetX, y(e)), false);
    marking = -1;
    app.mark(-1, -1);
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", hideTooltip);
  canvas.addEventListener("dblclick", () => app.closer());
}

function key(app, e) {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest?.("input, select, textarea")) return;
  const { view } = app, page = (view.width - view.left) / 6;
  const does = {
    "+": () => view.zoom(1.5), "=": () => view.zoom(1.5), "-": () => view.zoom(1 / 1.5), "0": () => view.fit(),
    s: () => app.goToSender(),
    ArrowLeft: () => view.pan(-page), ArrowRight: () => view.pan(page),
    ".": () => app.step(1), ",": () => app.step(-1), ArrowDown: () => app.otherLane(1), ArrowUp: () => app.otherLane(-1),
    "/": () => document.getElementById("query").focus(),
    c: () => document.getElementById("path").click(), a: () => document.getElementById("arrows").click(),
    t: () => document.getElementById("theme").click(), "?": () => document.getElementById("help").click(),
    Escape: () => app.letGo(),
  };
  if (e.key === "Enter" && e.target.id === "lanes") does.Enter = () => app.closer();
  if (!does[e.key]) return;
  e.preventDefault();
  does[e.key]();
}
