package jet

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// outlet publishes messages on a goroutine of its own: to publish waits while the network takes
// nothing, and nobody who calls the engine may. Those of the bus leave in their order, and so do
// all others; of what waits together the others come first.
type outlet struct {
	names
	nc     *nats.Conn
	oldest time.Duration // of a message that is published

	packs packs // of the goroutine

	mu      sync.Mutex
	queue   []parcel
	running bool // the goroutine is there: it ends with the queue
}

// parcel holds messages that leave together.
type parcel struct {
	at time.Time
	// A message of the bus, to a machine, or to all.
	bus     bool
	to      string
	message []byte
	// Others.
	messages []*nats.Msg
	failed   func(err error) // called if not all of them have left
}

// put has messages leave, unless the network takes none for so long that they are too old then:
// those are dropped.
func (o *outlet) put(p parcel) {
	p.at = time.Now()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue = append(o.queue, p)
	if !o.running {
		o.running = true
		go o.run()
	}
}

// take takes all that waits; none: the goroutine is to end. What it has taken before is used again.
func (o *outlet) take(before []parcel) []parcel {
	clear(before)
	o.mu.Lock()
	defer o.mu.Unlock()
	all := o.queue
	o.queue = before[:0]
	o.running = len(all) > 0
	return all
}

// flush waits until all has left that was put before, and the servers have it; not for longer than
// most.
func (o *outlet) flush(most time.Duration) {
	until := time.Now().Add(most)
	for time.Now().Before(until) {
		o.mu.Lock()
		idle := !o.running
		o.mu.Unlock()
		if idle {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if left := time.Until(until); left > 0 && o.nc.IsConnected() {
		_ = o.nc.FlushTimeout(left) // what has not left then is lost, as with a process that ends
	}
}

func (o *outlet) run() {
	var full []*pack // those with something
	for all := o.take(nil); len(all) > 0; all = o.take(all) {
		for _, p := range all {
			switch {
			case time.Since(p.at) >= o.oldest:
			case !p.bus:
				p.leave(o.nc)
			default:
				at := o.packs.of(p.to, o.names)
				if !at.hasRoomFor(p.message) {
					o.leave(at)
				}
				if len(at.data) == 0 {
					full = append(full, at)
				}
				at.data = appendPacked(at.data, p.message)
			}
		}
		for _, p := range full {
			o.leave(p)
		}
		full = full[:0]
	}
}

// leave publishes what is in a pack. What does not leave is lost.
func (o *outlet) leave(p *pack) {
	if len(p.data) > 0 {
		_ = o.nc.Publish(p.subject, p.data)
		p.data = p.data[:0]
	}
}

func (p parcel) leave(nc *nats.Conn) {
	for _, m := range p.messages {
		if err := nc.PublishMsg(m); err != nil {
			p.failed(fmt.Errorf("%w: %w", whyNot(err), err))
			return
		}
	}
}

// whyNot returns the sort of error with which a message has not left.
func whyNot(err error) error {
	if errors.Is(err, nats.ErrMaxPayload) {
		return engine.ErrTooLarge
	}
	return engine.ErrUncertain
}
