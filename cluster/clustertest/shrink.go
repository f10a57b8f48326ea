package clustertest

import (
	"maps"
	"slices"
)

// plan says what is left out of a run.
type plan struct {
	off   map[decision]bool // faults
	kinds [kinds]bool       // all faults of a kind
	lives int               // there are no more in Sim.Lives; 0 is no limit
	count int               // Sim.Count returns no more; 0 is no limit
}

// isOff reports whether a fault is left out.
func (p *plan) isOff(d decision) bool { return p.kinds[d.kind] || p.off[d] }

// but returns a copy of p that was changed.
func (p *plan) but(change func(p *plan)) *plan {
	q := *p
	if q.off = maps.Clone(p.off); q.off == nil {
		q.off = map[decision]bool{}
	}
	change(&q)
	return &q
}

// mostTries is how many runs it may take to make one smaller.
const mostTries = 400

// shrink returns a run that fails as s does, under a smaller plan: with fewer faults, lives, and
// counts, each left out if the run fails without it.
func (x *search) shrink(s *Sim) *Sim {
	tries := 0
	fails := func(change func(p *plan)) bool {
		if tries++; tries > mostTries {
			return false
		}
		smaller := x.run(s.seed, s.plan.but(change), false)
		if smaller.recorder.failed {
			s = smaller
		}
		return smaller.recorder.failed
	}
	for k := range clockJump + 1 {
		if slices.ContainsFunc(s.faults, func(f fault) bool { return f.kind == k }) {
			fails(func(p *plan) { p.kinds[k] = true })
		}
	}
	for n := 1; n < s.number && !fails(func(p *plan) { p.lives = n }); n++ {
	}
	for n := 1; n <= 1<<10 && !fails(func(p *plan) { p.count = n }); n *= 2 {
	}
	for again := true; again; {
		again = false
		for _, f := range slices.Backward(slices.Clone(s.faults)) {
			if slices.ContainsFunc(s.faults, func(g fault) bool { return g.decision == f.decision }) {
				again = fails(func(p *plan) { p.off[f.decision] = true }) || again
			}
		}
	}
	return s
}
