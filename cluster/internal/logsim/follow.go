package logsim

import (
	"bytes"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// follower follows a log.
type follower struct {
	port    *Port
	p       int
	next    uint64
	each    func(seq uint64, entry []byte)
	lost    func(err error)
	stopped bool
	under   bool // an entry is on its way
}

// goOn delivers the next entry.
func (f *follower) goOn() {
	l := f.port.logs[f.p]
	if f.stopped || f.under || f.next > l.last() {
		return
	}
	f.under = true
	f.port.node.After(f.port.delay(2*time.Millisecond), func() {
		f.under = false
		if f.stopped {
			return
		}
		if d := f.port.CutFor(); d > 0 {
			f.port.world.After(d, f.goOn)
			return
		}
		if f.next < l.first {
			f.stopped = true
			f.lost(engine.ErrTrimmed)
			return
		}
		entry := bytes.Clone(l.entries[f.next-l.first])
		f.next++
		f.each(f.next-1, entry)
		f.goOn()
	})
}
