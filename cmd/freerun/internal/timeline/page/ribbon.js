// A unit's lane: how deep its mailbox was, as a ribbon, and below it when the unit ran.

function paintRibbon(g, app, lane, ribbon) {
  const { view, theme, model } = app, { times, depths, deepest } = ribbon;
  const pixels = Math.max(1, Math.ceil(view.width - view.left)), strip = 5;
  const base = lane.y + lane.height - strip - 2, top = lane.y + 1, room = base - top;
  const colour = theme.of(lane.unit, 0, model.matches !== null && model.matches.units[lane.unit] !== 1 && model.matches.message === 0);
  const highest = new Float32Array(pixels);
  let i = lowerBound(times, view.from), depth = i > 0 ? depths[i - 1] : 0;
  for (let p = 0; p < pixels; p++) {
    const until = view.from + (p + 1) / view.scale;
    let most = depth;
    while (i < times.length && times[i] < until) {
      depth = depths[i++];
      if (depth > most) most = depth;
    }
    highest[p] = most;
  }
  const y = d => base - (deepest > 0 ? d / deepest * room : 0);
  g.beginPath();
  g.moveTo(view.left, base);
  for (let p = 0; p < pixels; p++) {
    g.lineTo(view.left + p, y(highest[p]));
    g.lineTo(view.left + p + 1, y(highest[p]));
  }
  g.lineTo(view.left + pixels, base);
  g.closePath();
  g.globalAlpha = theme.dark ? 0.34 : 0.42;
  g.fillStyle = colour;
  g.fill();
  g.globalAlpha = 1;
  g.strokeStyle = theme.dark ? colour : theme.shade(colour, 0.82);
  g.lineWidth = 1;
  g.beginPath();
  for (let p = 0; p < pixels; p++) {
    const at = y(highest[p]) + 0.5;
    if (p === 0) g.moveTo(view.left, at);
    g.lineTo(view.left + p, at);
    g.lineTo(view.left + p + 1, at);
  }
  g.stroke();
  paintRuns(g, view, ribbon, colour, base + 2, strip, pixels);
}

// paintRuns draws when the unit ran: a bar in each pixel, the darker the more of the pixel's time the unit ran.
function paintRuns(g, view, { begins, ends }, colour, y, height, pixels) {
  const full = new Float32Array(pixels), k = view.scale;
  g.fillStyle = colour;
  for (let i = Math.max(0, lowerBound(begins, view.from) - 1); i < begins.length && begins[i] < view.to; i++) {
    const x0 = (begins[i] - view.from) * k, x1 = (ends[i] - view.from) * k;
    if (x1 < 0) continue;
    if (x1 - x0 >= 1) g.fillRect(view.left + Math.max(0, x0), y, Math.min(x1, pixels) - Math.max(0, x0) - (x1 - x0 > 4 ? 1 : 0), height);
    else if (x0 >= 0 && x0 < pixels) full[Math.floor(x0)] += x1 - x0;
  }
  for (let p = 0; p < pixels; p++) {
    if (full[p] === 0) continue;
    g.globalAlpha = Math.min(1, 0.25 + full[p]);
    g.fillRect(view.left + p, y, 1, height);
  }
  g.globalAlpha = 1;
}

// depthAt returns how deep the mailbox was at a time.
function depthAt(ribbon, time) {
  const i = lowerBound(ribbon.times, time);
  return i > 0 ? ribbon.depths[i - 1] : 0;
}
