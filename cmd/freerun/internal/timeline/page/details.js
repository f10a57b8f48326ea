// The facts about a slice: a few beside the pointer, all of them below the lanes.

// facts returns the facts about a slice, as pairs of a name and a value. A value {go, text} is a link to another message.
function facts(app, i) {
  const { model } = app, s = model.slices, { messages, kinds } = model, m = s.message[i], list = [];
  const row = model.meta.rows[model.rowOf(i)];
  if (s.unit[i]) list.push(["unit", model.unitName(s.unit[i])]);
  if (m) list.push(["message", "#" + grouped(m)]);
  const length = s.end[i] - s.begin[i];
  list.push([kinds.park === s.kind[i] || kinds.search === s.kind[i] || kinds.block === s.kind[i] ? "took" : "ran", duration(length) + (row.processor >= 0 ? " on P" + row.processor : "")]);
  if (m && messages.ran[m] > 0 && Math.abs(messages.ran[m] - length) > 1 && model.runs(i)) list.push(["ran in all", duration(messages.ran[m])]);
  list.push(["begun at", instant(s.begin[i], Math.max(1, length / 100))]);
  if (!m) return list;
  const by = messages.sentBy[m], begun = model.first[m] > 0 ? s.begin[model.first[m] - 1] : -1;
  if (by > 0 && begun >= 0) {
    list.push(["waited", duration(begun - messages.sent[m]) + " from send to run"]);
    if (messages.wait[m] > 0) list.push(["of that for futures", duration(messages.wait[m])]);
  }
  const sender = messages.sender[m], where = by >= 2 ? " on P" + (by - 2) : "";
  if (by === 0) list.push(["sent", "before the recording, or lost"]);
  else if (sender === 0) list.push(["sent by", "an ordinary goroutine" + where]);
  else list.push(["sent by", { go: sender, text: model.operationName(messages.operation[sender]) + " #" + grouped(sender) }, where]);
  return list;
}

function heading(app, i) {
  const { model, theme } = app, s = model.slices;
  const name = document.createElement("div");
  name.className = "name";
  const swatch = document.createElement("span");
  swatch.className = "swatch";
  swatch.style.background = model.runs(i) ? theme.of(s.unit[i], s.operation[i]) : s.kind[i] === model.kinds.search ? theme.searching : theme.parked;
  name.append(swatch, model.sliceName(i));
  if (s.message[i] && model.onPath[s.message[i]]) {
    const mark = document.createElement("span");
    mark.className = "on-path";
    mark.textContent = "  on the critical path";
    name.append(mark);
  }
  return name;
}

// showTooltip shows the content beside the pointer, inside the window.
function showTooltip(app, x, y, content) {
  const box = document.getElementById("tooltip");
  box.replaceChildren(...content);
  box.hidden = false;
  const { width, height } = box.getBoundingClientRect();
  box.style.left = Math.max(8, Math.min(x + 14, innerWidth - width - 8)) + "px";
  box.style.top = Math.max(8, y + 18 + height > innerHeight ? y - height - 12 : y + 18) + "px";
}

function hideTooltip() {
  document.getElementById("tooltip").hidden = true;
}

function table(pairs) {
  const list = document.createElement("dl");
  for (const [what, value, more = ""] of pairs) {
    const dt = document.createElement("dt"), dd = document.createElement("dd");
    dt.textContent = what;
    dd.textContent = (value.text ?? value) + more;
    list.append(dt, dd);
  }
  return list;
}

// tellPoint returns the content of the tooltip for a point of the lanes, or undefined.
function tellPoint(app, x, y) {
  const { model, view, layout } = app, lane = laneAt(layout.lanes, y);
  const i = sliceAt(model, view, lane, x, y);
  if (i >= 0) return [heading(app, i), table(facts(app, i))];
  if (!lane || x < view.left && lane.kind !== "processor" && lane.kind !== "unit") return undefined;
  const name = document.createElement("div");
  name.className = "name";
  name.textContent = lane.name;
  if (lane.kind === "unit") {
    const r = app.ribbons.get(lane.unit), pairs = [["messages", grouped(model.received(lane.unit))], ["deepest", grouped(r.deepest)]];
    if (x >= view.left) pairs.unshift(["mailbox", grouped(depthAt(r, view.time(x))) + " deep"]);
    return [name, table(pairs)];
  }
  if (lane.kind === "processor") {
    const use = model.processors[lane.processor];
    return [name, table([["runs", grouped(use.runs)], ["busy", percent(use.busy, model.end)], ["searching", percent(use.searching, model.end)], ["parked", percent(use.parked, model.end)]])];
  }
  if (lane.kind === "path") {
    const k = lowerBound(model.path.begin, view.time(x)) - 1;
    if (k < 0 || model.path.end[k] < view.time(x - 2)) return undefined;
    name.textContent = model.operationName(model.path.operation[k]);
    return [name, table([["step", `${grouped(k + 1)} of ${grouped(model.path.begin.length)} of the critical path`], ["message", "#" + grouped(model.path.message[k])], [model.path.processor[k] > 0 ? "ran" : "waited for its timer", duration(model.path.end[k] - model.path.begin[k])]])];
  }
  return undefined;
}

// showDetails shows all facts about the chosen slice, with links to other messages.
function showDetails(app) {
  const box = document.getElementById("details"), i = app.chosen;
  box.hidden = i < 0;
  if (i < 0) return box.replaceChildren();
  const fact = (what, ...content) => {
    const span = document.createElement("span"), label = document.createElement("span");
    span.className = "fact";
    label.className = "what";
    label.textContent = what;
    span.append(label, " ", ...content);
    return span;
  };
  const link = (message, text) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", () => app.goTo(message));
    return button;
  };
  const content = [heading(app, i)];
  for (const [what, value, more = ""] of facts(app, i)) content.push(fact(what, value.go ? link(value.go, value.text) : value, more));
  const m = app.model.slices.message[i], children = m ? app.model.children(m) : [];
  if (children.length > 0) {
    const some = [...children.slice(0, 8)].map(c => link(c, app.model.operationName(app.model.messages.operation[c]) + " #" + grouped(c)));
    content.push(fact("sent", ...some.flatMap(b => [b, " "]), children.length > 8 ? `and ${grouped(children.length - 8)} more` : ""));
  }
  box.replaceChildren(...content);
}

// summarize says in words what the lanes show, for screen readers.
function summarize(app) {
  const { model } = app, lines = model.processors.map((p, i) =>
    `Processor ${i}: ${p.runs} runs, ${percent(p.busy, model.end)} busy, ${percent(p.searching, model.end)} searching, ${percent(p.parked, model.end)} parked.`);
  for (const unit of model.traffic.slice(0, 8)) lines.push(`Unit ${model.unitName(unit)}: ${model.received(unit)} messages.`);
  document.getElementById("summary").textContent = lines.join(" ");
}
