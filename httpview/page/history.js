// The memory of the page: the last frames as series of figures, with a value for each frame.

export const room = 120; // frames that are kept: two minutes

// figureOf names the series of a module's figure.
export const figureOf = m => `m${m.name} ${m.label}`;

// keyOf names the series of a key of a kind.
export const keyOf = (kind, key) => `k${kind.name} key ${key.text}`;

// Series has the last values of one figure; null where there was none.
class Series {
  constructor(length) { this.values = new Array(length).fill(null); }
  add(value) {
    this.values.push(value);
    if (this.values.length > room) this.values.shift();
  }
  get last() { return this.values.at(-1); }
}

export class History {
  constructor() { this.clear(); }

  clear() {
    this.frame = null; // the last one
    this.previous = null; // the one before; null if rates are unknown
    this.length = 0; // of each series
    this.series = new Map();
    this.hues = new Map();
  }

  // gap says that the next frame does not follow the last one in time.
  gap() { this.broken = true; }

  // add adds a frame, and reports whether the program was restarted since the last one.
  add(frame) {
    const anew = this.frame !== null && this.frame.started !== frame.started;
    if (anew) this.clear();
    this.previous = this.broken ? null : this.frame;
    this.broken = false;
    this.frame = frame;
    this.seconds = this.previous ? (frame.now - this.previous.now) / 1000 : 0;
    this.touched = new Set();

    const process = frame.process, was = this.previous;
    this.note("done", this.rate(frame.done, was?.done));
    this.note("pending", Math.max(0, frame.sent - frame.done));
    this.note("failed", this.rate(frame.failed, was?.failed));
    const sum = (f, name) => f?.processors.reduce((n, p) => n + p[name], 0);
    for (const name of ["steals", "parks"]) this.note(name, this.rate(sum(frame, name), sum(was, name)));
    this.note("cpu", process.cpu ? this.rate(process.cpu, was?.process.cpu) : null);
    this.note("heap", process.heap);
    this.note("goroutines", process.goroutines);
    frame.processors.forEach((p, i) => {
      for (const name of ["messages", "steals", "stolen", "parks", "wakes"]) {
        this.note(`p${i} ${name}`, this.rate(p[name], was?.processors[i]?.[name]));
      }
    });
    for (const u of frame.units ?? []) {
      this.note(`u${u.name} rate`, u.rate);
      this.note(`u${u.name} peak`, u.peak);
    }
    const before = new Map((was?.modules ?? []).map(m => [figureOf(m), m.value]));
    for (const m of frame.modules ?? []) {
      this.note(figureOf(m), m.grows ? this.rate(m.value, before.get(figureOf(m))) : m.value);
    }
    const kinds = new Map((was?.kinds ?? []).map(k => [k.name, k]));
    for (const k of frame.kinds ?? []) {
      const old = kinds.get(k.name), keys = new Map((old?.busiest ?? []).map(b => [b.text, b.operations]));
      this.note(`k${k.name} active`, k.active);
      for (const name of ["activations", "passivations"]) this.note(`k${k.name} ${name}`, this.rate(k[name], old?.[name]));
      for (const b of k.busiest ?? []) this.note(keyOf(k, b), this.rate(b.operations, keys.get(b.text)));
    }
    this.length = Math.min(this.length + 1, room);
    for (const [name, series] of this.series) { // series without a value in this frame
      if (this.touched.has(name)) continue;
      series.add(null);
      if (series.values.every(v => v === null)) this.series.delete(name);
    }
    return anew;
  }

  note(name, value) {
    let s = this.series.get(name);
    if (!s) this.series.set(name, s = new Series(this.length));
    s.add(value ?? null);
    this.touched.add(name);
  }

  // rate returns the growth of a counter per second, null if it is unknown.
  rate(now, before) {
    return before === undefined || !(this.seconds > 0) ? null : Math.max(0, now - before) / this.seconds;
  }

  get(name) { return this.series.get(name)?.values ?? []; }
  last(name) { return this.series.get(name)?.last ?? null; }

  // hue returns the colour of an operation: the first seven have one each, the others share one.
  hue(operation) {
    if (!this.hues.has(operation)) this.hues.set(operation, "op" + Math.min(this.hues.size, 7));
    return this.hues.get(operation);
  }
}
