package city

import (
	"fmt"
	"sync/atomic"

	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/programs"
)

// Names of the parameters.
const (
	paramUnits = "units"
	paramStore = "store"
)

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "city",
	Doc:       "houses consume electricity, which a power plant makes from water, and water",
	Source:    "fourth paper, section 6, table 1",
	Operation: "unit consumed",
	Params: []programs.Param{
		{Name: programs.Size, Letter: "n", Doc: "houses", Default: 1000, Quick: 1000, Min: 10, Max: 1_000_000},
		{Name: paramUnits, Letter: "k", Doc: "units of electricity, and of water, that a house consumes", Default: 10, Quick: 10, Min: 1, Max: 1_000_000},
		{Name: paramStore, Letter: "c", Doc: "units of electricity that the power plant can store", Default: 100, Quick: 100, Min: 1, Max: 1_000_000},
	},
	Variants: []programs.Variant{
		{Name: "activities", Kind: programs.Freerun, Doc: "an activity for each house and the plant, and an activity.Mailbox as the store", Run: runActivities},
		{Name: "units", Kind: programs.Freerun, Doc: "a unit for each house and the plant, which tell each other", Run: runUnits},
		{Name: "goroutines", Kind: programs.PlainGo, Doc: "a goroutine for each house and the plant, and a buffered channel as the store", Run: runGoroutines},
	},
	Expected: func(v programs.Values) string {
		return checksum(v.Get(programs.Size)*v.Get(paramUnits), v.Get(paramUnits), v.Get(paramUnits), 0)
	},
}

// city is the demand of the city, and what was consumed.
type city struct {
	units, store int
	homes        []home
	produced     int // units of electricity; owned by the plant
	river        river
}

// home has the consumption of a house. The house's own task writes it.
type home struct{ electricity, water int }

// river is the remaining water, enough for the houses and the plant.
type river struct {
	_    pad.Line
	left atomic.Int64
	_    pad.Line
}

// take takes a unit of water. Any task may call it.
func (r *river) take() { r.left.Add(-1) }

func newCity(v programs.Values) *city {
	c := &city{units: v.Get(paramUnits), store: v.Get(paramStore), homes: make([]home, v.Get(programs.Size))}
	c.river.left.Store(int64(2 * c.total()))
	return c
}

// total is how many units of electricity the houses consume together.
func (c *city) total() int { return len(c.homes) * c.units }

// operations is how many units are consumed.
func (c *city) operations() uint64 { return 2 * uint64(c.total()) }

// produce makes a unit of electricity from one of water. Only the plant's task calls it.
func (c *city) produce() {
	c.river.take()
	c.produced++
}

// consume has a house consume a unit of electricity and one of water.
func (c *city) consume(h *home) {
	h.electricity++
	c.river.take()
	h.water++
}

// checksum formats the electricity produced, the least and the most that a house consumed of either
// kind, and the water left.
func checksum(produced, least, most, left int) string {
	return fmt.Sprintf("%d units produced, %d to %d consumed by each house, %d left in the river", produced, least, most, left)
}

func (c *city) checksum() string {
	least, most := c.homes[0].water, c.homes[0].water
	for _, h := range c.homes {
		least, most = min(least, h.electricity, h.water), max(most, h.electricity, h.water)
	}
	return checksum(c.produced, least, most, int(c.river.left.Load()))
}
