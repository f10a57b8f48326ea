package logsim

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Port is the store as one machine has it: an [engine.Log].
type Port struct {
	*Store
	node  Node
	until time.Duration         // it is cut off
	order map[int]time.Duration // when the last Append to a partition arrives
}

// Node is a machine.
type Node interface {
	// After has f happen on the machine after a while, if that lives then.
	After(d time.Duration, f func())
}

var _ engine.Log = (*Port)(nil)

// Port returns the store as a machine has it.
func (s *Store) Port(n Node) *Port {
	return &Port{Store: s, node: n, order: map[int]time.Duration{}}
}

// Cut cuts the machine off for a while; with 0 it is not cut off any more.
func (pt *Port) Cut(d time.Duration) { pt.until = pt.world.Now() + d }

// CutFor returns for how long the machine is cut off.
func (pt *Port) CutFor() time.Duration { return max(pt.until-pt.world.Now(), 0) }

const (
	usualWay  = 2 * time.Millisecond
	giveUp    = 100 * time.Millisecond
	lateAgain = 20 * time.Millisecond
	// Latest is how late an effect comes, at most, behind the end of its call.
	Latest = 5 * time.Second
)

// call is a call that arrives and is answered, or not. It tells the machine an error if that does
// not know what has become of it.
func (pt *Port) call(way time.Duration, arrives func() (answer func()), uncertain func()) {
	switch {
	case pt.CutFor() > 0 || pt.world.Happens(pt.faults.Dropped):
		if pt.world.Happens(0.3) { // on its way when the line was cut
			pt.world.After(pt.delay(Latest), func() { arrives() })
		}
		pt.node.After(giveUp, uncertain)
	case pt.world.Happens(pt.faults.Late):
		pt.world.After(giveUp+pt.delay(Latest), func() { arrives() })
		pt.node.After(giveUp, uncertain)
	case pt.world.Happens(pt.faults.Lost):
		pt.world.After(way, func() { arrives() })
		pt.node.After(giveUp, uncertain)
	default:
		if pt.world.Happens(pt.faults.Twice) {
			pt.world.After(way+pt.delay(lateAgain), func() { arrives() })
		}
		pt.world.After(way, func() {
			answer := arrives()
			pt.node.After(pt.delay(usualWay), answer)
		})
	}
}

func (pt *Port) Append(p int, entry []byte, done func(seq uint64, err error)) {
	entry = bytes.Clone(entry)
	arrival := max(pt.world.Now()+pt.delay(usualWay), pt.order[p]+1)
	pt.order[p] = arrival
	if pt.world.Happens(pt.faults.Slow) {
		arrival += pt.delay(giveUp / 2)
	}
	pt.call(arrival-pt.world.Now(), func() func() {
		seq, err := pt.append(p, entry)
		return func() { done(seq, err) }
	}, func() { done(0, engine.ErrUncertain) })
}

func (pt *Port) Swap(p int, writes []engine.Write, revision uint64, done func(revision uint64, err error)) {
	pt.SwapAll(p, writes, []uint64{revision}, done)
}

func (pt *Port) SwapAll(p int, writes []engine.Write, revisions []uint64, done func(first uint64, err error)) {
	pt.call(pt.delay(usualWay), func() func() {
		first, err := pt.swap(p, writes, revisions)
		return func() { done(first, err) }
	}, func() { done(0, engine.ErrUncertain) })
}

func (pt *Port) Read(p int, key []byte, done func(value []byte, revision uint64, err error)) {
	name := string(key)
	pt.call(pt.delay(usualWay), func() func() {
		e := pt.entries[p][name]
		if e == nil {
			return func() { done(nil, 0, nil) }
		}
		value, revision := bytes.Clone(e.value), e.revision
		return func() { done(value, revision, nil) }
	}, func() { done(nil, 0, engine.ErrUncertain) })
}

func (pt *Port) Scan(p int, prefix []byte, each func(key, value []byte, revision uint64), done func(err error)) {
	pt.call(pt.delay(usualWay), func() func() {
		found := map[string]entry{}
		for key, e := range pt.entries[p] {
			if strings.HasPrefix(key, string(prefix)) {
				found[key] = *e
			}
		}
		return func() {
			for _, key := range slices.Sorted(maps.Keys(found)) {
				each([]byte(key), bytes.Clone(found[key].value), found[key].revision)
			}
			done(nil)
		}
	}, func() { done(engine.ErrUncertain) })
}

func (pt *Port) Follow(p int, after uint64, each func(seq uint64, entry []byte), lost func(err error)) (stop func()) {
	f := &follower{port: pt, p: p, next: after + 1, each: each, lost: lost}
	l := pt.logs[p]
	l.followers = append(l.followers, f)
	f.goOn()
	return func() {
		f.stopped = true
		for i, other := range l.followers {
			if other == f {
				l.followers = append(l.followers[:i:i], l.followers[i+1:]...)
				return
			}
		}
	}
}

func (pt *Port) Trim(p int, through uint64) {
	pt.world.After(pt.delay(Latest), func() {
		l := pt.logs[p]
		if through >= l.first {
			n := min(through, l.last()) - l.first + 1
			l.entries, l.first = l.entries[n:], l.first+n
		}
	})
}
