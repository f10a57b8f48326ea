// Facts derived from the recording: the slice with which each message began, the messages of each unit, and how long each processor was busy.

class Model {
  constructor({ meta, messages, slices, steals, lost, path }) {
    Object.assign(this, { meta, messages, slices, steals, lost, path, end: Math.max(1, meta.end) });
    this.kinds = meta.kinds;
    this.first = this.firstSlices();
    this.onPath = new Uint8Array(meta.messages + 1);
    for (const m of path.message) if (m < this.onPath.length) this.onPath[m] = 1;
    this.processors = this.useOfProcessors();
    this.traffic = this.unitsByTraffic();
    this.matches = null; // what is searched for: {operations, units, message}
  }

  // runs reports whether a message runs on the processor in this slice.
  runs(i) {
    const k = this.slices.kind[i];
    return k === this.kinds.run || k === this.kinds.switch || k === this.kinds.branch;
  }

  // firstSlices returns, by message, the slice in which it began, as index + 1, or 0.
  firstSlices() {
    const first = new Uint32Array(this.meta.messages + 1), { begin, message, kind } = this.slices;
    for (let i = 0; i < begin.length; i++) {
      const m = message[i];
      if (m === 0 || m >= first.length || kind[i] !== this.kinds.run && kind[i] !== this.kinds.switch) continue;
      if (first[m] === 0 || begin[first[m] - 1] > begin[i]) first[m] = i + 1;
    }
    return first;
  }

  useOfProcessors() {
    const all = Array.from({ length: this.meta.processors }, () => ({ busy: 0, searching: 0, parked: 0, runs: 0 }));
    const { begin, end, kind } = this.slices;
    for (const row of this.meta.rows) {
      const p = all[row.processor];
      if (!p) continue;
      for (let i = row.first; i < row.end; i++) {
        const d = end[i] - begin[i];
        if (kind[i] === this.kinds.search) p.searching += d;
        else if (kind[i] === this.kinds.park) p.parked += d;
        else {
          p.runs++;
          if (row.depth === 0) p.busy += d;
        }
      }
    }
    return all;
  }

  // unitsByTraffic returns the units to which messages were sent, those with the most first, and stores the messages of each.
  unitsByTraffic() {
    const { unit } = this.messages, n = this.meta.units.length;
    this.unitStart = new Uint32Array(n + 2);
    for (let m = 1; m < unit.length; m++) if (unit[m] < n) this.unitStart[unit[m] + 1]++;
    for (let u = 0; u <= n; u++) this.unitStart[u + 1] += this.unitStart[u];
    const next = this.unitStart.slice();
    this.unitMessages = new Uint32Array(unit.length);
    for (let m = 1; m < unit.length; m++) if (unit[m] < n) this.unitMessages[next[unit[m]]++] = m;
    const all = [];
    for (let u = 1; u < n; u++) if (this.received(u) > 0) all.push(u);
    return all.sort((a, b) => this.received(b) - this.received(a) || a - b);
  }

  received(unit) {
    return this.unitStart[unit + 1] - this.unitStart[unit];
  }

  // children returns the messages that a message has sent.
  children(message) {
    if (!this.childStart) {
      const { sender } = this.messages;
      this.childStart = new Uint32Array(sender.length + 1);
      for (let m = 1; m < sender.length; m++) this.childStart[Math.min(sender[m], sender.length - 1) + 1]++;
      for (let m = 0; m < sender.length; m++) this.childStart[m + 1] += this.childStart[m];
      const next = this.childStart.slice();
      this.childOf = new Uint32Array(sender.length);
      for (let m = 1; m < sender.length; m++) this.childOf[next[Math.min(sender[m], sender.length - 1)]++] = m;
    }
    return this.childOf.subarray(this.childStart[message], this.childStart[message + 1]);
  }

  // rowOf returns the row that a slice is in.
  rowOf(slice) {
    return this.meta.rows.findIndex(r => slice >= r.first && slice < r.end);
  }

  // after returns the first slice of a row that ends after a time; the row's end if there is none.
  after(row, time) {
    const { end } = this.slices;
    let low = row.first, high = row.end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (end[middle] > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  operationName(n) {
    return short(this.meta.operations[n] || "") || "unnamed";
  }

  unitName(n) {
    return short(this.meta.units[n] || "");
  }

  sliceName(i) {
    switch (this.slices.kind[i]) {
      case this.kinds.search: return "searching";
      case this.kinds.park: return "parked";
      case this.kinds.block: return this.operationName(this.slices.operation[i]) + ", blocked";
      case this.kinds.branch: return this.operationName(this.slices.operation[i]) + ", branch";
    }
    return this.operationName(this.slices.operation[i]);
  }

  // matching reports whether a slice matches the search; without a search every slice does.
  matching(i) {
    const f = this.matches, s = this.slices;
    if (!f) return true;
    if (s.kind[i] === this.kinds.search || s.kind[i] === this.kinds.park) return false;
    return f.message ? s.message[i] === f.message : f.operations[s.operation[i]] === 1 || f.units[s.unit[i]] === 1;
  }
}
