// Showing a frame. Elements are made once and then changed, so that a selection, the focus and an
// open stack stay.
import { bytes, clock, count, nanoseconds, percent, short } from "./format.js";
import { axis, lane, ranges, sparkline } from "./draw.js";
import { figureOf, keyOf, room } from "./history.js";

const $ = id => document.getElementById(id);

// make makes an element with a class and children.
function make(tag, name, ...children) {
  const e = document.createElement(tag);
  if (name) e.className = name;
  e.append(...children);
  return e;
}

function text(e, s) { if (e.textContent !== s) e.textContent = s; }

// picture makes a canvas with a label for screen readers.
function picture(label) {
  const c = make("canvas");
  c.setAttribute("role", "img");
  c.setAttribute("aria-label", label);
  return c;
}

// fit gives a parent n children; add makes new ones.
function fit(parent, n, add) {
  while (parent.children.length < n) parent.append(add(parent.children.length));
  while (parent.children.length > n) parent.lastElementChild.remove();
}

const unknown = "–";
const known = (value, format) => value === null || value === undefined ? unknown : format(value);

// The tiles: name, label, how a value is formatted, a unit behind it.
const figures = [
  ["done", "messages", count, "/s"], ["pending", "sent, not done", count, ""], ["failed", "failed", count, "/s"], ["steals", "steals", count, "/s"],
  ["parks", "parks", count, "/s"], ["cpu", "CPU", x => x.toFixed(2), "cores"], ["heap", "heap", bytes, ""], ["goroutines", "goroutines", count, ""],
];

function figure(i) {
  const [name, label, , unit] = figures[i];
  const value = make("span", "number");
  const e = make("div", "figure", make("div", "label", label), make("div", "value", value, make("small", "", unit)), picture(`${label}, the last two minutes`));
  e.id = "figure-" + name;
  return e;
}

function showFigures(frame, history) {
  const parent = $("figures");
  fit(parent, figures.length, figure);
  figures.forEach(([name, , format], i) => {
    const e = parent.children[i], bad = name === "failed" && history.last(name) > 0;
    text(e.querySelector(".number"), known(history.last(name), format));
    e.querySelector(".value").classList.toggle("bad", bad);
    sparkline(e.querySelector("canvas"), history.get(name), room, bad ? "bad" : "accent");
  });
}

function processorRow(i) {
  const row = make("tr", "", make("td", "n", String(i)), make("td", "name", make("code")), make("td", "strip", picture(`what processor ${i} did in the last sample`)),
    make("td", "n mid"), make("td", "n"), make("td", "spark mid", picture(`messages per second of processor ${i}`)), make("td", "n mid"),
    make("td", "n wide"), make("td", "n wide"), make("td", "n wide"));
  const strip = row.querySelector(".strip canvas");
  strip.addEventListener("pointermove", e => hover(e, i));
  strip.addEventListener("pointerleave", () => { $("tip").hidden = true; });
  return row;
}

let current; // the frame that is shown

// hover shows what is at a point of a strip.
function hover(e, i) {
  const pairs = current?.sample.lanes?.[i]?.columns, tip = $("tip");
  if (!pairs) return;
  const columns = total(pairs), box = e.target.getBoundingClientRect();
  const at = (e.clientX - box.left) / box.width;
  let what = -1;
  for (let n = 0, from = 0; n < pairs.length && from <= at * columns; from += pairs[n + 1], n += 2) what = pairs[n];
  const name = { "-1": "between operations", "-2": "searching", "-3": "parked" }[what] ?? short(current.sample.operations[what]);
  text(tip, `${name}, after ${nanoseconds(at * current.sample.length)}`);
  tip.hidden = false;
  tip.style.left = Math.min(e.clientX + 12, innerWidth - tip.offsetWidth - 8) + "px";
  tip.style.top = e.clientY + 14 + "px";
}

const total = pairs => pairs.reduce((n, x, i) => i % 2 ? n + x : n, 0);

function showProcessors(frame, history) {
  const body = $("processors").tBodies[0], s = frame.sample;
  fit(body, frame.processors.length, processorRow);
  const hueOf = n => history.hue(s.operations[n]);
  frame.processors.forEach((p, i) => {
    const cells = body.rows[i].cells, l = s.lanes?.[i];
    text(cells[1].firstChild, p.operation ? p.operation + (p.unit ? " · " + p.unit : "") : i < frame.inService ? "" : "out of service");
    cells[1].title = cells[1].textContent;
    text(cells[3], l ? percent(l.running) : unknown);
    cells[3].title = l ? `running ${percent(l.running)}, searching ${percent(l.searching)}, parked ${percent(l.parked)}; the rest is scheduling` : "";
    text(cells[4], known(history.last(`p${i} messages`), count));
    text(cells[6], known(history.last(`p${i} steals`), count));
    ["stolen", "parks", "wakes"].forEach((name, n) => text(cells[7 + n], known(history.last(`p${i} ${name}`), count)));
    lane(cells[2].firstChild, l?.columns ?? [], l ? total(l.columns) : 1, hueOf);
    sparkline(cells[5].firstChild, history.get(`p${i} messages`), room);
  });
  text($("sampled"), s.error ? `no sample: ${s.error}` : describe(s));
}

