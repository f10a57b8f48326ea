package jet

import (
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Sketch:     an entry that was stored is published again, with the number of the entry before it
//             in its log. So who has that one knows that nothing is missing
//             if it is not the one that was read last, entries were lost on the way, or trimmed:
//             what is stored is read from there on, and then up to where the log is trimmed
// Invariants: F1 An entry is handed on if nothing between it and the one before was trimmed: what
//             is read was there when it was read, and the log was not trimmed beyond the beginning
//             when that was looked up later.
//             F2 It was so when it was looked up, and not before: a leader that was cut off, and
//             does not know yet that there is another one, may tell what was. It cannot write; so
//             what it tells counts once it was written again.
// Why:        a consumer of JetStream with a filter jumps over what was removed, and says nothing

// followers are those of one process.
type followers struct {
	mu     sync.Mutex
	all    map[*follower]bool
	closed bool
}

// follower reads one log.
type follower struct {
	engine *Engine
	p      int
	last   uint64
	known  uint64 // the last one that was published; the server that was asked may not have it
	each   func(seq uint64, entry []byte)
	lost   func(err error)
	live   chan *nats.Msg
	stop   chan struct{}
	once   sync.Once
	ended  chan struct{}
}

const (
	liveRoom  = 8192            // entries on their way; what comes behind is read
	mostBatch = 512             // entries that are read at once
	lookAgain = 2 * time.Second // how often it looks whether the last entry was lost
	lookSoon  = 20 * time.Millisecond
)

// Follow implements [engine.Log].
func (e *Engine) Follow(p int, after uint64, each func(seq uint64, entry []byte), lost func(err error)) (stop func()) {
	e.losses.streams[e.logsOf(p)].hear(after)
	f := &follower{
		engine: e, p: p, last: after, each: each, lost: lost,
		live: make(chan *nats.Msg, liveRoom), stop: make(chan struct{}), ended: make(chan struct{}),
	}
	if !e.followers.add(f) {
		close(f.ended)
		go lost(engine.ErrClosed)
		return func() {}
	}
	go f.run()
	return f.end
}

func (s *followers) add(f *follower) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	if s.all == nil {
		s.all = map[*follower]bool{}
	}
	s.all[f] = true
	return true
}

func (s *followers) remove(f *follower) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, f)
}

// close ends all followers, and waits for them.
func (s *followers) close() {
	s.mu.Lock()
	s.closed = true
	all := s.all
	s.all = nil
	s.mu.Unlock()
	for f := range all {
		f.end()
	}
	for f := range all {
		<-f.ended
	}
}

func (f *follower) end() { f.once.Do(func() { close(f.stop) }) }

func (f *follower) isStopped() bool {
	select {
	case <-f.stop:
		return true
	default:
		return false
	}
}

// run reads until the follower is stopped, or lost.
func (f *follower) run() {
	defer close(f.ended)
	defer f.engine.followers.remove(f)
	sub, err := f.engine.nc.ChanSubscribe(f.engine.live(f.p), f.live)
	if err != nil {
		f.lost(err)
		return
	}
	defer sub.Unsubscribe()
	if err := f.read(); err != nil {
		f.fails(err)
		return
	}
	pause := lookAgain
	look := time.NewTimer(pause)
	defer look.Stop()
	for {
		err := error(nil)
		select {
		case <-f.stop:
			return
		case m := <-f.live:
			err = f.published(m)
			if f.last < f.known && pause == lookAgain {
				pause = lookSoon
				look.Reset(pause)
			}
		case <-look.C:
			err = f.read()
			if pause = min(2*pause, lookAgain); f.last >= f.known {
				pause = lookAgain
			}
			look.Reset(pause)
		}
		if err != nil {
			f.fails(err)
			return
		}
	}
}

func (f *follower) fails(err error) {
	if !f.isStopped() {
		f.lost(err)
	}
}

// published takes an entry that was published again.
func (f *follower) published(m *nats.Msg) error {
	seq, err := strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64)
	before, err2 := strconv.ParseUint(m.Header.Get("Nats-Last-Sequence"), 10, 64)
	switch {
	case err != nil || err2 != nil || seq <= f.last:
		return nil
	case before != f.last:
		f.known = seq
		return f.read()
	}
	f.hand(seq, m.Data)
	return nil
}

func (f *follower) hand(seq uint64, entry []byte) {
	f.last = seq
	f.engine.losses.streams[f.engine.logsOf(f.p)].hear(seq)
	if !f.isStopped() {
		f.each(seq, entry)
	}
}

// stored is an entry that was read.
type stored struct {
	seq   uint64
	entry []byte
}

// read hands on what is stored behind the last entry.
func (f *follower) read() error {
	for !f.isStopped() {
		all, err := f.fetch()
		through := uint64(0)
		if err == nil {
			through, err = f.trimmed(len(all) > 0)
		}
		switch {
		case errors.Is(err, engine.ErrUncertain), errors.Is(err, engine.ErrConflict):
			select {
			case <-f.stop:
			case <-time.After(mostCall / 8):
			}
			continue
		case err != nil:
			return err
		case through > f.last:
			return engine.ErrTrimmed
		}
		for _, s := range all {
			f.hand(s.seq, s.entry)
		}
		if len(all) < mostBatch {
			return nil
		}
	}
	return nil
}

// trimmed returns up to where the log is trimmed: now, if it is to be sure (F2).
func (f *follower) trimmed(sure bool) (through uint64, err error) {
	e, done := f.engine, make(chan struct{})
	e.read(f.p, e.trimmed(f.p), func(value []byte, revision uint64, why error) {
		if through, err = decodeTrimmed(value); why != nil {
			err = why
		}
		if err != nil || !sure || !e.replicated {
			close(done)
			return
		}
		e.mark(f.p, through, revision, func(why error) {
			err = why
			close(done)
		})
	})
	<-done
	return through, err
}

// fetch reads a batch.
func (f *follower) fetch() (all []stored, err error) {
	ask, err := json.Marshal(map[string]any{"seq": f.last + 1, "next_by_subj": f.engine.in(f.p), "batch": mostBatch})
	if err != nil {
		panic(err)
	}
	inbox := f.engine.nc.NewInbox()
	answers := make(chan *nats.Msg, mostBatch+1)
	sub, err := f.engine.nc.ChanSubscribe(inbox, answers)
	if err != nil {
		return nil, err
	}
	defer sub.Unsubscribe()
	if err := f.engine.nc.PublishRequest("$JS.API.DIRECT.GET."+f.engine.logsOf(f.p), inbox, ask); err != nil {
		return nil, err
	}
	limit := time.NewTimer(mostCall)
	defer limit.Stop()
	for {
		select {
		case <-f.stop:
			return nil, nil
		case <-limit.C:
			return nil, engine.ErrUncertain
		case m := <-answers:
			switch m.Header.Get("Status") {
			case "204", "404": // the end, and none
				return all, nil
			case "503": // no server has the stream now
				f.engine.look()
				return nil, engine.ErrUncertain
			case "":
			default:
				return nil, engine.ErrUncertain
			}
			seq, err := strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64)
			if err != nil {
				return nil, engine.ErrUncertain
			}
			all = append(all, stored{seq, m.Data})
		}
	}
}
