package mandelbrot

// due returns what the checksum must be. It takes two short cuts, both exact, without which the check would take as long as the run: the
// lower half of the plane is the upper one mirrored, and an orbit that comes back to where it has been never escapes.
func (p *plane) due() string {
	var all tally
	for row := range (p.side + 1) / 2 {
		mirrored := p.side - 1 - row
		for column := range p.side {
			x, y := p.at(row, column)
			iterations := escapeOrReturn(x, y, p.limit)
			all.add(row*p.side+column, iterations, p.limit)
			if mirrored != row {
				all.add(mirrored*p.side+column, iterations, p.limit)
			}
		}
	}
	return all.String()
}

// escapeOrReturn does what escape does, but remembers a point of the orbit, at distances that double, and stops when the orbit meets it (R. P.
// Brent, An improved Monte Carlo factorization algorithm, 1980).
func escapeOrReturn(x, y float64, limit int) int {
	var zx, zy, distance, seenX, seenY float64
	next := 8
	for i := range limit {
		if zx, zy, distance = step(zx, zy, x, y); distance > 4 {
			return i
		}
		if zx == seenX && zy == seenY {
			return limit
		}
		if i == next {
			seenX, seenY, next = zx, zy, 2*next
		}
	}
	return limit
}
