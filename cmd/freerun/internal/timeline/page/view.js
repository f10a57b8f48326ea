// The stretch of time that is shown, and the place of a time on the screen.

class View {
  constructor(end, changed) {
    this.limit = end;
    this.from = 0;
    this.to = end;
    this.left = 120; // where the lanes begin, right of their names
    this.width = 800;
    this.changed = changed;
  }

  x(time) {
    return this.left + (time - this.from) * this.scale;
  }

  time(x) {
    return this.from + (x - this.left) / this.scale;
  }

  get scale() {
    return Math.max(1, this.width - this.left) / (this.to - this.from);
  }

  // show shows a stretch, but never less than some nanoseconds and never more than a little beyond all.
  show(from, to) {
    const least = 40, margin = this.limit * 0.02;
    let length = Math.min(Math.max(to - from, Math.min(least, this.limit)), this.limit + 2 * margin);
    from = (from + to - length) / 2;
    this.from = Math.max(-margin, Math.min(from, this.limit + margin - length));
    this.to = this.from + length;
    this.changed();
  }

  fit() {
    this.show(-this.limit * 0.004, this.limit * 1.004);
  }

  // zoom magnifies by the factor, or shrinks if it is below 1, and keeps the time at x in its place.
  zoom(factor, x = this.left + (this.width - this.left) / 2) {
    const at = this.time(x);
    this.show(at - (at - this.from) / factor, at + (this.to - at) / factor);
  }

  pan(pixels) {
    const by = pixels / this.scale;
    this.show(this.from + by, this.to + by);
  }

  // around moves to a stretch and leaves room on both sides; it zooms only if the stretch would be too small to be seen, or too large.
  around(from, to, closer = false) {
    const length = this.to - this.from, own = Math.max(to - from, 1);
    const span = closer || own > length * 0.9 || own < length / 400 ? own * (closer ? 1.6 : 12) : length;
    const middle = (from + to) / 2;
    this.show(middle - span / 2, middle + span / 2);
  }
}
