// The page: the part of the recording that is shown, the chosen slice, and when the page is drawn again.

class App {
  constructor(model) {
    this.model = model;
    this.theme = new Theme();
    this.chosen = -1;
    this.showPath = true;
    this.showArrows = true;
    this.marked = null; // the stretch that is being dragged over, as two places
    this.ribbons = new Map();
    this.canvases = Object.fromEntries(["overview", "ruler", "lanes"].map(id => [id, document.getElementById(id)]));
    this.scroll = document.getElementById("scroll");
    this.view = new View(model.end, () => this.changed());
    this.setTheme();
    this.setUnits(8);
    this.view.fit();
  }

  setUnits(n) {
    this.units = n;
    for (const unit of this.model.traffic.slice(0, n)) {
      if (!this.ribbons.has(unit)) this.ribbons.set(unit, ribbon(this.model, unit));
    }
    this.resize();
  }

  setTheme() {
    const t = this.theme;
    t.mono = getComputedStyle(document.documentElement).getPropertyValue("--mono");
    t.sans = getComputedStyle(document.body).fontFamily;
    t.use = t.mix(t.focus, t.panel, t.dark ? 0.35 : 0.3);
    this.changed();
  }

  // resize fits the pixels of the canvases to those of the screen.
  resize() {
    const width = this.scroll.clientWidth, seen = this.scroll.clientHeight, ratio = devicePixelRatio || 1;
    this.view.left = width < 560 ? 68 : 168;
    this.view.width = width;
    const heights = { overview: 40, ruler: 24, lanes: seen };
    for (const [id, canvas] of Object.entries(this.canvases)) {
      canvas.style.width = width + "px";
      canvas.style.height = heights[id] + "px";
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(heights[id] * ratio);
    }
    this.layout = layOut(this.model, this.units, seen);
    document.getElementById("spacer").style.height = Math.max(0, this.layout.height - seen) + "px";
    this.changed();
  }

  // changed has everything drawn again once, with the next frame.
  changed() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  paint() {
    const ratio = devicePixelRatio || 1, { view, theme, layout, model } = this;
    theme.edge = view.left;
    const contexts = Object.fromEntries(Object.entries(this.canvases).map(([id, c]) => [id, c.getContext("2d")]));
    for (const g of Object.values(contexts)) g.setTransform(ratio, 0, 0, ratio, 0, 0);
    paintOverview(contexts.overview, this);
    paintRuler(contexts.ruler, this);
    const g = contexts.lanes, top = this.scrolled(), seen = this.scroll.clientHeight;
    g.fillStyle = theme.page;
    g.fillRect(0, 0, view.width, seen);
    g.translate(0, -top);
    const inSight = layout.lanes.filter(l => l.y + l.height >= top - 20 && l.y <= top + seen + 20);
    for (const lane of inSight) this.paintGround(g, lane);
    paintGrid(g, this, Math.max(layout.height, seen));
    g.save();
    g.beginPath();
    g.rect(view.left, top, view.width - view.left, seen);
    g.clip();
    for (const lane of inSight) this.paintLane(g, lane);
    if (this.showPath && model.path.begin.length > 0) paintPathLinks(g, this);
    let note = "";
    if (this.showArrows) {
      note = paintArrows(g, this);
      paintSteals(g, this);
    }
    paintLost(g, this);
    this.paintChosen(g);
    if (this.marked) {
      g.globalAlpha = 0.18;
      g.fillStyle = theme.focus;
      g.fillRect(Math.min(...this.marked), top, Math.abs(this.marked[1] - this.marked[0]), seen);
      g.globalAlpha = 1;
    }
    g.restore();
    nameLanes(g, model, view, theme, inSight, this.ribbons);
    document.getElementById("note").textContent = note;
    if (!this.painted) this.drawn = performance.now();
    this.painted = (this.painted || 0) + 1;
  }

  paintGround(g, lane) {
    if (lane.kind === "heading") return;
    g.fillStyle = this.theme.lane;
    g.fillRect(this.view.left, lane.y, this.view.width - this.view.left, lane.height);
  }

  paintLane(g, lane) {
    if (lane.kind === "path") {
      paintPath(g, this, lane);
    } else if (lane.kind === "unit") paintRibbon(g, this, lane, this.ribbons.get(lane.unit));
    for (const row of lane.rows || []) paintRow(g, this, row, rowBox(lane, row));
    if (lane.kind === "outside") this.paintSends(g, lane);
  }

  // paintSends marks when ordinary goroutines have sent something.
  paintSends(g, lane) {
    const { sent, sentBy } = this.model.messages, { view } = this;
    g.fillStyle = this.theme.soft;
    let last = -9;
    for (let m = 1; m < sent.length; m++) {
      if (sentBy[m] !== 1 || sent[m] < view.from || sent[m] > view.to) continue;
      const x = view.x(sent[m]);
      if (Math.abs(x - last) < 1) continue;
      last = x;
      g.fillRect(x - 0.5, lane.y + 3, 1, lane.height - 6);
    }
  }

  // paintChosen frames the chosen slice, and draws the arrows from its sender and to the messages that it has sent.
  paintChosen(g) {
    const { model, view, theme } = this, i = this.chosen;
    if (i < 0) return;
    const at = this.boxOf(i), m = model.slices.message[i];
    g.strokeStyle = g.fillStyle = theme.focus;
    if (m > 0) {
      paintArrow(g, this, m, true);
      for (const child of model.children(m).subarray(0, 200)) paintArrow(g, this, child, true);
    }
    if (!at) return;
    const x0 = Math.max(view.x(model.slices.begin[i]), view.left - 4), x1 = Math.min(view.x(model.slices.end[i]), view.width + 4);
    g.lineWidth = 2;
    g.strokeRect(x0 - 1, at.y - 1, Math.max(3, x1 - x0 + 1), at.height + 2);
  }

