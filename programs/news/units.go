package news

import (
	"context"
	"sync/atomic"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/programs"
)

// desk is the state of the agency.
type desk struct {
	*agency
	self     *freerun.Unit[desk]
	audience []*freerun.Unit[reader]
	busy     bool // a message is out that some customer has yet to read
	offered  []offer
}

// offer is a message that a reporter wants to publish.
type offer struct{ reporter, i int }

// bulletin is a message on its way to the customers.
type bulletin struct {
	message int
	unread  *atomic.Int64 // customers who have yet to read it
	desk    *freerun.Unit[desk]
	from    offer
}

// The operations send each other, so they get their functions below.
var (
	submit = freerun.Op[desk, offer, struct{}]("submit", nil)    // offers a message to the agency
	read   = freerun.Op[reader, bulletin, struct{}]("read", nil) // has a customer read a message
	// known tells the agency that all customers have read a message.
	known = freerun.Op[desk, offer, struct{}]("known", nil)
)

var _ = freerun.Define(submit, freerun.NoResult(func(c *freerun.Context, d *desk, o offer) error {
	d.offered = append(d.offered, o)
	return d.publish(c)
}))

var _ = freerun.Define(read, freerun.NoResult(func(c *freerun.Context, r *reader, b bulletin) error {
	r.see(b.message)
	if b.unread.Add(-1) > 0 {
		return nil
	}
	return known.Tell(c, b.desk, b.from)
}))

var _ = freerun.Define(known, freerun.NoResult(func(c *freerun.Context, d *desk, o offer) error {
	d.busy = false
	if o.i++; o.i < d.messages { // the reporter has another one
		d.offered = append(d.offered, o)
	}
	return d.publish(c)
}))

// publish publishes the oldest offer if nothing is out.
func (d *desk) publish(c *freerun.Context) error {
	if d.busy || len(d.offered) == 0 {
		return nil
	}
	o := d.offered[0]
	d.offered, d.busy = d.offered[1:], true
	b := bulletin{d.message(o.reporter, o.i), new(atomic.Int64), d.self, o}
	b.unread.Store(int64(len(d.audience)))
	for _, customer := range d.audience {
		if err := read.Tell(c, customer, b); err != nil {
			return err
		}
	}
	return nil
}

// gather returns what a customer has read.
var gather = freerun.Op("gather", func(_ *freerun.Context, r *reader, _ struct{}) (reader, error) { return *r, nil })

// runUnits waits until nothing is left to do. A lost message would be missing in the checksum.
func runUnits(cfg programs.Config) (programs.Result, error) {
	return programs.OnRuntime(cfg, func(rt *freerun.Runtime) (result programs.Result, err error) {
		ctx, g := context.Background(), newAgency(cfg.Values)
		meter := programs.StartMeter()
		d := desk{agency: g, audience: make([]*freerun.Unit[reader], len(g.customers))}
		for i := range d.audience {
			d.audience[i] = freerun.NewUnit(rt, reader{})
		}
		office := freerun.NewUnit(rt, d)
		_, err = freerun.Do(rt.Context(), office, func(c *freerun.Context, d *desk) (struct{}, error) {
			d.self = office
			for reporter := range g.reporters {
				if err := submit.Tell(c, office, offer{reporter: reporter}); err != nil {
					return struct{}{}, err
				}
			}
			return struct{}{}, nil
		}).Wait(ctx)
		if err == nil {
			err = rt.Quiesce(ctx)
		}
		result = meter.Stop(g.operations())
		for i, customer := range d.audience {
			if err != nil {
				break
			}
			g.customers[i], err = gather.Send(rt.Context(), customer, struct{}{}).Wait(ctx)
		}
		result.Checksum = g.checksum()
		return result, err
	})
}
