package clustertest

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// flaw is what is wrong with a disk: the controls of the simulation.
type flaw int

const (
	tellsEarly   flaw = iota // the outcome of a Put is told when it is called
	removesEarly             // what a Put removes is removed when it is called
	forgets                  // a crash loses what was told to durable units
	duplicates               // what was told stays when it has had its effect
	overtakes                // two messages to a unit change places at a crash
	loses                    // some writes are not made
	disorders                // some Puts take effect after the next one
	halves                   // at a crash the first part of the next Put is made
	resurrects               // a write is made that has failed
	omits                    // failures are not recorded
	stale                    // some reads find the value before the last one
	splits                   // the records of units are written one by one: see TestSeveralControl
)

// flawed is the conduct of a disk with a flaw.
type flawed struct {
	is      flaw
	before  map[string][]byte // the values before the last ones
	delayed []engine.Write
	made    int
}

func newFlawed(is flaw) func() conduct {
	return func() conduct { return &flawed{is: is, before: map[string][]byte{}} }
}

func (f *flawed) takes(s *store, p *put) *put {
	switch f.is {
	case tellsEarly:
		p.done(nil)
		return &put{p.writes, func(error) {}}
	case splits:
		for at, w := range p.writes[:len(p.writes)-1] {
			if strings.HasPrefix(string(w.Key), layout.Unit) {
				s.puts = append(s.puts, &put{p.writes[:at+1], func(error) {}})
				return &put{p.writes[at+1:], p.done}
			}
		}
	case removesEarly:
		for _, w := range p.writes {
			if w.Value == nil {
				s.disk.apply([]engine.Write{w})
			}
		}
	}
	return p
}

func (f *flawed) reaches(all []*put, n int) []*put {
	if f.is == halves && n < len(all) {
		p := all[n]
		return append(slices.Clone(all[:n]), &put{writes: p.writes[:len(p.writes)/2]})
	}
	return all[:n]
}

func (f *flawed) makes(err error) bool { return err == nil || f.is == resurrects }

func (f *flawed) writes(d *disk, writes []engine.Write) []engine.Write {
	if f.is == disorders && !d.sim.quiet {
		before := f.delayed
		f.made++
		if f.delayed = nil; f.made%5 == 0 {
			f.delayed = writes
			return before
		}
		return append(slices.Clip(writes), before...)
	}
	for _, w := range writes {
		f.before[string(w.Key)] = d.entries[string(w.Key)]
	}
	return slices.DeleteFunc(slices.Clone(writes), func(w engine.Write) bool { return f.drops(d, w) })
}

// drops reports whether a write is not made.
func (f *flawed) drops(d *disk, w engine.Write) bool {
	switch key := string(w.Key); f.is {
	case duplicates:
		return w.Value == nil && strings.HasPrefix(key, layout.Sent) && !d.sim.quiet
	case omits:
		return w.Value != nil && strings.HasPrefix(key, layout.Failure)
	case loses:
		return w.Value != nil && strings.HasPrefix(key, layout.Unit) && len(w.Value)%7 == 0
	}
	return false
}

func (f *flawed) reads(random *rand.Rand, d *disk, key string) []byte {
	if f.is == stale && random.IntN(4) == 0 {
		return f.before[key]
	}
	return d.entries[key]
}

func (f *flawed) reopens(d *disk) {
	last := map[string]string{} // unit → key
	for _, key := range d.keys(layout.Sent) {
		switch f.is {
		case forgets:
			delete(d.entries, key)
		case overtakes:
			t, _, _ := layout.DecodeTell(d.entries[key])
			unit := t.Kind + "\x00" + t.Key
			if other, is := last[unit]; is {
				d.entries[key], d.entries[other] = d.entries[other], d.entries[key]
			}
			last[unit] = key
		}
	}
}
