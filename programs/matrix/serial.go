package matrix

import "github.com/freerun-go/freerun/programs"

func runSerial(cfg programs.Config) (programs.Result, error) {
	p := newProblem(cfg.Values.Get(programs.Size))
	meter := programs.StartMeter()
	p.multiply(0, p.n)
	result := meter.Stop(p.operations())
	result.Checksum = p.checksum()
	return result, nil
}

// multiply computes rows of the product.
func (p *problem) multiply(from, to int) {
	for i := from; i < to; i++ {
		for j := range p.c[i] {
			p.c[i][j] = p.element(p.a[i], j)
		}
	}
}