// describe describes a sample in words.
function describe(s) {
  const of = [[s.outside, "from ordinary goroutines"], [s.moved, "from another processor"], [s.older, "sent before it"]].filter(([n]) => n).map(([n, what]) => `${whole(n)} ${what}`);
  return `the last sample: ${nanoseconds(s.length)} at ${clock(s.at)}, ${whole(s.messages)} messages` + (of.length ? ` (${of.join(", ")})` : "") +
    `, ${whole(s.steals)} steals` + (s.missing ? `; ${whole(s.missing)} events are missing` : "");
}

const whole = n => n.toLocaleString("en");

function operationRow() {
  return make("tr", "", make("td", "name", make("i", "swatch"), make("code")), make("td", "n"), make("td", "n mid"),
    ...["n", "n", "n wide", "n", "n", "n wide"].map(name => make("td", name)), make("td", "range", picture("ranges of wait and run, from p50 to p99.9")));
}

// atLeast formats a quantile, with a ≥ if more than this share of the messages have an unknown wait.
function atLeast(o, q, beyond) {
  if (!o.wait.count) return unknown;
  return (o.older > beyond * o.messages ? "≥" : "") + nanoseconds(q);
}

function showOperations(frame, history) {
  const body = $("operations").tBodies[0], all = frame.operations ?? [];
  if (!all.length) {
    fit(body, 0);
    body.append(emptyRow("no operation was in a sample so far", 10));
    return;
  }
  if (body.querySelector(".empty")) body.replaceChildren();
  fit(body, all.length, operationRow);
  all.forEach((o, i) => {
    const cells = body.rows[i].cells;
    cells[0].firstChild.style.background = `var(--${history.hue(o.name)})`;
    text(cells[0].lastChild, short(o.name) || "(no name)");
    cells[0].title = o.name;
    const run = q => o.run.count ? nanoseconds(q) : unknown;
    [percent(o.share), count(o.messages), atLeast(o, o.wait.p50, 0.5), atLeast(o, o.wait.p99, 0.01), atLeast(o, o.wait.p999, 0.001),
      run(o.run.p50), run(o.run.p99), run(o.run.p999)].forEach((s, n) => text(cells[1 + n], s));
    cells[3].title = o.older ? `of ${o.messages} messages ${o.older} had been sent before their sample` : "";
    ranges(cells[9].firstChild, [[o.wait, "wait"], [o.run, "run"]]);
  });
}

function emptyRow(s, columns) {
  const cell = make("td", "", s);
  cell.colSpan = columns;
  return make("tr", "empty", cell);
}

function unitRow() {
  return make("tr", "", make("td", "name", make("code"), " ", make("span", "state")), make("td", "n"), make("td", "spark mid", picture("messages per second")),
    make("td", "n"), make("td", "n"), make("td", "spark mid", picture("peak of waiting messages")), make("td", "n"), make("td", "n wide"));
}

function showUnits(frame, history) {
  const body = $("units").tBodies[0], all = frame.units ?? [];
  if (!all.length) {
    fit(body, 0);
    body.append(emptyRow("no unit was in a sample so far", 8));
    return;
  }
  if (body.querySelector(".empty")) body.replaceChildren();
  fit(body, all.length, unitRow);
  all.forEach((u, i) => {
    const cells = body.rows[i].cells;
    text(cells[0].firstChild, u.name);
    text(cells[0].lastChild, u.state);
    cells[0].title = `${u.name} ${u.state}`;
    text(cells[1], count(u.rate));
    sparkline(cells[2].firstChild, history.get(`u${u.name} rate`), room);
    text(cells[3], count(u.waiting));
    text(cells[4], count(u.peak));
    sparkline(cells[5].firstChild, history.get(`u${u.name} peak`), room, "wait");
    text(cells[6], percent(u.running));
    text(cells[7], count(u.moved));
  });
}

function kindRow() {
  return make("tr", "", make("td", "name", make("code")), make("td", "n"), make("td", "spark mid", picture("active units")),
    ...["n", "n mid", "n wide", "n wide", "keys"].map(name => make("td", name)));
}

function showKinds(frame, history) {
  const parent = $("kinds"), body = parent.querySelector("tbody"), all = frame.kinds ?? [];
  parent.hidden = !all.length;
  fit(body, all.length, kindRow);
  all.forEach((k, i) => {
    const cells = body.rows[i].cells, keys = k.busiest ?? [];
    text(cells[0].firstChild, k.name);
    cells[0].title = k.name;
    text(cells[1], count(k.active));
    cells[1].title = k.most ? `at most ${whole(k.most)}` : whole(k.active);
    sparkline(cells[2].firstChild, history.get(`k${k.name} active`), room);
    text(cells[3], known(history.last(`k${k.name} activations`), count));
    text(cells[4], known(history.last(`k${k.name} passivations`), count));
    text(cells[5], count(k.evictions));
    text(cells[6], count(k.failures));
    cells[6].classList.toggle("bad", k.failures > 0);
    fit(cells[7], keys.length, () => make("span", "hot", make("code"), " ", make("span", "dim")));
    keys.forEach((b, n) => {
      const e = cells[7].children[n];
      text(e.firstChild, b.text);
      text(e.lastChild, known(history.last(keyOf(k, b)), x => count(x) + "/s"));
      e.title = `${b.text}: ${whole(b.operations)} operations`;
    });
  });
}

