// Search: by a part of the name of an operation or unit, or by a message's number after #.

class Search {
  constructor(app) {
    this.app = app;
    this.query = document.getElementById("query");
    this.hits = document.getElementById("hits");
    this.found = new Int32Array(0); // slices, in order of time
    this.at = -1;
    this.query.addEventListener("input", () => this.run());
    document.getElementById("search").addEventListener("submit", e => {
      e.preventDefault();
      this.go(1);
    });
    document.getElementById("previous").addEventListener("click", () => this.go(-1));
    this.query.addEventListener("keydown", e => {
      if (e.key === "Enter" && e.shiftKey) {
        e.preventDefault();
        this.go(-1);
      } else if (e.key === "Escape") {
        this.clear();
        document.getElementById("lanes").focus();
      }
    });
  }

  run() {
    const { model } = this.app, text = this.query.value.trim().toLowerCase();
    this.at = -1;
    if (text === "") model.matches = null, this.found = new Int32Array(0);
    else {
      const whole = /#\d+$/.test(text); // client #1 is not client #12
      const fits = name => whole ? name.endsWith(text) : name.includes(text);
      const flags = names => Uint8Array.from(names, n => n && fits(n.toLowerCase()) ? 1 : 0);
      const number = /^#[\d\s]+$/.test(text) ? Number(text.replace(/[#\s]/g, "")) : 0;
      model.matches = { operations: flags(model.meta.operations), units: flags(model.meta.units), message: number };
      this.found = this.all();
    }
    this.tell();
    this.app.changed();
  }

  all() {
    const { model } = this.app, { begin } = model.slices, found = [];
    for (let i = 0; i < begin.length; i++) if (model.matching(i)) found.push(i);
    return Int32Array.from(found).sort((a, b) => begin[a] - begin[b]);
  }

  tell() {
    const n = this.found.length;
    this.hits.textContent = this.query.value.trim() === "" ? "" : n === 0 ? "no match" : this.at < 0 ? grouped(n) + (n === 1 ? " match" : " matches") : `${grouped(this.at + 1)} of ${grouped(n)}`;
  }

  // go jumps to the next match or, with -1, to the one before; the first jump is to the first match in view or after it.
  go(by) {
    const n = this.found.length, { app } = this;
    if (n === 0) return;
    if (this.at < 0) {
      const { begin } = app.model.slices, first = this.found.findIndex(i => begin[i] >= app.view.from);
      this.at = by > 0 ? Math.max(0, first) : (Math.max(0, first) - 1 + n) % n;
    } else this.at = (this.at + by + n) % n;
    app.choose(this.found[this.at], true);
    this.tell();
  }

  clear() {
    this.query.value = "";
    this.run();
  }
}
