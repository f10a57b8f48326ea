package jet

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// outlet publishes messages in the order in which it is given them, on a goroutine of its own: to
// publish waits while the network takes nothing, and nobody who calls the engine may.
type outlet struct {
	names
	nc     *nats.Conn
	oldest time.Duration // of a message that is published

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

// take takes all that waits; none: the goroutine is to end.
func (o *outlet) take() []parcel {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := o.queue
	o.queue = nil
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
	var packs packs
	for all := o.take(); len(all) > 0; all = o.take() {
		for _, p := range all {
			switch {
			case time.Since(p.at) >= o.oldest:
			case !p.bus:
				p.leave(o.nc)
			default:
				if full := packs.add(p.to, p.message); full != nil {
					o.leave(full)
				}
			}
		}
		for i := range packs.all {
			o.leave(&packs.all[i])
		}
		packs.all = packs.all[:0]
	}
}

// leave publishes a pack. One that does not leave is lost.
func (o *outlet) leave(p *pack) { _ = o.nc.Publish(o.names.bus(p.to), p.data) }

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