function moduleRow() {
  return make("tr", "", make("td", "name", make("code"), " ", make("span", "state")), make("td", "n"), make("td", "n"),
    make("td", "spark mid", picture("over time, of counters per second")), make("td", "help wide"));
}

// amount formats a value of a module's figure, without what is counted.
function amount(m, value) {
  if (m.unit === "s") return value ? nanoseconds(value * 1e9) : "0";
  return m.unit === "By" ? bytes(value) : count(value);
}

function showModules(frame, history) {
  const parent = $("modules"), body = parent.querySelector("tbody"), all = frame.modules ?? [];
  parent.hidden = !all.length;
  fit(body, all.length, moduleRow);
  all.forEach((m, i) => {
    const cells = body.rows[i].cells;
    text(cells[0].firstChild, m.name.replaceAll(/[._]/g, " "));
    text(cells[0].lastChild, m.label);
    cells[0].title = m.help;
    text(cells[1], amount(m, m.value));
    text(cells[2], m.grows ? known(history.last(figureOf(m)), x => amount(m, x)) : "");
    sparkline(cells[3].firstChild, history.get(figureOf(m)), room);
    text(cells[4], m.help);
    cells[4].title = m.help;
  });
}

function showIncidents(frame) {
  const parent = $("incidents"), all = (frame.incidents ?? []).toReversed();
  const keys = all.map(i => `${i.at} ${i.operation} ${i.unit} ${i.been}`);
  if (parent.dataset.keys === JSON.stringify(keys) && parent.children.length) return; // an open stack stays open
  parent.dataset.keys = JSON.stringify(keys);
  if (!all.length) {
    parent.replaceChildren(make("p", "empty", "none"));
    return;
  }
  parent.replaceChildren(...all.map(i => make("details", "",
    make("summary", "", make("span", "dim", clock(i.at)), make("code", "", i.operation), make("span", "", i.unit ? "on " + i.unit : ""), make("span", "bad", `running for ${nanoseconds(i.been * 1e6)}`)),
    make("pre", "", i.stack))));
}

function showLosses(frame) {
  const parent = $("losses"), all = (frame.losses ?? []).toReversed();
  const keys = all.map(l => `${l.at} ${l.operation} ${l.unit} ${l.error}`);
  if (parent.dataset.keys === JSON.stringify(keys) && parent.children.length) return;
  parent.dataset.keys = JSON.stringify(keys);
  if (!all.length) {
    parent.replaceChildren(make("p", "empty", "none"));
    return;
  }
  const from = l => [l.scope ? `scope ${l.scope}` : "", l.senders?.length ? `sent by ${l.senders.join(", ")}` : ""].filter(Boolean).join(", ");
  parent.replaceChildren(...all.map(l => make("p", "loss",
    make("span", "dim", clock(l.at)), make("code", "", l.operation), make("span", "", l.unit ? "on " + l.unit : ""), make("span", "bad", l.error), make("span", "dim", from(l)))));
}

function showSuspended(frame) {
  const parent = $("suspended"), all = frame.suspended ?? [], more = (frame.suspendedUnits ?? 0) - all.length;
  const keys = JSON.stringify([all, more]);
  if (parent.dataset.keys === keys && parent.children.length) return;
  parent.dataset.keys = keys;
  if (!all.length) {
    parent.replaceChildren(make("p", "empty", "none"));
    return;
  }
  parent.replaceChildren(...all.map(s => make("p", "loss", make("code", "", s.unit), make("span", "dim", `since ${clock(s.since)}`))));
  if (more > 0) parent.append(make("p", "empty", `and ${more} more`));
}

export function show(frame, history) {
  current = frame;
  const rate = history.last("done");
  document.title = (rate === null ? "" : count(rate) + "/s · ") + frame.title;
  text($("title"), frame.title);
  text($("facts"), `pid ${frame.pid} · ${frame.go} · ${frame.inService} processor${frame.inService === 1 ? "" : "s"} · ${count(frame.done)} messages` +
    (frame.panics ? ` · ${count(frame.panics)} panics` : "") + (frame.late ? ` · ${count(frame.late)} late` : ""));
  for (const o of frame.operations ?? []) history.hue(o.name); // those that take the most time first
  showFigures(frame, history);
  showProcessors(frame, history);
  showOperations(frame, history);
  showUnits(frame, history);
  showKinds(frame, history);
  showModules(frame, history);
  showIncidents(frame);
  showSuspended(frame);
  showLosses(frame);
  axis($("axis"));
}

// redraw draws the last frame again, after the window or the theme has changed.
export function redraw(history) { if (history.frame) show(history.frame, history); }
