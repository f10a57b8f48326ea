package jet

import (
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// calls are requests under way: each is a message that asks for an answer, whose subject ends with
// the call's number. None waits; what has no answer in time, or by the end of the connection, fails
// with ErrUncertain.
type calls struct {
	nc      *nats.Conn
	outlet  *outlet
	inbox   string
	sub     *nats.Subscription
	timeout time.Duration
	stop    chan struct{}
	ended   chan struct{}

	mu     sync.Mutex
	last   uint64
	open   map[uint64]func(m *nats.Msg, err error)
	order  []due // by time: all calls have the same one
	closed bool
}

// due says when a call fails.
type due struct {
	number uint64
	at     time.Time
}

func newCalls(nc *nats.Conn, outlet *outlet, timeout time.Duration) (*calls, error) {
	c := &calls{
		nc: nc, outlet: outlet, inbox: nc.NewInbox() + ".", timeout: timeout, open: map[uint64]func(*nats.Msg, error){},
		stop: make(chan struct{}), ended: make(chan struct{}),
	}
	sub, err := nc.Subscribe(c.inbox+"*", c.answered)
	if err != nil {
		return nil, err
	}
	// What comes is bounded by what was asked: none of it may be dropped.
	if err := sub.SetPendingLimits(-1, -1); err != nil {
		return nil, err
	}
	c.sub = sub
	go c.expire(nc.StatusChanged(nats.RECONNECTING))
	return c, nil
}

// call sends messages, of which the last one asks for an answer: that of all. done is called once,
// and must not wait.
func (c *calls) call(done func(m *nats.Msg, err error), messages ...*nats.Msg) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		done(nil, engine.ErrClosed)
		return
	}
	c.last++
	number := c.last
	c.open[number] = done
	c.order = append(c.order, due{number, time.Now().Add(c.timeout)})
	messages[len(messages)-1].Reply = c.inbox + strconv.FormatUint(number, 36)
	// Within, so that they leave in the order of the calls.
	c.outlet.put(parcel{messages: messages, failed: func(err error) { c.end(number, nil, err) }})
	c.mu.Unlock()
}

func (c *calls) answered(m *nats.Msg) {
	number, err := strconv.ParseUint(strings.TrimPrefix(m.Subject, c.inbox), 36, 64)
	if err != nil {
		return
	}
	if m.Header.Get("Status") == "503" { // nobody has got it
		c.end(number, nil, errNobody)
		return
	}
	c.end(number, m, nil)
}

// end ends a call, unless it has ended.
func (c *calls) end(number uint64, m *nats.Msg, err error) {
	c.mu.Lock()
	done := c.open[number]
	delete(c.open, number)
	c.mu.Unlock()
	if done != nil {
		done(m, err)
	}
}

// expire fails the calls that have no answer in time, and all when the connection is lost.
func (c *calls) expire(lost chan nats.Status) {
	defer close(c.ended)
	defer c.nc.RemoveStatusListener(lost)
	ticks := time.NewTicker(c.timeout / 8)
	defer ticks.Stop()
	for {
		by := time.Time{}
		select {
		case <-c.stop:
			return
		case by = <-ticks.C:
		case <-lost:
			by = time.Now().Add(c.timeout)
		}
		for _, number := range c.overdue(by) {
			c.end(number, nil, engine.ErrUncertain)
		}
	}
}

// overdue takes the numbers of the calls whose time is over by then.
func (c *calls) overdue(by time.Time) (all []uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for n < len(c.order) && !c.order[n].at.After(by) {
		all = append(all, c.order[n].number)
		n++
	}
	c.order = append(c.order[:0:0], c.order[n:]...)
	return all
}

// close fails what is under way.
func (c *calls) close() {
	c.mu.Lock()
	c.closed = true
	open := c.open
	c.open = map[uint64]func(*nats.Msg, error){}
	c.mu.Unlock()
	close(c.stop)
	<-c.ended
	_ = c.sub.Unsubscribe()
	for _, done := range open {
		done(nil, engine.ErrClosed)
	}
}
