package matrix

import (
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/programs"
)

// tile is how many rows and columns of the second factor are worked on before the next ones: 32 KB,
// which a core's first cache or its second one holds, while all rows of a task pass them.
const tile = 64

// multiplyTiled computes rows of the product, tile by tile of the second factor, so that what was
// read of it is used for all the rows before it leaves the cache. It calls pause with the number of
// multiplications after each row of a tile.
func (p *problem) multiplyTiled(from, to int, pause func(done int)) {
	for middle := 0; middle < p.n; middle += tile {
		for column := 0; column < p.n; column += tile {
			last, end := min(middle+tile, p.n), min(column+tile, p.n)
			for i := from; i < to; i++ {
				for k := middle; k < last; k++ {
					addRow(p.c[i][column:end], p.a[i][k], p.b[k][column:end])
				}
				pause((last - middle) * (end - column))
			}
		}
	}
}

// addRow adds a multiple of one row to another of the same length. As element, it is not inlined.
//
//go:noinline
func addRow(sum []float64, x float64, row []float64) {
	row = row[:len(sum)]
	for j := range sum {
		sum[j] += x * row[j]
	}
}

func runActivitiesTiled(cfg programs.Config) (programs.Result, error) {
	return onActivities(cfg, func(p *problem, a *activity.Activity, from, to int) {
		p.multiplyTiled(from, to, func(done int) { a.Check(int32(done)) })
	})
}

func runGoroutinesTiled(cfg programs.Config) (programs.Result, error) {
	return onGoroutines(cfg, func(p *problem, from, to int) { p.multiplyTiled(from, to, func(int) {}) })
}
