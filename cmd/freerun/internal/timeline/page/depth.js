// How deep a unit's mailbox was, and when the unit ran.

// ribbon returns the depth of the unit's mailbox as steps, each with the time from which it holds, and the times at which runs of the unit began and ended.
function ribbon(model, unit) {
  const { sent, sentBy, wait } = model.messages, { begin, end } = model.slices;
  const some = model.unitMessages.subarray(model.unitStart[unit], model.unitStart[unit + 1]);
  const came = [], began = [], begins = [], ends = [], gap = model.lost.time.at(-1) ?? -1;
  for (const m of some) {
    const first = model.first[m] - 1;
    if (first >= 0) begins.push(begin[first]), ends.push(end[first]);
    if (sentBy[m] === 0) continue; // before the recording began, or lost
    if (first < 0 && sent[m] <= gap) continue; // its begin is lost rather than still to come
    came.push(sent[m] + wait[m]);
    if (first >= 0) began.push(begin[first]);
  }
  const ups = Float64Array.from(came).sort(), downs = Float64Array.from(began).sort();
  const times = new Float64Array(ups.length + downs.length), depths = new Int32Array(times.length);
  let u = 0, d = 0, deepest = 0;
  for (let i = 0; i < times.length; i++) {
    if (u < ups.length && (d >= downs.length || ups[u] <= downs[d])) times[i] = ups[u++];
    else times[i] = downs[d++];
    depths[i] = Math.max(0, u - d);
    deepest = Math.max(deepest, depths[i]);
  }
  return { unit, times, depths, deepest, begins: Float64Array.from(begins).sort(), ends: Float64Array.from(ends).sort() };
}

// lowerBound returns the index of the first value that is greater than the one given.
function lowerBound(array, value) {
  let low = 0, high = array.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (array[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
