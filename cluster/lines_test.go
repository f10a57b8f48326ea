package cluster

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
)

var (
	// mailers tell mailboxes.
	mailers   = freerun.NewKind("mailer", func(*freerun.Context, int) (int, error) { return 0, nil }, Durable())
	mailboxes = freerun.NewKind("mailbox", func(*freerun.Context, int) ([]int, error) { return nil, nil }, Durable())
	posts     = freerun.Op("posts", func(c *freerun.Context, _ *int, id int) (int, error) {
		return 0, arrives.Tell(c, mailboxes.At(c, 0), id)
	})
	arrives = freerun.Op("arrives", func(_ *freerun.Context, all *[]int, id int) (int, error) {
		*all = append(*all, id)
		return 0, nil
	})
	arrived = freerun.ReadOp("arrived", func(_ *freerun.Context, all *[]int, _ struct{}) (string, error) {
		return fmt.Sprint(*all), nil
	})
)

// lagging is a store that holds back what hold says until it is let go, and whose first read of the
// mailbox may fail.
type lagging struct {
	*fickle
	hold    atomic.Pointer[func(writes []engine.Write) bool] // whether a write is held
	held    chan func()
	failing atomic.Bool
	failed  chan struct{}
}

func (l *lagging) open(n *Node) error {
	n.engine = l
	return nil
}

func (l *lagging) Put(writes []engine.Write, done func(error)) {
	if hold := l.hold.Load(); hold != nil && (*hold)(writes) {
		l.held <- func() { l.fickle.Put(writes, done) }
		return
	}
	l.fickle.Put(writes, done)
}

func (l *lagging) Get(key []byte, done func([]byte, error)) {
	if string(key) == "smailbox\x000" && l.failing.Swap(false) {
		done(nil, engine.ErrStateLost)
		close(l.failed)
		return
	}
	l.fickle.Get(key, done)
}

// TestLinesLate holds that a delivery that was tried again takes effect once, also if one with an
// earlier number to its unit is stored meanwhile: numbers are given before writes are made.
func TestLinesLate(t *testing.T) {
	ctx := context.Background()
	l := &lagging{fickle: newFickle(map[string][]byte{}, sound), held: make(chan func(), 4), failed: make(chan struct{})}
	writes := func(kind string) *func(all []engine.Write) bool {
		is := func(all []engine.Write) bool { return string(all[0].Key) == kind }
		return &is
	}
	rt, n := joined(t, l)
	c := rt.Context()
	l.hold.Store(writes("smailer\x001"))
	posts.Send(c, mailers.At(c, 1), 1) // its message has the first number
	early := <-l.held
	l.failing.Store(true)
	l.hold.Store(writes("smailbox\x000"))
	posts.Send(c, mailers.At(c, 2), 2) // its message is stored before, and tried again
	<-l.failed
	late := <-l.held
	l.hold.Store(nil)
	early()
	awaitStats(t, n, "the first is stored", func(s Stats) bool { return s.Deliveries == 2 })
	late()
	awaitStats(t, n, "both have come", func(s Stats) bool { return s.Deliveries <= 0 })
	if err := rt.Quiesce(ctx); err != nil {
		t.Error(err)
	}
	if got, err := arrived.Call(ctx, mailboxes.At(c, 0), struct{}{}); err != nil || got != "[2 1]" {
		t.Errorf("came %s, %v", got, err)
	}
	if s := n.Stats(); s.Deliveries != 0 || s.Waiting != 0 {
		t.Errorf("%+v", s)
	}
	end(t, rt, n)
}
