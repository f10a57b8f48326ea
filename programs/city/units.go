package city

import (
	"context"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/programs"
)

// house is the state of a unit.
type house struct {
	*home
	city  *city
	self  *freerun.Unit[house]
	plant *freerun.Unit[plant]
}

// plant is the state of the power plant. It makes one unit of electricity for each message to
// itself, as the plant that is a task does for each turn of its loop, and rests while its store is
// full or all is made.
type plant struct {
	city    *city
	self    *freerun.Unit[plant]
	stored  int
	resting bool
	orders  []*freerun.Unit[house] // houses that wait for electricity, oldest first
}

// The operations send each other, so they get their functions below.
var (
	// begin tells a house its unit, and that it may order.
	begin = freerun.Op[house, *freerun.Unit[house], struct{}]("begin", nil)
	// deliver brings a unit of electricity to a house.
	deliver = freerun.Op[house, struct{}, struct{}]("deliver", nil)
	// order asks the plant for a unit of electricity.
	order = freerun.Op[plant, *freerun.Unit[house], struct{}]("order", nil)
	// produce tells the plant its unit, and makes it produce one unit of electricity.
	produce = freerun.Op[plant, *freerun.Unit[plant], struct{}]("produce", nil)
)

var _ = freerun.Define(begin, freerun.NoResult(func(c *freerun.Context, h *house, self *freerun.Unit[house]) error {
	h.self = self
	return order.Tell(c, h.plant, self)
}))

var _ = freerun.Define(deliver, freerun.NoResult(func(c *freerun.Context, h *house, _ struct{}) error {
	h.city.consume(h.home)
	if h.water == h.city.units {
		return nil
	}
	return order.Tell(c, h.plant, h.self)
}))

var _ = freerun.Define(order, freerun.NoResult(func(c *freerun.Context, p *plant, from *freerun.Unit[house]) error {
	if p.stored == 0 {
		p.orders = append(p.orders, from)
		return nil
	}
	p.stored--
	if err := deliver.Tell(c, from, struct{}{}); err != nil || !p.resting {
		return err
	}
	return p.goOn(c)
}))

var _ = freerun.Define(produce, freerun.NoResult(func(c *freerun.Context, p *plant, self *freerun.Unit[plant]) error {
	p.self = self
	p.city.produce()
	if len(p.orders) == 0 {
		p.stored++
		return p.goOn(c)
	}
	to := p.orders[0]
	p.orders = p.orders[1:]
	if err := deliver.Tell(c, to, struct{}{}); err != nil {
		return err
	}
	return p.goOn(c)
}))

// goOn has the plant produce the next unit, behind the messages that it has by then, or rest.
func (p *plant) goOn(c *freerun.Context) error {
	p.resting = p.stored == p.city.store || p.city.produced == p.city.total()
	if p.resting {
		return nil
	}
	return produce.Tell(c, p.self, p.self)
}

// runUnits waits until nothing is left to do. A lost message would be missing in the checksum.
func runUnits(cfg programs.Config) (programs.Result, error) {
	return programs.OnRuntime(cfg, func(rt *freerun.Runtime) (result programs.Result, err error) {
		town := newCity(cfg.Values)
		meter := programs.StartMeter()
		works := freerun.NewUnit(rt, plant{city: town})
		_, err = freerun.Go(rt.Context(), func(c *freerun.Context) (struct{}, error) {
			err := produce.Tell(c, works, works)
			for i := range town.homes {
				h := freerun.NewUnit(rt, house{home: &town.homes[i], city: town, plant: works})
				if telling := begin.Tell(c, h, h); err == nil {
					err = telling
				}
			}
			return struct{}{}, err
		}).Wait(context.Background())
		if err == nil {
			err = rt.Quiesce(context.Background())
		}
		result = meter.Stop(town.operations())
		result.Checksum = town.checksum()
		return result, err
	})
}
