// The recording, as pack.go packs it: columns of integers of variable length, deflated, in base64.

class Columns {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  uint() {
    const bytes = this.bytes;
    let value = 0, scale = 1;
    for (;;) {
      if (this.at >= bytes.length) throw new Error("the page's data ends too early");
      const b = bytes[this.at++];
      value += (b & 127) * scale; // not by bit operations, which have 32 bits
      if (b < 128) return value;
      scale *= 128;
    }
  }

  int() {
    const v = this.uint();
    return v % 2 ? -(v + 1) / 2 : v / 2;
  }

  // column fills an array with the packed values, from index first on.
  column(array, first = 0) {
    for (let i = first; i < array.length; i++) array[i] = this.uint();
    return array;
  }

  // steps fills an array with values that are packed as differences, each to the one before.
  steps(array, first = 0) {
    let value = 0;
    for (let i = first; i < array.length; i++) array[i] = value += this.int();
    return array;
  }
}

async function inflate(text) {
  const packed = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// unpack returns the recording. Slices of all rows lie in the same arrays, row after row: those of a row from row.first to row.end.
async function unpack() {
  const meta = JSON.parse(document.getElementById("meta").textContent);
  const data = document.getElementById("data");
  const from = new Columns(await inflate(data.textContent.trim()));
  data.remove();
  const messages = { // by number; there is no message 0
    sent: from.steps(new Float64Array(meta.messages + 1), 1),
    sentBy: from.column(new Uint16Array(meta.messages + 1), 1), // 0 unknown, 1 outside, 2 the first processor
    wait: from.column(new Float64Array(meta.messages + 1), 1), // for the futures in its arguments
    sender: from.column(new Uint32Array(meta.messages + 1), 1),
    operation: from.column(new Uint32Array(meta.messages + 1), 1),
    unit: from.column(new Uint32Array(meta.messages + 1), 1),
    ran: from.column(new Float64Array(meta.messages + 1), 1),
  };
  let n = 0;
  for (const row of meta.rows) {
    row.first = n;
    row.end = n += row.slices;
  }
  const slices = {
    begin: from.steps(new Float64Array(n)),
    end: from.column(new Float64Array(n)),
    message: from.steps(new Uint32Array(n)),
    operation: from.column(new Uint32Array(n)),
    unit: from.column(new Uint32Array(n)),
    kind: from.column(new Uint8Array(n)),
  };
  for (let i = 0; i < n; i++) slices.end[i] += slices.begin[i];
  const steals = {
    time: from.steps(new Float64Array(meta.steals)),
    thief: from.column(new Uint16Array(meta.steals)), // 1 is the first processor, as everywhere below
    victim: from.column(new Uint16Array(meta.steals)),
    tasks: from.column(new Uint32Array(meta.steals)),
  };
  const lost = {
    time: from.steps(new Float64Array(meta.lost)),
    processor: from.column(new Uint16Array(meta.lost)),
    events: from.column(new Uint32Array(meta.lost)),
  };
  const path = {
    begin: from.steps(new Float64Array(meta.path)),
    end: from.column(new Float64Array(meta.path)),
    message: from.column(new Uint32Array(meta.path)),
    operation: from.column(new Uint32Array(meta.path)),
    unit: from.column(new Uint32Array(meta.path)),
    processor: from.column(new Uint16Array(meta.path)),
  };
  for (let i = 0; i < meta.path; i++) path.end[i] += path.begin[i];
  return { meta, messages, slices, steals, lost, path };
}
