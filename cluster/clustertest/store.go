package clustertest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Sketch:     a write of the disk takes all Puts that have come, as one transaction, and some time;
//             Puts that come meanwhile are in the next one. At its end their writes are made, and
//             then their outcomes are told, in the order of the calls, with some time in between
// Invariants: I1 What is on the disk is what the Puts up to some point have written.
//             I2 A Put whose outcome is nil is on the disk.
//             I3 After a crash no callback comes.

// store is the engine of one life.
type store struct {
	life    *life
	disk    *disk
	puts    []*put // no write has begun that holds them
	under   []*put // of the write that is under way
	events  []*event
	told    time.Duration // when the last outcome comes
	full    time.Duration // until when there is no room
	stopped error
	closed  bool
	dead    bool
}

// put is a call of Put.
type put struct {
	writes []engine.Write
	done   func(error)
}

// event is something that is to happen: the end of a write, or a callback.
type event struct {
	at time.Duration
	f  func()
}

// errRead is the error of a read that fails.
var errRead = errors.New("clustertest: a simulated failure of a read")

const (
	usualWrite, lateWrites = 2 * time.Millisecond, 3 * time.Second
	usualRead, lateReads   = 300 * time.Microsecond, 2 * time.Second
	mostFull               = 2 * time.Second
	mostBetween            = 30 * time.Microsecond
)

// after has f happen after a while, unless the process crashes.
func (s *store) after(d time.Duration, f func()) {
	e := &event{s.life.world.now + d, f}
	s.events = append(s.events, e)
	s.life.world.after(d, func() { s.happen(e) })
}

func (s *store) happen(e *event) {
	at := slices.Index(s.events, e)
	if at < 0 || s.dead {
		return
	}
	s.events = slices.Delete(s.events, at, at+1)
	e.f()
}

func (s *store) refusal() error {
	if s.closed {
		return engine.ErrClosed
	}
	return s.stopped
}

// Put implements [engine.Engine].
func (s *store) Put(writes []engine.Write, done func(error)) {
	if s.dead {
		return
	}
	if err := s.refusal(); err != nil {
		done(err)
		return
	}
	for _, w := range writes {
		s.life.sim.trace.event("put", string(w.Key), string(w.Value))
	}
	s.puts = append(s.puts, s.disk.conduct.takes(s, &put{writes, done}))
	s.begin()
}

// begin begins a write, if none is under way and there is something to be written.
func (s *store) begin() {
	if len(s.under) > 0 || len(s.puts) == 0 || s.stopped != nil {
		return
	}
	s.under, s.puts = s.puts, nil
	_, random, _ := s.life.sim.decide(writeTime)
	takes := upTo(random, usualWrite)
	if of, random, late := s.life.sim.decide(lateWrite); late {
		takes = upTo(random, lateWrites)
		s.life.sim.note(of, "a write of %d Puts takes %v", len(s.under), takes)
	}
	s.after(takes, s.end)
}

// end ends the write that is under way.
func (s *store) end() {
	if of, _, does := s.life.sim.decide(crashAtWrite); does && !s.closed {
		s.life.sim.note(of, "the process crashes before the outcome of a write of %d Puts is known", len(s.under))
		s.life.crash()
		return
	}
	all := s.under
	s.under = nil
	err := s.fails(all)
	if s.disk.conduct.makes(err) {
		for _, p := range all {
			s.disk.apply(p.writes)
		}
	}
	s.life.sim.trace.event("written", strconv.Itoa(len(all)), fmt.Sprint(err))
	if s.stopped != nil {
		all, s.puts = append(all, s.puts...), nil
	}
	_, random, _ := s.life.sim.decide(writeTime)
	for _, p := range all {
		s.told = max(s.told, s.life.world.now) + time.Duration(random.Int64N(int64(mostBetween)))
		s.after(s.told-s.life.world.now, func() { p.done(err) })
	}
	s.begin()
}

// fails decides whether a write of some Puts fails.
func (s *store) fails(all []*put) error {
	if of, random, does := s.life.sim.decide(diskError); does {
		n := s.reaches(random, all)
		s.life.sim.note(of, "the disk fails; of %d Puts %d are written, which nobody knows", len(all), n)
		s.stopped = fmt.Errorf("%w: a simulated failure of the disk", engine.ErrStopped)
		return s.stopped
	}
	if of, random, does := s.life.sim.decide(noSpace); does {
		d := upTo(random, mostFull)
		s.full = s.life.world.now + d
		s.life.sim.note(of, "the disk is full for %v", d)
	}
	if s.life.world.now < s.full {
		return fmt.Errorf("%w: a simulated full disk", engine.ErrNoSpace)
	}
	return nil
}

// reaches makes the writes of the first Puts, drawn how many, and returns their number.
func (s *store) reaches(random *rand.Rand, all []*put) int {
	n := random.IntN(len(all) + 1)
	switch random.IntN(3) {
	case 0:
		n = 0
	case 1:
		n = len(all)
	}
	for _, p := range s.disk.conduct.reaches(all, n) {
		s.disk.apply(p.writes)
	}
	return n
}

// crash ends the store in the middle: of the Puts that were begun and not done, the first ones
// reach the disk.
func (s *store) crash() {
	s.dead = true
	_, random, _ := s.life.sim.decide(crashPoint)
	all := append(s.under, s.puts...)
	s.life.sim.trace.event("crash", strconv.Itoa(len(all)), strconv.Itoa(s.reaches(random, all)))
}

// Get implements [engine.Engine].
func (s *store) Get(key []byte, done func(value []byte, err error)) {
	if s.dead {
		return
	}
	if err := s.refusal(); err != nil {
		done(nil, err)
		return
	}
	_, random, _ := s.life.sim.decide(readTime)
	at, takes := random.IntN(3), upTo(random, usualRead)
	if of, random, late := s.life.sim.decide(lateRead); late {
		at, takes = 1+random.IntN(2), upTo(random, lateReads)
		s.life.sim.note(of, "a read takes %v", takes)
	}
	err := error(nil)
	if of, _, fails := s.life.sim.decide(failedRead); fails {
		err = errRead
		s.life.sim.note(of, "a read of %q fails", key)
	}
	look := func() []byte {
		if err != nil {
			return nil
		}
		value := s.disk.conduct.reads(random, s.disk, string(key))
		s.life.sim.trace.event("get", string(key), string(value))
		return value
	}
	switch at {
	case 0: // on the goroutine of the call
		done(look(), err)
	case 1: // what is there at the call
		value := look()
		s.after(takes, func() { done(value, err) })
	default: // what is there at the end
		s.after(takes, func() { done(look(), err) })
	}
}

// Scan implements [engine.Engine].
func (s *store) Scan(prefix, after []byte, each func(key, value []byte) error) error {
	if err := s.refusal(); err != nil {
		return err
	}
	keys, entries := s.disk.keys(string(prefix)), map[string][]byte{}
	for _, key := range keys {
		entries[key] = s.disk.entries[key]
	}
	for _, key := range keys {
		if after != nil && key <= string(after) {
			continue
		}
		if err := each([]byte(key), entries[key]); err != nil {
			return err
		}
	}
	return nil
}

// Close implements [engine.Engine]. It does not wait: what is to happen happens now.
func (s *store) Close() error {
	s.closed = true
	for len(s.events) > 0 && !s.dead {
		first := s.events[0]
		for _, e := range s.events {
			if e.at < first.at {
				first = e
			}
		}
		s.happen(first)
	}
	s.dead = true
	return s.stopped
}
