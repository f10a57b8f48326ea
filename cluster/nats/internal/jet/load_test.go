package jet

import (
	"fmt"
	"sync"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// heard is what a process says while it sends: one of them.
type heard struct {
	Certain string `json:",omitempty"` // a command that was accepted, or has an outcome
	How     string `json:",omitempty"` // which of these
	Wrong   string `json:",omitempty"` // what must not be
	State   string `json:",omitempty"` // ready, quiet, left
}

// load sends commands from a process: logged ones, of which each fifth sends to another unit, and
// direct ones, for which nothing repairs what a missing fence breaks.
type load struct {
	process *process
	say     func(heard)
	pause   time.Duration // between two of one goroutine
	window  int           // logged commands without an outcome
	stop    chan struct{}
	ended   sync.WaitGroup
	open    chan struct{} // has one for each of them
}

// mostDirects are how long a direct command may take, one for each goroutine that sends them. Some
// are still there when a zombie wakes, and others go on meanwhile, at another owner.
var mostDirects = []time.Duration{time.Second, 5 * time.Second, time.Second, 5 * time.Second, time.Second, time.Second}

// startLoad starts to send, unless the window is 0. Names of what is sent begin with the process's.
func startLoad(p *process, pause time.Duration, window int, say func(heard)) *load {
	l := &load{process: p, say: say, pause: pause, stop: make(chan struct{}), open: make(chan struct{}, window), window: window}
	if window == 0 {
		return l
	}
	l.ended.Go(l.logged)
	for i, most := range mostDirects {
		l.ended.Go(func() { l.direct(i, most) })
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

func (l *load) logged() {
	for n := 0; !l.isOver(); n++ {
		select {
		case l.open <- struct{}{}:
		case <-l.process.over:
			return
		}
		id := logged(l.process.name, n)
		body := id
		if sends(n) {
			body += ">" + unitName(n+3)
		}
		l.process.Send(unitName(n), []byte(body), func(err error) {
			if err == nil {
				l.say(heard{Certain: id, How: accepted})
			}
		}, func(value []byte, err error) {
			<-l.open
			switch {
			case err != nil:
				l.say(heard{Wrong: fmt.Sprintf("%s has no outcome: %v", id, err)})
			case string(value) != id:
				l.say(heard{Wrong: fmt.Sprintf("the outcome of %s is %q", id, value)})
			default:
				l.say(heard{Certain: id, How: answered})
			}
		})
	}
}

func (l *load) direct(first int, most time.Duration) {
	done := make(chan struct{}, 1)
	for n := first; !l.isOver(); n += len(mostDirects) {
		id := direct(l.process.name, n)
		l.process.Machine.Request(unitName(n), []byte(id), most, func(value []byte, err error) {
			switch {
			case err == nil && string(value) != id:
				l.say(heard{Wrong: fmt.Sprintf("the outcome of %s is %q", id, value)})
			case err == nil:
				l.say(heard{Certain: id, How: answered})
			}
			done <- struct{}{}
		})
		select {
		case <-done:
		case <-l.process.over:
			return
		}
	}
}

// unfenced is an engine whose writes expect nothing.
type unfenced struct{ *Engine }

func (u unfenced) Swap(p int, writes []engine.Write, _ uint64, done func(revision uint64, err error)) {
	u.store(u.messages(p, writes), done)
}
