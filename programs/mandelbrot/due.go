package mandelbrot

// due returns the expected checksum. Without two short cuts, both exact, it would take as long as
// the run: the lower half of the plane mirrors the upper one, and an orbit that returns to an
// earlier point never escapes.
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

// escapeOrReturn is escape with a memory of one point of the orbit, which moves on at distances
// that double. It stops when the orbit meets that point (R. P. Brent, An improved Monte Carlo
// factorization algorithm, 1980).
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
