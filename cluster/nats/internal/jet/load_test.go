package jet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// heard is what a process says while it sends: one of them.
type heard struct {
	Certain string `json:",omitempty"` // a command that has an outcome
	Not     string `json:",omitempty"` // one that has no effect, and will have none
	Unknown string `json:",omitempty"` // a logged one that had no outcome in time
	Wrong   string `json:",omitempty"` // what must not be
	State   string `json:",omitempty"` // ready, quiet, left, lost
}

// load sends commands from a process: logged ones, of which some tell or ask another unit, or are
// on two units; direct ones, for which nothing repairs what a missing fence breaks; some of these
// by way of units that are not durable; and reads.
type load struct {
	process *process
	say     func(heard)
	pause   time.Duration // between two of one goroutine
	window  int           // logged commands without an outcome
	stop    chan struct{}
	ended   sync.WaitGroup
	open    chan struct{} // has one for each of them
}

// mostDirects are how long a direct command is waited for, one for each goroutine that sends them.
// Some are still there when a zombie wakes, and others go on meanwhile, at another owner.
var mostDirects = []time.Duration{time.Second, 5 * time.Second, time.Second, 5 * time.Second, time.Second, time.Second}

// mostCarried is mostDirects for what units that are not durable carry to the others.
var mostCarried = []time.Duration{time.Second, 5 * time.Second, time.Second}

// startLoad starts to send, unless the window is 0. Names of what is sent begin with the process's.
func startLoad(p *process, pause time.Duration, window int, say func(heard)) *load {
	l := &load{process: p, say: say, pause: pause, stop: make(chan struct{}), open: make(chan struct{}, window), window: window}
	if window == 0 {
		return l
	}
	l.ended.Go(l.logged)
	l.ended.Go(l.read)
	for i, most := range mostDirects {
		l.ended.Go(func() { l.direct(i, most) })
	}
	for i, most := range mostCarried {
		l.ended.Go(func() { l.carried(i, most) })
	}
	return l
}

// end sends no more, and waits until all has its outcome, or the process is killed.
func (l *load) end() {
	close(l.stop)
	l.ended.Wait()
	for range l.window {
		select {
		case l.open <- struct{}{}:
		case <-l.process.over:
			return
		}
	}
}

// isOver waits, and reports whether no more is to be sent.
func (l *load) isOver() bool {
	select {
	case <-l.stop:
		return true
	case <-l.process.over:
		return true
	case <-time.After(l.pause):
		return false
	}
}

// isKilled reports whether the process was killed: then outcomes say nothing.
func (l *load) isKilled() bool {
	select {
	case <-l.process.over:
		return true
	default:
		return false
	}
}

// at returns a unit.
func (l *load) at(n int) *freerun.Unit[ledger] {
	return ledgers.At(l.process.rt.Context(), unitName(n))
}

func (l *load) logged() {
	c := l.process.rt.Context()
	for n := 0; !l.isOver(); n++ {
		select {
		case l.open <- struct{}{}:
		case <-l.process.over:
			return
		}
		e := entry{ID: logged(l.process.name, n)}
		if tells(n) {
			e.Tells = unitName(n + 3)
		}
		if asks(n) {
			e.Asks = unitName(n + 5)
		}
		f := freerun.Future[string]{}
		if isOnBoth(n) {
			f = both.Send(c, l.at(n), l.at(otherOf(n)), e.ID)
		} else {
			f = note.Send(c, l.at(n), e)
		}
		go func() {
			outcome, err := f.Wait(context.Background())
			<-l.open
			switch {
			case l.isKilled():
			case errors.Is(err, cluster.ErrUncertain): // these machines are slow now and then
				l.say(heard{Unknown: e.ID})
			case errors.Is(err, cluster.ErrNoSpace):
				l.say(heard{Not: e.ID})
			case err != nil:
				l.say(heard{Wrong: fmt.Sprintf("%s has no outcome: %v", e.ID, err)})
			case outcome != e.ID:
				l.say(heard{Wrong: fmt.Sprintf("the outcome of %s is %q", e.ID, outcome)})
			default:
				l.say(heard{Certain: e.ID})
			}
		}()
	}
}

func (l *load) direct(first int, most time.Duration) {
	c := cluster.Direct(l.process.rt.Context())
	for n := first; !l.isOver(); n += len(mostDirects) {
		id := direct(l.process.name, n)
		l.unlogged(id, note.Send(c, l.at(n), entry{ID: id}), most)
	}
}

// carried has units that are not durable, on any machine, send direct commands.
func (l *load) carried(first int, most time.Duration) {
	c := l.process.rt.Context()
	for n := first; !l.isOver(); n += len(mostCarried) {
		id := carried(l.process.name, n)
		l.unlogged(id, carry.Send(c, porters.At(c, n%units), parcelOf{id, unitName(n)}), most)
	}
}

// unlogged waits for the outcome of what is beside the log.
func (l *load) unlogged(id string, f freerun.Future[string], most time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	switch outcome, err := f.Wait(ctx); {
	case l.isKilled():
	case err == nil && outcome != id:
		l.say(heard{Wrong: fmt.Sprintf("the outcome of %s is %q", id, outcome)})
	case err == nil:
		l.say(heard{Certain: id})
	case errors.Is(err, cluster.ErrNotRun), errors.Is(err, cluster.ErrNoSpace):
		l.say(heard{Not: id})
	case !errors.Is(err, cluster.ErrUncertain) && !errors.Is(err, context.DeadlineExceeded):
		l.say(heard{Wrong: fmt.Sprintf("%s: %v", id, err)})
	}
}

// read reads units: it never has an outcome of the process that is not there.
func (l *load) read() {
	c := l.process.rt.Context()
	for n := 0; !l.isOver(); n++ {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		have, err := peek.Send(c, l.at(n), struct{}{}).Wait(ctx)
		cancel()
		if err == nil && slices.Contains(have, "") {
			l.say(heard{Wrong: fmt.Sprintf("a read of unit %d has seen %q", n, have)})
		}
	}
}
