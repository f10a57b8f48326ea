// The lanes from top to bottom: the sends from outside the processors, the processors with the slices nested in their slices, and the busiest units.

const least = { row: 22, nested: 15, outside: 16, unit: 34, heading: 26, gap: 10, path: 18 };
const heights = { ...least };
const deepestShown = 7;

// layOut returns the lanes, each with its place, and their height together. If there is room to spare, lanes are higher than they must be.
function layOut(model, units, room) {
  Object.assign(heights, least);
  const rowOf = model.meta.processors <= 4 ? least.row * 1.5 : least.row;
  heights.row = rowOf;
  const needed = place(model, units).height;
  const factor = Math.max(1, Math.min(units > 0 && model.traffic.length > 0 ? 2 : 4, room / needed));
  heights.row = Math.floor(rowOf * factor);
  heights.unit = Math.floor(least.unit * factor);
  heights.path = Math.floor(least.path * Math.min(factor, 1.5));
  heights.nested = Math.floor(least.nested * Math.min(factor, 1.3));
  heights.gap = Math.floor(least.gap * Math.min(factor, 1.6));
  return place(model, units);
}

function place(model, units) {
  const lanes = [], rows = model.meta.rows;
  let y = 6;
  const add = (lane, height, gap = heights.gap) => {
    lanes.push({ ...lane, y, height });
    y += height + gap;
  };
  if (model.path.begin.length > 0) add({ kind: "path", name: "critical path", short: "path" }, heights.path);
  const outside = rows.filter(r => r.processor < 0).slice(0, deepestShown);
  if (outside.length > 0 || model.messages.sentBy.includes(1)) {
    add({ kind: "outside", name: "outside", processor: -1, rows: outside }, heights.outside * Math.max(1, outside.length));
  }
  for (let p = 0; p < model.meta.processors; p++) {
    const own = rows.filter(r => r.processor === p), shown = own.filter(r => r.depth < deepestShown);
    const levels = shown.length ? shown[shown.length - 1].depth + 1 : 1;
    add({ kind: "processor", name: "P" + p, processor: p, rows: shown, deeper: own.length - shown.length }, heights.row + (levels - 1) * heights.nested);
  }
  const some = model.traffic.slice(0, units);
  if (some.length > 0) add({ kind: "heading", name: `units by traffic: ${grouped(some.length)} of ${grouped(model.traffic.length)}` }, heights.heading, 0);
  for (const unit of some) add({ kind: "unit", name: model.unitName(unit), unit }, heights.unit, 6);
  return { lanes, height: y + 6 };
}

// rowBox returns where a row of a processor's lane is.
function rowBox(lane, row) {
  if (lane.kind === "outside") return { y: lane.y + row.depth * heights.outside, height: heights.outside - 2 };
  if (row.depth === 0) return { y: lane.y, height: heights.row };
  return { y: lane.y + heights.row + (row.depth - 1) * heights.nested + 1, height: heights.nested - 1 };
}

// laneAt returns the lane at a height, if there is one.
function laneAt(lanes, y) {
  return lanes.find(l => y >= l.y - 2 && y < l.y + l.height + 4);
}

// sliceAt returns the slice at a point, as an index, or -1: the longest of those that share a pixel.
function sliceAt(model, view, lane, x, y) {
  if (!lane || !lane.rows || x < view.left) return -1;
  const row = lane.rows.find(r => {
    const box = rowBox(lane, r);
    return y >= box.y - 1 && y <= box.y + box.height;
  });
  if (!row) return -1;
  const from = view.time(x - 1.5), to = view.time(x + 1.5), { begin, end } = model.slices;
  let best = -1, most = -1;
  for (let i = model.after(row, from), n = 0; i < row.end && begin[i] <= to && n < 10000; i++, n++) {
    const inside = begin[i] <= view.time(x) && end[i] >= view.time(x) ? 1 : 0;
    const length = Math.min(end[i], to) - Math.max(begin[i], from) + inside;
    if (length > most) best = i, most = length;
  }
  return best;
}

// nameLanes writes the names and figures left of the lanes.
function nameLanes(g, model, view, theme, lanes, ribbons) {
  const narrow = view.left < 100, x = narrow ? 8 : 14, chars = Math.floor((view.left - x - 6) / 6.2);
  for (const lane of lanes) {
    const middle = lane.y + (lane.kind === "processor" ? heights.row / 2 : lane.height / 2);
    g.fillStyle = lane.kind === "heading" || lane.kind === "outside" ? theme.soft : lane.kind === "path" ? theme.path : theme.ink;
    g.font = lane.kind === "processor" ? `600 12px ${theme.mono}` : `11px ${theme.sans}`;
    if (lane.kind === "processor") {
      const use = model.processors[lane.processor];
      g.fillText(lane.name, x, middle + 4);
      g.fillStyle = theme.soft;
      g.font = `11px ${theme.sans}`;
      g.textAlign = "right";
      g.fillText(narrow ? percent(use.busy, model.end) : percent(use.busy, model.end) + " busy", view.left - (narrow ? 6 : 10), middle + 4);
      g.textAlign = "left";
      if (lane.deeper > 0) g.fillText("+" + lane.deeper + " deeper", x, lane.y + lane.height - 4);
    } else if (lane.kind === "unit") {
      const r = ribbons.get(lane.unit);
      g.fillText(clip(lane.name, chars), x, middle - 2);
      g.fillStyle = theme.soft;
      g.fillText(clip(narrow ? "≤ " + r.deepest : `${grouped(model.received(lane.unit))} msg, ≤ ${grouped(r.deepest)} deep`, chars + 3), x, middle + 11);
    } else {
      g.fillText(lane.kind === "heading" ? lane.name : clip(narrow && lane.short || lane.name, chars + 1), x, middle + 4);
    }
  }
}

// clip shortens a text in its middle: the ends tell more.
function clip(text, chars) {
  if (text.length <= chars) return text;
  const half = Math.max(1, (chars - 1) / 2);
  return text.slice(0, Math.ceil(half)) + "…" + text.slice(-Math.floor(half));
}
