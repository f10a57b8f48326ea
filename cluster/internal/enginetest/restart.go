package enginetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Restart holds a log against its promises while what has the store is ended and started again, as
// restart does it, under load: through a log that stays open, and through one that is closed before
// and opened after. restart returns once it has begun to run again; calls may still fail.
func Restart(t *testing.T, open func(t *testing.T, name string) Opened, restart func()) {
	s := &suite{t: t, open: func() Opened { return open(t, "restart") }}
	s.log = s.open()
	defer func() { s.log.Close() }()
	other := s.open()
	early := s.readAll()
	defer early.stop()
	l := &load{t: t, stop: make(chan struct{}), acknowledged: map[uint64]string{}}
	l.begin("stays", s.log)
	l.begin("closed", other)
	l.waitFor(300)
	other.Close()
	restart()
	l.waitFor(300)
	other = s.open()
	defer func() { other.Close() }()
	l.begin("again", other)
	l.waitFor(300)
	close(l.stop)
	l.ended.Wait()
	s.log.Append(beside, []byte("end"), func(seq uint64, err error) { l.appended(seq, "end", err) })
	l.check(s, early)
}

// reader has read a log up to its entry "end".
type reader struct {
	all  []followed
	end  chan error
	stop func()
}

func (s *suite) readAll() *reader {
	r := &reader{end: make(chan error, 2)}
	r.stop = s.log.Follow(beside, 0, func(seq uint64, entry []byte) {
		r.all = append(r.all, followed{seq, string(entry)})
		if string(entry) == "end" {
			r.end <- nil
		}
	}, func(err error) { r.end <- err })
	return r
}

// load is what many do with a store that may be away: they append to the log of a partition, and
// count in an entry of it.
type load struct {
	t     *testing.T
	stop  chan struct{}
	ended sync.WaitGroup

	mu           sync.Mutex
	acknowledged map[uint64]string
	certain      atomic.Int64 // counts that were acknowledged
	uncertain    atomic.Int64
	fresh        chan struct{} // gets one for each acknowledgment while somebody waits for them
}

// begin begins more of it. It ends with stop, or when the log is closed.
func (l *load) begin(name string, log engine.Log) {
	for i := range 16 {
		l.ended.Go(func() { l.appends(log, fmt.Sprint(name, " ", i)) })
		l.ended.Go(func() { l.counts(log) })
	}
}

func (l *load) isOver(err error) bool {
	select {
	case <-l.stop:
		return true
	default:
		return errors.Is(err, engine.ErrClosed)
	}
}

func (l *load) appends(log engine.Log, name string) {
	done := make(chan error, 1)
	for n := 0; ; n++ {
		entry := fmt.Sprint(name, " ", n)
		log.Append(beside, []byte(entry), func(seq uint64, err error) {
			l.appended(seq, entry, err)
			done <- err
		})
		if l.isOver(wait(l.t, done)) {
			return
		}
	}
}

func (l *load) appended(seq uint64, entry string, err error) {
	if err != nil {
		if !errors.Is(err, engine.ErrUncertain) && !errors.Is(err, engine.ErrClosed) {
			l.t.Errorf("an entry: %v", err)
		}
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if other, there := l.acknowledged[seq]; there {
		l.t.Errorf("%q and %q have the number %d", entry, other, seq)
	}
	l.acknowledged[seq] = entry
	select {
	case l.fresh <- struct{}{}:
	default:
	}
}

func (l *load) counts(log engine.Log) {
	done := make(chan result, 1)
	for {
		log.Read(beside, []byte("n"), func(value []byte, revision uint64, err error) { done <- result{value, revision, err} })
		r := wait(l.t, done)
		if r.err == nil {
			n := number(l.t, r.value) + 1
			log.Swap(beside, []engine.Write{write("n", fmt.Sprint(n))}, r.n, func(_ uint64, err error) { done <- result{err: err} })
			switch r = wait(l.t, done); {
			case r.err == nil:
				l.certain.Add(1)
			case errors.Is(r.err, engine.ErrUncertain), errors.Is(r.err, engine.ErrClosed):
				l.uncertain.Add(1)
			case !errors.Is(r.err, engine.ErrConflict):
				l.t.Errorf("a count: %v", r.err)
			}
		}
		if l.isOver(r.err) {
			return
		}
	}
}

func number(t *testing.T, value []byte) (n int64) {
	if value != nil {
		if _, err := fmt.Sscan(string(value), &n); err != nil {
			t.Error(err)
		}
	}
	return n
}

// waitFor waits for n more acknowledgments.
func (l *load) waitFor(n int) {
	l.t.Helper()
	fresh := make(chan struct{}, n)
	l.mu.Lock()
	l.fresh = fresh
	l.mu.Unlock()
	for range n {
		wait(l.t, fresh)
	}
}

// check holds that what was acknowledged is there, for a follower of before and for one of now, and
// that both find the same; and that the count has all that was certain, and nothing else.
func (l *load) check(s *suite, early *reader) {
	late := s.readAll()
	defer late.stop()
	for _, r := range []*reader{early, late} {
		if err := wait(s.t, r.end); err != nil {
			s.t.Fatalf("a follower is lost: %v", err)
		}
	}
	if !slices.Equal(early.all, late.all) {
		s.t.Errorf("a follower of before has found %d entries, and one of now other %d", len(early.all), len(late.all))
	}
	there, last := map[uint64]string{}, uint64(0)
	for _, f := range late.all {
		if f.seq <= last {
			s.t.Errorf("entry %q has number %d, behind %d", f.entry, f.seq, last)
		}
		last, there[f.seq] = f.seq, f.entry
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for seq, entry := range l.acknowledged {
		if there[seq] != entry {
			s.t.Errorf("entry %d was acknowledged as %q, and is %q", seq, entry, there[seq])
		}
	}
	done := make(chan result, 1)
	s.log.Read(beside, []byte("n"), func(value []byte, revision uint64, err error) { done <- result{value, revision, err} })
	r := wait(s.t, done)
	if r.err != nil {
		s.t.Fatal(r.err)
	}
	if n := number(s.t, r.value); n < l.certain.Load() || n > l.certain.Load()+l.uncertain.Load() {
		s.t.Errorf("the count is %d; %d were certain, and %d uncertain", n, l.certain.Load(), l.uncertain.Load())
	}
	s.t.Logf("%d entries, %d counts, and %d uncertain ones", len(l.acknowledged), l.certain.Load(), l.uncertain.Load())
}
