// Drawing on canvases. Each function draws its whole canvas anew.

const probe = document.createElement("i");
probe.hidden = true;
document.documentElement.append(probe);
let colours = new Map();

// colour returns the value of a style sheet variable in the present theme.
export function colour(name) {
  let c = colours.get(name);
  if (!c) {
    probe.style.color = `var(--${name})`;
    c = getComputedStyle(probe).color;
    colours.set(name, c);
  }
  return c;
}

// forget drops the colours after the theme has changed.
export function forget() { colours = new Map(); }

// begin clears a canvas, fits its pixels to those of the screen, and returns its drawing context;
// null if the canvas is hidden.
function begin(canvas) {
  const width = canvas.clientWidth, height = canvas.clientHeight, ratio = window.devicePixelRatio || 1;
  if (!width || !height) return null;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  return { g, width, height };
}

// sparkline draws values over time, the newest at the right, in a canvas with room for so many
// values. Values that are null leave a gap.
export function sparkline(canvas, values, room, hue = "accent") {
  const at = begin(canvas);
  if (!at) return;
  const { g, width, height } = at;
  let most = 0;
  for (const v of values) if (v > most) most = v;
  const step = (width - 3) / (room - 1), base = height - 1;
  g.strokeStyle = colour("line");
  g.lineWidth = 1;
  g.beginPath();
  g.moveTo(0, base + 0.5);
  g.lineTo(width, base + 0.5);
  g.stroke();
  const x = i => width - 2 - (values.length - 1 - i) * step;
  const y = v => base - 1 - (most ? v / most : 0) * (base - 4);
  g.strokeStyle = colour(hue);
  g.fillStyle = colour(hue);
  g.lineWidth = 1.25;
  g.lineJoin = "round";
  for (let i = 0; i < values.length;) {
    if (values[i] == null) { i++; continue; }
    const from = i;
    g.beginPath();
    for (; i < values.length && values[i] != null; i++) g.lineTo(x(i), y(values[i]));
    g.stroke();
    g.lineTo(x(i - 1), base);
    g.lineTo(x(from), base);
    g.globalAlpha = 0.13;
    g.fill();
    g.globalAlpha = 1;
  }
  const last = values.at(-1);
  if (last != null) {
    g.beginPath();
    g.arc(width - 2, y(last), 1.75, 0, 2 * Math.PI);
    g.fill();
  }
}

// lane draws what a processor did, from pairs of an activity and the number of its columns. columns
// is the number of all columns.
export function lane(canvas, pairs, columns, hueOf) {
  const at = begin(canvas);
  if (!at) return;
  const { g, width, height } = at;
  g.fillStyle = colour("faint");
  g.fillRect(0, 0, width, height);
  let from = 0;
  for (let i = 0; i < pairs.length; i += 2) {
    const what = pairs[i], to = from + pairs[i + 1];
    const x = from / columns * width, w = (to - from) / columns * width;
    from = to;
    if (what === -1) continue;
    if (what === -3) {
      g.fillStyle = colour("parked");
      g.fillRect(x, 0, w, height);
      g.fillStyle = colour("line");
      g.fillRect(x, height / 2 - 0.5, w, 1);
    } else if (what === -2) {
      g.fillStyle = colour("searching");
      g.fillRect(x, height - 5, w, 5);
    } else {
      g.fillStyle = colour(hueOf(what));
      g.fillRect(x, 0, w, height);
    }
  }
}

// The ranges of latencies are on one logarithmic axis, in nanoseconds.
const lowest = Math.log10(50), highest = Math.log10(2e9);
const place = (ns, width) => (Math.log10(Math.min(Math.max(ns, 50), 2e9)) - lowest) / (highest - lowest) * (width - 4) + 2;
const decades = [[1e2, "100 ns"], [1e3, ""], [1e4, "10 µs"], [1e5, ""], [1e6, "1 ms"], [1e7, ""], [1e8, "100 ms"], [1e9, ""]];

export function axis(canvas) {
  const at = begin(canvas);
  if (!at) return;
  const { g, width, height } = at;
  g.fillStyle = colour("quiet");
  g.font = "10.5px system-ui, sans-serif";
  g.textBaseline = "alphabetic";
  for (const [ns, label] of decades) {
    if (!label) continue;
    const x = place(ns, width), w = g.measureText(label).width;
    g.fillText(label, Math.min(Math.max(0, x - w / 2), width - w), height - 4);
  }
}

// ranges draws two ranges below each other, each from p50 to p99, thinner to p99.9, with a mark at p50.
export function ranges(canvas, all) {
  const at = begin(canvas);
  if (!at) return;
  const { g, width, height } = at;
  g.fillStyle = colour("line");
  for (const [ns] of decades) g.fillRect(Math.round(place(ns, width)), 0, 1, height);
  all.forEach(([q, hue], i) => {
    if (!q.count) return;
    const y = height * (i ? 0.7 : 0.3);
    const a = place(q.p50, width), b = place(q.p99, width), c = place(q.p999, width);
    g.fillStyle = colour(hue);
    g.globalAlpha = 0.45;
    g.fillRect(a, y - 0.5, c - a, 1);
    g.globalAlpha = 0.8;
    g.fillRect(a, y - 1.5, Math.max(b - a, 1), 3);
    g.globalAlpha = 1;
    g.fillRect(a - 1, y - 3, 2.5, 6);
  });
}
