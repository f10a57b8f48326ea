// Colours. Those of units are Paul Tol's "light" scheme: colour-blind readers can tell them apart, and black text on them is legible. On a dark page
// they are a little darker, and text on them is black too.

const tol = ["#77aadd", "#ee8866", "#44bb99", "#eedd88", "#ffaabb", "#bbcc33", "#99ddff", "#aaaa00"];

class Theme {
  constructor() {
    this.probe = document.createElement("span");
    document.body.append(this.probe);
    this.probe.hidden = true;
    this.read();
  }

  // read gets the colours from the style sheet, which knows whether the page is light or dark.
  read() {
    for (const name of ["page", "panel", "lane", "line", "ink", "soft", "faint", "focus", "path", "searching", "parked", "blocked", "warn"]) {
      this.probe.style.color = `var(--${name})`;
      this[name] = getComputedStyle(this.probe).color;
    }
    this.dark = this.luminance(this.page) < 0.5;
    this.units = tol.map(c => this.shade(c, this.dark ? 0.86 : 1));
    this.dimmed = tol.map(c => this.mix(c, this.lane, 0.82));
  }

  toggle() {
    document.documentElement.style.colorScheme = this.dark ? "light" : "dark";
    this.read();
  }

  parse(colour) {
    if (colour[0] === "#") return [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16));
    const parts = colour.match(/[\d.]+/g).map(Number);
    return colour.startsWith("color(") ? parts.slice(0, 3).map(v => v * 255) : parts.slice(0, 3);
  }

  luminance(colour) {
    const [r, g, b] = this.parse(colour);
    return (0.3 * r + 0.6 * g + 0.1 * b) / 255;
  }

  shade(colour, factor) {
    return `rgb(${this.parse(colour).map(v => Math.round(v * factor))})`;
  }

  mix(a, b, share) {
    const [x, y] = [this.parse(a), this.parse(b)];
    return `rgb(${x.map((v, i) => Math.round(v * (1 - share) + y[i] * share))})`;
  }

  // index chooses the colour of a slice by its unit, or by its operation if it has no unit.
  index(unit, operation) {
    return (unit ? unit * 5 + 2 : operation * 3) % tol.length;
  }

  of(unit, operation, dim = false) {
    return (dim ? this.dimmed : this.units)[this.index(unit, operation)];
  }
}
