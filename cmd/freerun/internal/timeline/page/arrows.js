// Arrows from where a message was sent to where it began to run, bold when another processor took it; and the steals themselves.

const tooMany = 500;

// arrowsInView returns the messages that begin in view and whose arrow is long enough to be seen. If they are too many, it returns only those that
// changed the processor, and none if even these are too many.
function arrowsInView(app) {
  const { model, view, layout } = app, { begin, message } = model.slices, { sent, sentBy } = model.messages;
  const all = [], moved = [];
  for (const lane of layout.lanes) {
    if (lane.kind !== "processor") continue;
    for (const row of lane.rows) {
      for (let i = model.after(row, view.from); i < row.end && begin[i] < view.to; i++) {
        const m = message[i];
        if (m === 0 || model.first[m] !== i + 1 || sentBy[m] === 0) continue;
        const other = sentBy[m] >= 2 && sentBy[m] - 2 !== lane.processor;
        const long = (begin[i] - sent[m]) * view.scale;
        if (!other && long < 6 || other && long < 0) continue;
        if (other) moved.push(m);
        if (all.length <= tooMany) all.push(m);
        if (moved.length > tooMany) return { messages: [], note: "zoom in for arrows" };
      }
    }
  }
  if (all.length <= tooMany) return { messages: all, note: "" };
  return { messages: moved, note: "arrows: only of messages that changed the processor" };
}

// senderPlace returns the lane and height where a message was sent.
function senderPlace(app, m) {
  const by = app.model.messages.sentBy[m];
  const lane = app.layout.lanes.find(l => by === 1 ? l.kind === "outside" : l.kind === "processor" && l.processor === by - 2);
  return lane && { lane, y: lane.y + (lane.kind === "outside" ? lane.height / 2 : heights.row / 2) };
}

// slicePlace returns the lane, height and box of a slice; undefined if it is not shown.
function slicePlace(app, i) {
  const row = app.model.meta.rows[app.model.rowOf(i)];
  const lane = app.layout.lanes.find(l => l.kind === "processor" && l.processor === row.processor);
  if (!lane || row.depth >= deepestShown) return undefined;
  const box = rowBox(lane, row);
  return { lane, y: box.y + box.height / 2, box };
}

function paintArrow(g, app, m, bold, slim = false) {
  const { model, view } = app, i = model.first[m] - 1;
  if (i < 0 || model.messages.sentBy[m] === 0) return;
  const from = senderPlace(app, m), to = slicePlace(app, i);
  if (!from || !to) return;
  const x0 = view.x(model.messages.sent[m]), x1 = view.x(model.slices.begin[i]);
  if (x1 < view.left - 50 && x0 < view.left - 50 || x0 > view.width + 50) return;
  g.beginPath();
  g.lineWidth = bold ? slim ? 1.3 : 2 : 0.9;
  if (from.lane === to.lane && to.box.y === from.lane.y) { // below the lane
    const y = from.lane.y + heights.row, sag = Math.min(heights.gap - 1, 3 + (x1 - x0) / 30);
    g.moveTo(x0, y);
    g.bezierCurveTo(x0 + Math.min(14, (x1 - x0) / 3), y + sag * 1.3, x1 - Math.min(14, (x1 - x0) / 3), y + sag * 1.3, x1, y);
    g.stroke();
    head(g, x1, y, x1 - x0 < 30 ? -0.9 : -0.5, bold);
    return;
  }
  const down = to.y > from.y, y0 = from.y + (down ? 1 : -1) * heights.row / 2, y1 = down ? to.box.y : to.box.y + to.box.height;
  const lean = Math.min(40, Math.abs(x1 - x0) / 2);
  g.moveTo(x0, y0);
  g.bezierCurveTo(x0 + lean, y0 + (y1 - y0) * 0.35, x1 - lean, y1 - (y1 - y0) * 0.35, x1, y1);
  g.stroke();
  head(g, x1, y1, Math.atan2((y1 - y0) * 0.35, Math.max(0.1, lean)), bold && !slim);
}

