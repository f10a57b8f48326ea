// Numbers as text.

// duration writes nanoseconds with three digits.
function duration(ns) {
  const units = ["ns", "µs", "ms", "s"];
  let value = ns, unit = 0;
  while (unit < 3 && Math.abs(value) >= 999.5) value /= 1000, unit++;
  const digits = unit === 0 || Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2;
  return value.toFixed(digits) + " " + units[unit];
}

// instant writes a time so that times which are a step apart differ. Of the units in which that takes at most three digits after the point, it uses the largest.
function instant(ns, step) {
  for (const [factor, unit] of [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]]) {
    const digits = Math.max(0, Math.ceil(-Math.log10(step / factor) - 1e-9));
    if (Math.abs(ns) >= factor && digits <= 3) return grouped((ns / factor).toFixed(digits)) + " " + unit;
  }
  return grouped(ns.toFixed(0)) + " ns";
}

// grouped puts a narrow space between groups of three digits.
function grouped(n) {
  const [whole, fraction] = String(n).split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") + (fraction ? "." + fraction : "");
}

// short drops the path of a package from a name: "example.org/bank.deposit" is "bank.deposit".
function short(name) {
  return name.slice(name.lastIndexOf("/") + 1);
}

function percent(part, whole) {
  const p = whole > 0 ? 100 * part / whole : 0;
  return (p > 0 && p < 9.95 ? p.toFixed(1) : p.toFixed(0)) + "%";
}
