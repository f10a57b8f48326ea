// Slices on the canvas. A slice that is wider than a pixel is a box. The others are gathered by pixel: a bar shows how much of the pixel's time they
// filled, in the colour of the longest. So drawing costs by pixel and not by slice, and busy stretches still look busy from afar.

class Bins {
  resize(n) {
    if (this.busy?.length === n) return;
    this.busy = new Float32Array(n);
    this.searching = new Float32Array(n);
    this.longest = new Float32Array(n);
    this.slice = new Int32Array(n);
    this.path = new Uint8Array(n);
  }

  clear() {
    this.busy.fill(0);
    this.searching.fill(0);
    this.longest.fill(0);
    this.slice.fill(-1);
    this.path.fill(0);
  }
}

const bins = new Bins();

// paintRow draws the slices of one row, in the pixels from the lanes' left edge to their right.
function paintRow(g, app, row, box) {
  const { model, view, theme } = app, { begin, end, message, kind, unit, operation } = model.slices;
  const { kinds } = model, pixels = Math.max(1, Math.ceil(view.width - view.left)), searching = model.matches !== null;
  bins.resize(pixels);
  bins.clear();
  const k = view.scale, from = view.from, to = view.to, narrow = 1.2;
  const bottom = box.y + box.height;
  for (let i = model.after(row, from); i < row.end && begin[i] < to; i++) {
    const x0 = (begin[i] - from) * k, x1 = (end[i] - from) * k, what = kind[i];
    if (x1 - x0 < narrow) {
      const p = Math.floor((x0 + x1) / 2);
      if (p < 0 || p >= pixels || what === kinds.park) continue;
      if (what === kinds.search) {
        bins.searching[p] += x1 - x0;
        continue;
      }
      bins.busy[p] += x1 - x0;
      if (app.showPath && model.onPath[message[i]]) bins.path[p] = 1;
      const weight = x1 - x0 + (searching && model.matching(i) ? 1e6 : 1e-6);
      if (weight > bins.longest[p]) bins.longest[p] = weight, bins.slice[p] = i;
      continue;
    }
    const left = view.left + Math.max(x0, -2), right = view.left + Math.min(x1, pixels + 2), width = right - left;
    if (what === kinds.park) {
      g.fillStyle = theme.parked;
      g.fillRect(left, box.y + box.height / 2 - 1, width, 2);
      continue;
    }
    if (what === kinds.search) {
      g.fillStyle = theme.searching;
      g.fillRect(left, box.y + box.height * 0.32, Math.max(1, width), box.height * 0.36);
      continue;
    }
    const dim = searching && !model.matching(i), gap = width > 4 ? 1 : width > 2 ? 0.5 : 0;
    if (what === kinds.block) {
      g.strokeStyle = theme.blocked;
      g.strokeRect(left + 0.5, box.y + 2.5, Math.max(1, width - 2), box.height - 5);
      g.fillStyle = theme.soft;
    } else {
      g.fillStyle = theme.of(unit[i], operation[i], dim);
      g.fillRect(left, box.y, Math.max(1, width - gap), box.height);
      g.fillStyle = dim ? theme.soft : "#16191c";
    }
    if (app.showPath && model.onPath[message[i]] && what !== kinds.block) {
      const colour = g.fillStyle;
      g.fillStyle = theme.path;
      g.fillRect(left, bottom - 3, Math.max(1.5, width - gap), 3);
      g.fillStyle = colour;
    }
    if (width > 26 && box.height >= 12) paintText(g, theme, model.sliceName(i), left, width - gap, box.y + box.height / 2 + 3.5);
  }
  for (let p = 0; p < pixels; p++) {
    const i = bins.slice[p], busy = Math.min(1, bins.busy[p]);
    if (i >= 0) {
      const height = Math.max(2, busy * box.height);
      g.fillStyle = theme.of(unit[i], operation[i], searching && !model.matching(i));
      g.fillRect(view.left + p, bottom - height, 1, height);
      if (bins.path[p]) {
        g.fillStyle = theme.path;
        g.fillRect(view.left + p, bottom - 3, 1, 3);
      }
    }
    if (bins.searching[p] > 0.02) {
      const height = Math.min(1 - busy, bins.searching[p]) * box.height;
      g.fillStyle = theme.searching;
      g.fillRect(view.left + p, bottom - busy * box.height - height, 1, height);
    }
  }
}

// paintText writes as much of a name as there is room for, in the visible part of its slice.
function paintText(g, theme, text, left, width, base) {
  const seen = Math.max(left, theme.edge), room = left + width - seen - 8;
  const chars = Math.floor(room / 6.05);
  if (text.length > chars) text = text.slice(text.indexOf(".") + 1); // without its package
  if (chars < Math.min(3, text.length)) return;
  g.font = `10.5px ${theme.mono}`;
  g.fillText(clip(text, chars), seen + 4, base);
}

// paintPath draws the critical path as a lane of its own: its steps, with their processors, and the waits between them.
function paintPath(g, app, lane) {
  const { model, view, theme } = app, { begin, end, operation, unit, processor } = model.path;
  const top = lane.y + 2, height = lane.height - 4;
  let drawn = -1e9;
  g.fillStyle = theme.path;
  g.fillRect(view.x(Math.max(begin[0], view.from)), lane.y + lane.height / 2 - 1, Math.max(0, (Math.min(end[end.length - 1], view.to) - Math.max(begin[0], view.from)) * view.scale), 2);
  for (let i = Math.max(0, lowerBound(begin, view.from) - 1); i < begin.length && begin[i] < view.to; i++) {
    const x0 = Math.max(view.x(begin[i]), view.left - 2), x1 = Math.min(view.x(end[i]), view.width + 2);
    if (x1 < drawn + 0.5) continue;
    drawn = x1;
    const dim = model.matches !== null && !(model.matches.operations[operation[i]] || model.matches.units[unit[i]]);
    g.fillStyle = theme.of(unit[i], operation[i], dim);
    g.fillRect(x0, top, Math.max(1, x1 - x0 - (x1 - x0 > 4 ? 1 : 0)), height);
    g.fillStyle = theme.path;
    g.fillRect(x0, top + height - 3, Math.max(1, x1 - x0 - (x1 - x0 > 4 ? 1 : 0)), 3);
    if (x1 - x0 > 26) {
      g.fillStyle = "#16191c";
      paintText(g, theme, (processor[i] > 0 ? "P" + (processor[i] - 1) + " " : "") + model.operationName(operation[i]), x0, x1 - x0, top + height / 2 + 2.5);
    }
  }
}

// paintLost marks where events are missing.
function paintLost(g, app) {
  const { model, view, theme, layout } = app, { time, processor } = model.lost;
  g.fillStyle = theme.warn;
  for (let i = 0; i < time.length; i++) {
    if (time[i] < view.from || time[i] > view.to) continue;
    const lane = layout.lanes.find(l => l.kind === "processor" && l.processor === processor[i] - 1) || layout.lanes.find(l => l.kind === "outside");
    if (!lane) continue;
    const x = view.x(time[i]);
    for (let y = lane.y; y < lane.y + lane.height; y += 5) g.fillRect(x - 1, y, 2, 3);
  }
}
