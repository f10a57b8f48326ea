package clustertest

import (
	"math/rand/v2"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// conduct is what a disk does where it can be wrong. The tests of this package have disks that
// misbehave, to hold that the simulation finds it; all others are sound.
type conduct interface {
	// takes is called when a Put is, and returns what is to be written.
	takes(s *store, p *put) *put
	// reaches returns those of the Puts under way that reach the disk at a crash, of which the
	// first n are to.
	reaches(all []*put, n int) []*put
	// makes reports whether a write is made, which has failed with err if that is not nil.
	makes(err error) bool
	// writes returns what is written in place of writes.
	writes(d *disk, writes []engine.Write) []engine.Write
	// reads returns the value of a key.
	reads(random *rand.Rand, d *disk, key string) []byte
	// reopens is called between two lives.
	reopens(d *disk)
}

// sound is the conduct that package cluster relies on.
type sound struct{}

func (sound) takes(_ *store, p *put) *put                          { return p }
func (sound) reaches(all []*put, n int) []*put                     { return all[:n] }
func (sound) makes(err error) bool                                 { return err == nil }
func (sound) writes(_ *disk, writes []engine.Write) []engine.Write { return writes }
func (sound) reads(_ *rand.Rand, d *disk, key string) []byte       { return d.entries[key] }
func (sound) reopens(*disk)                                        {}