  // boxOf returns where the row of a slice is, if that is shown.
  boxOf(slice) {
    const row = this.model.meta.rows[this.model.rowOf(slice)];
    const lane = this.layout.lanes.find(l => l.rows?.includes(row));
    return lane && rowBox(lane, row);
  }

  scrolled() {
    return this.scroll.scrollTop;
  }

  sliceAt(x, y) {
    return sliceAt(this.model, this.view, laneAt(this.layout.lanes, y), x, y);
  }

  hover(x, y, clientX, clientY) {
    const content = tellPoint(this, x, y);
    if (content) showTooltip(this, clientX, clientY, content);
    else hideTooltip();
    this.canvases.lanes.style.cursor = this.sliceAt(x, y) >= 0 ? "pointer" : "default";
  }

  mark(from, to) {
    this.marked = from < 0 ? null : [from, to];
    this.changed();
  }

  // choose chooses a slice, -1 for none, and brings it into view if asked to.
  choose(slice, bring) {
    this.chosen = slice;
    showDetails(this);
    this.resize(); // the details take their place from the lanes
    if (slice >= 0 && bring) {
      const { begin, end } = this.model.slices, box = this.boxOf(slice);
      this.view.around(begin[slice], end[slice]);
      if (box && (box.y < this.scrolled() || box.y + box.height > this.scrolled() + this.scroll.clientHeight)) this.scroll.scrollTop = box.y - 60;
    }
    this.changed();
  }

  // goTo chooses the slice in which a message began.
  goTo(message) {
    if (this.model.first[message] > 0) this.choose(this.model.first[message] - 1, true);
  }

  goToSender() {
    if (this.chosen >= 0) this.goTo(this.model.messages.sender[this.model.slices.message[this.chosen]]);
  }

  closer() {
    const { begin, end } = this.model.slices;
    if (this.chosen >= 0) this.view.around(begin[this.chosen], end[this.chosen], true);
  }

  // step chooses the next slice of the row, or the first in view if none is chosen.
  step(by) {
    const { model, view } = this;
    if (this.chosen < 0) {
      const row = model.meta.rows.find(r => r.processor >= 0);
      if (row) this.choose(Math.min(model.after(row, view.from), row.end - 1), true);
      return;
    }
    const row = model.meta.rows[model.rowOf(this.chosen)], next = this.chosen + by;
    if (next >= row.first && next < row.end) this.choose(next, true);
  }

  // otherLane chooses the slice of the row above or below that is nearest in time.
  otherLane(by) {
    const { model } = this;
    if (this.chosen < 0) return this.step(1);
    const rows = model.meta.rows, row = rows[model.rowOf(this.chosen) + by];
    if (row) this.choose(Math.min(model.after(row, model.slices.begin[this.chosen]), row.end - 1), true);
  }

  letGo() {
    this.choose(-1, false);
    this.search.clear();
  }

  // place returns the point of the screen at a time on a processor's lane, or on a unit's.
  place(time, processor, unit = 0) {
    const lane = this.layout.lanes.find(l => unit ? l.unit === unit : l.kind === "processor" && l.processor === processor);
    const box = this.canvases.lanes.getBoundingClientRect();
    return { x: box.left + this.view.x(time), y: box.top + lane.y - this.scrolled() + (unit ? lane.height / 2 : heights.row / 2) };
  }
}

// connect sets what the buttons above the lanes do.
function connect(app) {
  const on = (id, event, does) => document.getElementById(id).addEventListener(event, does);
  const switches = (id, name) => on(id, "click", e => {
    app[name] = !app[name];
    e.currentTarget.setAttribute("aria-pressed", String(app[name]));
    app.changed();
  });
  switches("path", "showPath");
  switches("arrows", "showArrows");
  on("in", "click", () => app.view.zoom(1.6));
  on("out", "click", () => app.view.zoom(1 / 1.6));
  on("fit", "click", () => app.view.fit());
  on("theme", "click", () => {
    app.theme.toggle();
    app.setTheme();
    showDetails(app);
  });
  on("help", "click", e => {
    const keys = document.getElementById("keys");
    keys.hidden = !keys.hidden;
    e.currentTarget.setAttribute("aria-expanded", String(!keys.hidden));
    app.resize();
  });
  const units = document.getElementById("units"), all = app.model.traffic.length;
  const choices = [0, 8, 16, 32, 64, 128].filter(n => n < all);
  for (const n of [...choices, Math.min(all, 256)]) units.add(new Option(n === all ? `all ${grouped(n)}` : String(n), String(n), false, n === Math.min(8, all)));
  on("units", "change", () => app.setUnits(Number(units.value)));
  on("scroll", "scroll", () => app.changed());
  addEventListener("resize", () => app.resize());
  new ResizeObserver(() => app.resize()).observe(app.scroll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    app.theme.read();
    app.setTheme();
  });
}

try {
  const app = new App(new Model(await unpack()));
  app.search = new Search(app);
  connect(app);
  listen(app);
  summarize(app);
  window.timeline = app; // for the console, and for tests
} catch (e) {
  const broken = document.getElementById("broken");
  broken.hidden = false;
  broken.textContent = "The timeline cannot be drawn: " + e.message + ". It needs a browser of 2024 or later.";
  throw e;
}
