// Numbers and times for people: three digits and a unit.

const thin = "\u202f";

function digits(x) {
  if (x >= 99.95) return x.toFixed(0);
  return x >= 9.995 ? x.toFixed(1) : x.toFixed(2);
}

// count formats how many: 950, 12.3 k, 4.56 M.
export function count(x) {
  if (!(x > 0)) return "0";
  if (x < 999.5) return x < 9.95 && x % 1 ? x.toFixed(1) : x.toFixed(0);
  for (const [limit, size, letter] of [[999.5e3, 1e3, "k"], [999.5e6, 1e6, "M"], [999.5e9, 1e9, "G"], [Infinity, 1e12, "T"]]) {
    if (x < limit) return digits(x / size) + thin + letter;
  }
}

// bytes formats an amount of memory.
export function bytes(x) {
  for (const [size, name] of [[2 ** 30, "GiB"], [2 ** 20, "MiB"]]) {
    if (x >= size) return digits(x / size) + thin + name;
  }
  return digits(x / 1024) + thin + "KiB";
}

// nanoseconds formats a duration.
export function nanoseconds(x) {
  if (x < 999.5) return Math.round(x) + thin + "ns";
  if (x < 999.5e3) return digits(x / 1e3) + thin + "µs";
  if (x < 999.5e6) return digits(x / 1e6) + thin + "ms";
  return digits(x / 1e9) + thin + "s";
}

// span formats a duration of seconds and more.
export function span(seconds) {
  const s = Math.floor(seconds);
  if (s < 60) return s + thin + "s";
  if (s < 3600) return Math.floor(s / 60) + thin + "min" + thin + (s % 60) + thin + "s";
  if (s < 86400) return Math.floor(s / 3600) + thin + "h" + thin + Math.floor(s % 3600 / 60) + thin + "min";
  return Math.floor(s / 86400) + thin + "d" + thin + Math.floor(s % 86400 / 3600) + thin + "h";
}

// percent formats a share.
export function percent(x) {
  if (x > 0 && x < 0.001) return "<0.1" + thin + "%";
  return (x * 100).toFixed(x < 0.0995 ? 1 : 0) + thin + "%";
}

// short leaves the path of a package out of the name of an operation: "example.org/bank.deposit" is
// "bank.deposit". The name of an activity may be any text.
export function short(name) {
  return name.replace(/^\S*\//, "");
}

// clock formats a time of day.
export function clock(milliseconds) {
  return new Date(milliseconds).toLocaleTimeString([], { hour12: false });
}
