package record

import (
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/freerun-go/freerun/internal/sys/ticks"
)

// Clock is the time of a recording. The zero Clock is that of package ticks.
type Clock struct {
	Ticks func() uint64 // nanoseconds since Start
	Start time.Time
}

// Session is one recording: a tape for each processor, one for all other goroutines, and what the
// tapes share. Any goroutine may call its methods. Make it with [NewSession].
type Session struct {
	Outside Shared // the tape of the goroutines that run no processor

	words  int
	keeps  bool
	clock  Clock
	names  *Names
	header Header

	mutex sync.Mutex
	tapes []*Tape // of the processors, by number; guarded by mutex
}

// NewSession returns a session that begins now, with tapes of that length, one for each processor
// and one for all other goroutines. If it keeps, a full tape drops the oldest events, and
// [Session.Last] writes what is there; otherwise [Session.Drain] writes all.
func NewSession(words int, keeps bool, processors int, clock Clock) *Session {
	s := &Session{words: words, keeps: keeps, clock: clock, names: new(Names)}
	s.Outside.tape = s.newTape()
	s.Tape(processors - 1)
	// All that takes time is made by now: what happens after the start is recorded.
	s.header = Header{Program: filepath.Base(os.Args[0]), Processors: processors}
	if clock.Ticks != nil {
		s.header.Start, s.header.Ticks, s.header.Virtual = clock.Start, clock.Ticks(), true
	} else {
		now := ticks.Take()
		s.header.Start, s.header.Ticks = now.Time, now.Ticks
	}
	return s
}

func (s *Session) newTape() *Tape { return NewTape(s.words, s.keeps, s.clock.Ticks, s.names) }

// Tape returns the tape of processor i, a new one if it has none yet.
func (s *Session) Tape(i int) *Tape {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for len(s.tapes) <= i {
		s.tapes = append(s.tapes, s.newTape())
	}
	return s.tapes[i]
}

// all returns the tapes of the processors.
func (s *Session) all() []*Tape {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.tapes[:len(s.tapes):len(s.tapes)]
}

// trailer returns the end of the recording: how many events each tape lost, and the time.
func (s *Session) trailer() Trailer {
	tapes := s.all()
	t := Trailer{Processors: len(tapes), Lost: []uint64{s.Outside.tape.Lost()}}
	for _, tape := range tapes {
		t.Lost = append(t.Lost, tape.Lost())
	}
	if s.clock.Ticks != nil {
		t.Ticks = s.clock.Ticks()
	} else {
		t.Ticks = ticks.Now()
	}
	return t
}

// Last writes the events that are on the tapes now, of a session that keeps, and returns the first
// error of w. The session goes on meanwhile.
func (s *Session) Last(w io.Writer) error {
	header := s.header
	header.Window = true
	stream := NewStream(w, header, s.names, true)
	stream.Last(0, s.Outside.tape)
	for i, t := range s.all() {
		stream.Last(i+1, t)
	}
	end := s.trailer()
	end.Lost = nil // what was overwritten is not missing
	return stream.End(end)
}

const (
	drainEvery = time.Millisecond
	tellEvery  = time.Second / 4
)

// Drain has a goroutine write the events that come onto the tapes, until stop is called. The
// goroutine calls the function before each look at the tapes. stop returns when all is written,
// with the first error of w. Drain returns an error if w does not take the beginning; then there is
// no goroutine. A session is drained once.
func (s *Session) Drain(w io.Writer, before func()) (stop func() error, err error) {
	stream := NewStream(w, s.header, s.names, false)
	stream.Tell()
	if err := stream.Err(); err != nil {
		return nil, err
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		s.drainUntil(end, stream, before)
	}()
	return func() error {
		close(end)
		<-ended
		s.drain(stream)
		return stream.End(s.trailer())
	}, nil
}

func (s *Session) drainUntil(end <-chan struct{}, stream *Stream, before func()) {
	timer := time.NewTimer(drainEvery)
	defer timer.Stop()
	for told := time.Now(); ; {
		select {
		case <-end:
			return
		case <-timer.C:
		}
		before()
		s.drain(stream)
		if now := time.Now(); now.Sub(told) > tellEvery {
			stream.Tell()
			told = now
		}
		timer.Reset(drainEvery)
	}
}

// drain writes the events that the tapes have now.
func (s *Session) drain(stream *Stream) {
	stream.Drain(0, s.Outside.tape)
	for i, t := range s.all() {
		stream.Drain(i+1, t)
	}
}
