// The scale of time. Above it is an overview of the whole recording, which marks the stretch that is shown below.

function paintRuler(g, app) {
  const { view, theme } = app, height = 24;
  g.clearRect(0, 0, view.width, height);
  const step = tickStep((view.to - view.from) / Math.max(2, (view.width - view.left) / 110));
  g.font = `11px ${theme.sans}`;
  for (let t = Math.ceil(view.from / step) * step; t < view.to; t += step) {
    const x = Math.round(view.x(t)) + 0.5;
    g.fillStyle = theme.line;
    g.fillRect(x - 0.5, 15, 1, 9);
    g.fillStyle = theme.soft;
    g.fillText(t === 0 ? "0" : instant(t, step), x + 4, 15);
  }
  const left = view.left < 100 ? 8 : 14;
  g.fillStyle = theme.panel;
  g.fillRect(0, 0, view.left - 1, height);
  g.fillStyle = theme.soft;
  g.fillText(duration(view.to - view.from), left, 15);
}

// tickStep rounds up to 1, 2 or 5 times a power of ten.
function tickStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find(f => f * power >= least) || 10);
}

// paintGrid draws the scale's lines behind the lanes.
function paintGrid(g, app, height) {
  const { view, theme } = app, step = tickStep((view.to - view.from) / Math.max(2, (view.width - view.left) / 110));
  g.fillStyle = theme.line;
  for (let t = Math.ceil(view.from / step) * step; t < view.to; t += step) {
    const x = Math.round(view.x(t));
    if (x >= view.left) g.fillRect(x, 0, 1, height);
  }
}

// useByPixel divides the whole recording into so many pixels. For each it returns how many processors ran messages and how many searched, on average.
function useByPixel(model, pixels) {
  const busy = new Float32Array(pixels), searching = new Float32Array(pixels), { begin, end, kind } = model.slices, k = pixels / model.end;
  for (const row of model.meta.rows) {
    if (row.processor < 0 || row.depth > 0) continue;
    for (let i = row.first; i < row.end; i++) {
      if (kind[i] === model.kinds.park) continue;
      const into = kind[i] === model.kinds.search ? searching : busy, x0 = begin[i] * k, x1 = Math.min(end[i] * k, pixels - 1e-6);
      const first = Math.floor(x0), last = Math.floor(x1);
      if (first === last) into[first] += x1 - x0;
      else {
        into[first] += first + 1 - x0;
        for (let p = first + 1; p < last; p++) into[p] += 1;
        into[last] += x1 - last;
      }
    }
  }
  return { busy, searching };
}

function paintOverview(g, app) {
  const { model, view, theme } = app, height = 40, top = 5, room = height - top - 3;
  const left = view.left, pixels = Math.max(1, Math.floor(view.width - left));
  if (app.use?.busy.length !== pixels) app.use = useByPixel(model, pixels);
  const { busy, searching } = app.use, whole = Math.max(1, model.meta.processors);
  g.clearRect(0, 0, view.width, height);
  g.fillStyle = theme.lane;
  g.fillRect(left, top, pixels, room);
  for (let p = 0; p < pixels; p++) {
    const b = Math.min(1, busy[p] / whole) * room, s = Math.min(1, searching[p] / whole) * room;
    g.fillStyle = theme.use;
    g.fillRect(left + p, top + room - b, 1, b);
    g.fillStyle = theme.searching;
    g.fillRect(left + p, top + room - b - s, 1, s);
  }
  const x0 = left + Math.max(0, view.from / model.end) * pixels, x1 = left + Math.min(1, view.to / model.end) * pixels;
  g.globalAlpha = 0.72;
  g.fillStyle = theme.panel;
  g.fillRect(left, top, x0 - left, room);
  g.fillRect(x1, top, left + pixels - x1, room);
  g.globalAlpha = 1;
  g.strokeStyle = theme.focus;
  g.lineWidth = 1;
  g.strokeRect(x0 + 0.5, top - 0.5, Math.max(1, x1 - x0 - 1), room + 1);
  g.fillStyle = theme.focus;
  g.fillRect(x0 - 1, top + room / 2 - 6, 3, 12);
  g.fillRect(x1 - 2, top + room / 2 - 6, 3, 12);
  g.fillStyle = theme.soft;
  g.font = `11px ${theme.sans}`;
  g.fillText(left < 100 ? "in use" : "processors", left < 100 ? 8 : 14, top + 12);
  if (left >= 100) g.fillText("in use", 14, top + 25);
}
