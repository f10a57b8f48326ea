package partition

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// store is the simulated engine, which all machines share.
type store struct {
	sim      *sim
	logs     []*plog
	entries  []map[string]*stored // by partition
	revision uint64
}

// plog is the log of a partition.
type plog struct {
	first     uint64 // the number of entries[0]
	entries   [][]byte
	followers []*follower
}

// stored is an entry.
type stored struct {
	value    []byte
	revision uint64
}

func newStore(s *sim, partitions int) *store {
	st := &store{sim: s}
	for range partitions {
		st.entries = append(st.entries, map[string]*stored{})
		st.logs = append(st.logs, &plog{first: 1})
	}
	return st
}

func (l *plog) last() uint64 { return l.first + uint64(len(l.entries)) - 1 }

// append is an entry that arrives.
func (st *store) append(p int, entry []byte) uint64 {
	l := st.logs[p]
	l.entries = append(l.entries, entry)
	for _, f := range l.followers {
		f.goOn()
	}
	return l.last()
}

// swap is a Swap that arrives.
func (st *store) swap(p int, writes []engine.Write, revision uint64) (uint64, error) {
	entries := st.entries[p]
	first := entries[string(writes[0].Key)]
	have := uint64(0)
	if first != nil {
		have = first.revision
	}
	if have != revision && st.sim.flaw != noFence {
		return 0, engine.ErrConflict
	}
	told := st.revision + 1
	for _, w := range writes {
		st.revision++
		st.sim.truth.written(string(w.Key), w.Value)
		if w.Value == nil {
			delete(entries, string(w.Key))
		} else {
			entries[string(w.Key)] = &stored{w.Value, st.revision}
		}
	}
	return told, nil
}

// follower follows a log.
type follower struct {
	port    *port
	p       int
	next    uint64
	each    func(seq uint64, entry []byte)
	lost    func(err error)
	stopped bool
	under   bool // an entry is on its way
}

// goOn delivers the next entry.
func (f *follower) goOn() {
	l := f.port.store.logs[f.p]
	if f.stopped || f.under || f.next > l.last() {
		return
	}
	f.under = true
	f.port.node.after(f.port.sim.delay(2*time.Millisecond), func() {
		f.under = false
		if f.stopped {
			return
		}
		if d := f.port.cutFor(); d > 0 {
			f.port.sim.after(d, f.goOn)
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

// port is the engine as one machine has it: an [engine.Log].
type port struct {
	*store
	node  *node
	until time.Duration         // it is cut off
	order map[int]time.Duration // when the last Append to a partition arrives
}

var _ engine.Log = (*port)(nil)

func (pt *port) cutFor() time.Duration { return max(pt.until-pt.sim.now, 0) }

const (
	usualWay  = 2 * time.Millisecond
	giveUp    = 100 * time.Millisecond
	latest    = 5 * time.Second
	lateAgain = 20 * time.Millisecond
)

// call is a call that arrives and is answered, or not. It tells the machine an error if that does
// not know what has become of it.
func (pt *port) call(way time.Duration, arrives func() (answer func()), uncertain func()) {
	s := pt.sim
	switch {
	case pt.cutFor() > 0 || s.happens(s.rates.dropped):
		if s.happens(0.3) { // on its way when the line was cut
			s.after(s.delay(latest), func() { arrives() })
		}
		pt.node.after(giveUp, uncertain)
	case s.happens(s.rates.late):
		s.after(giveUp+s.delay(latest), func() { arrives() })
		pt.node.after(giveUp, uncertain)
	case s.happens(s.rates.lost):
		s.after(way, func() { arrives() })
		pt.node.after(giveUp, uncertain)
	default:
		if s.happens(s.rates.twice) {
			s.after(way+s.delay(lateAgain), func() { arrives() })
		}
		s.after(way, func() {
			answer := arrives()
			pt.node.after(s.delay(usualWay), answer)
		})
	}
}

func (pt *port) Append(p int, entry []byte, done func(seq uint64, err error)) {
	entry = bytes.Clone(entry)
	arrival := max(pt.sim.now+pt.sim.delay(usualWay), pt.order[p]+1)
	pt.order[p] = arrival
	if pt.sim.happens(pt.sim.rates.slow) {
		arrival += pt.sim.delay(giveUp / 2)
	}
	pt.call(arrival-pt.sim.now, func() func() {
		seq := pt.append(p, entry)
		return func() { done(seq, nil) }
	}, func() { done(0, engine.ErrUncertain) })
}

func (pt *port) Swap(p int, writes []engine.Write, revision uint64, done func(revision uint64, err error)) {
	pt.call(pt.sim.delay(usualWay), func() func() {
		revision, err := pt.swap(p, writes, revision)
		return func() { done(revision, err) }
	}, func() { done(0, engine.ErrUncertain) })
}

func (pt *port) Read(p int, key []byte, done func(value []byte, revision uint64, err error)) {
	name := string(key)
	pt.call(pt.sim.delay(usualWay), func() func() {
		e := pt.entries[p][name]
		if e == nil {
			return func() { done(nil, 0, nil) }
		}
		value, revision := bytes.Clone(e.value), e.revision
		return func() { done(value, revision, nil) }
	}, func() { done(nil, 0, engine.ErrUncertain) })
}

func (pt *port) Scan(p int, prefix []byte, each func(key, value []byte, revision uint64), done func(err error)) {
	pt.call(pt.sim.delay(usualWay), func() func() {
		found := map[string]stored{}
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

func (pt *port) Follow(p int, after uint64, each func(seq uint64, entry []byte), lost func(err error)) (stop func()) {
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

func (pt *port) Trim(p int, through uint64) {
	pt.sim.after(pt.sim.delay(latest), func() {
		l := pt.logs[p]
		if through >= l.first {
			n := min(through, l.last()) - l.first + 1
			l.entries, l.first = l.entries[n:], l.first+n
		}
	})
}
