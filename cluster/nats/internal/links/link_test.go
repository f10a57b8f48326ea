package links

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// held is a connection whose writes wait until they are let go.
type held struct {
	net.Conn
	writes  chan []byte   // those that have begun
	goOn    chan struct{} // each value lets one go
	answers chan struct{}
	closed  chan struct{}
	once    sync.Once
}

func newHeld() *held {
	return &held{writes: make(chan []byte), goOn: make(chan struct{}), answers: make(chan struct{}), closed: make(chan struct{})}
}

func (h *held) Write(b []byte) (int, error) {
	for _, wait := range []func() bool{
		func() bool {
			select {
			case h.writes <- b:
				return true
			case <-h.closed:
				return false
			}
		},
		func() bool {
			select {
			case <-h.goOn:
				return true
			case <-h.closed:
				return false
			}
		},
	} {
		if !wait() {
			return 0, net.ErrClosed
		}
	}
	return len(b), nil
}

func (h *held) Read(b []byte) (int, error) {
	select {
	case <-h.answers:
		return 1, nil
	case <-h.closed:
		return 0, io.EOF
	}
}

func (h *held) SetWriteDeadline(time.Time) error { return nil }

func (h *held) Close() error {
	h.once.Do(func() { close(h.closed) })
	return nil
}

// TestLinkAsks holds that the time of a question counts from when it was written, also if the one
// before was answered while a long queue was written.
func TestLinkAsks(t *testing.T) {
	t.Parallel()
	h := newHeld()
	l := newLink(h, func(*link) {})
	defer l.close()
	l.look()
	<-h.writes
	h.answers <- struct{}{}
	eventually(t, "the answer", func() bool { return !l.isAsking() })
	l.look()
	h.goOn <- struct{}{}
	<-h.writes // the second question is about to be written
	l.mu.Lock()
	open := l.question.open
	l.mu.Unlock()
	if open {
		t.Error("a question is open that was not written")
	}
	h.goOn <- struct{}{}
	eventually(t, "the question", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.question.open
	})
}

// TestLinkRests holds that a link which nobody needs ends, and that one does not in which something
// is under way.
func TestLinkRests(t *testing.T) {
	t.Parallel()
	h := newHeld()
	var ended atomic.Int64
	l := newLink(h, func(*link) { ended.Add(1) })
	defer l.close()
	if !l.send([]byte("x")) {
		t.Fatal("nothing is sent")
	}
	if l.rests() {
		t.Error("it ends before it has written what was sent")
	}
	stop := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() { // the other side: it writes, and answers
		for {
			select {
			case b := <-h.writes:
				h.goOn <- struct{}{}
				if b[len(b)-1] != 0 {
					continue
				}
				select {
				case h.answers <- struct{}{}:
				case <-h.closed:
				}
			case <-stop:
				return
			}
		}
	})
	eventually(t, "the end", l.rests)
	if l.send([]byte("x")) {
		t.Error("something is sent after the end")
	}
	l.close()
	close(stop)
	all.Wait()
	if n := ended.Load(); n != 1 {
		t.Errorf("it has ended %d times", n)
	}
}