// head draws the arrow's point, in the direction of the angle.
function head(g, x, y, angle, bold) {
  const size = bold ? 6.5 : 4.5;
  g.save();
  g.translate(x, y);
  g.rotate(angle);
  g.beginPath();
  g.moveTo(0, 0);
  g.lineTo(-size, -size * 0.45);
  g.lineTo(-size, size * 0.45);
  g.closePath();
  g.fill();
  g.restore();
}

// paintArrows draws the arrows in view, and returns a note for the reader about those that it leaves out.
function paintArrows(g, app) {
  const { model, theme } = app, { messages, note } = arrowsInView(app), { sentBy } = model.messages;
  const faint = Math.max(0.14, Math.min(0.85, 45 / messages.length)), crowded = messages.length > app.view.width / 20;
  for (const m of messages) {
    const lane = slicePlace(app, model.first[m] - 1)?.lane;
    const bold = sentBy[m] >= 2 && lane && sentBy[m] - 2 !== lane.processor;
    if (model.matches && !model.matching(model.first[m] - 1)) continue;
    g.strokeStyle = g.fillStyle = bold ? theme.ink : theme.soft;
    g.globalAlpha = bold ? faint : Math.min(faint, 0.6);
    paintArrow(g, app, m, bold, crowded);
  }
  g.globalAlpha = 1;
  return note;
}

// processorLanes returns the lanes of the processors by their numbers.
function processorLanes(layout) {
  return new Map(layout.lanes.filter(l => l.kind === "processor").map(l => [l.processor, l]));
}

// paintSteals draws a mark where a processor has stolen from another, and the number of stolen tasks if there is room before the next mark.
function paintSteals(g, app) {
  const { model, view, theme, layout } = app, { time, thief, tasks } = model.steals;
  const last = new Map(), far = { x: -99, tasks: 0 }, lanes = processorLanes(layout);
  const label = (lane, { x, tasks }, room) => tasks > 1 && room > 24 && g.fillText(String(tasks), x + 4, lane.y - 1);
  g.fillStyle = theme.ink;
  g.font = `10px ${theme.sans}`;
  for (let i = lowerBound(time, view.from); i < time.length && time[i] < view.to; i++) {
    const lane = lanes.get(thief[i] - 1), x = view.x(time[i]);
    const before = last.get(lane) ?? far;
    if (!lane || x - before.x < 3) continue;
    label(lane, before, x - before.x);
    last.set(lane, { x, tasks: tasks[i] });
    g.beginPath();
    g.moveTo(x - 3, lane.y - 5);
    g.lineTo(x + 3, lane.y - 5);
    g.lineTo(x, lane.y);
    g.fill();
  }
  for (const [lane, mark] of last) label(lane, mark, view.width - mark.x);
}

// paintPathLinks joins the steps of the critical path that are on different processors.
function paintPathLinks(g, app) {
  const { model, view, theme, layout } = app, { begin, end, processor } = model.path;
  const lanes = processorLanes(layout);
  g.strokeStyle = theme.path;
  g.beginPath();
  let drawn = -1e9, links = 0;
  for (let i = Math.max(1, lowerBound(begin, view.from)); i < begin.length && end[i - 1] < view.to; i++) {
    const a = lanes.get(processor[i - 1] - 1), b = lanes.get(processor[i] - 1), x0 = view.x(end[i - 1]), x1 = view.x(begin[i]);
    if (!a || !b || a === b && x1 - x0 < 3 || x1 - drawn < 0.7) continue;
    drawn = x1;
    links++;
    g.moveTo(x0, a.y + heights.row - 1.5);
    g.lineTo(x1, b.y + heights.row - 1.5);
  }
  g.lineWidth = links > 80 ? 0.8 : 1.6;
  g.stroke();
}
