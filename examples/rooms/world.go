package main

import (
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun"
)

// Rooms tick in groups, one after another, 60 times a second each.
const (
	groups = 16
	step   = time.Second / 60 / groups
)

// world is a square of rooms, without a rim: who leaves it on one side comes back on the other.
type world struct {
	rt     *freerun.Runtime
	began  time.Time
	side   int
	rooms  []*freerun.Unit[Room]
	counts []atomic.Int32 // the players of each room, for the map
	told   []atomic.Bool  // whether a room has a tick that has not run
	walk   func(c *freerun.Context, w *world, s Step)
	late   histogram
	shown  atomic.Pointer[shown] // by pages

	walks, leftOut atomic.Int64
}

func newWorld(rt *freerun.Runtime, side int) *world {
	n := side * side
	w := &world{rt: rt, began: rt.Now(), side: side, counts: make([]atomic.Int32, n), told: make([]atomic.Bool, n), walk: walkAtOnce}
	w.shown.Store(&shown{})
	for i := range n {
		w.rooms = append(w.rooms, freerun.NewUnit(rt, Room{place: i, world: w}))
	}
	return w
}

func walkAtOnce(c *freerun.Context, w *world, s Step) {
	w.walks.Add(1)
	walk.Tell(c, w.rooms[s.From], w.rooms[s.To], s)
}

func (w *world) elapsed() time.Duration { return w.rt.Now().Sub(w.began) }

// beside returns the place of the room dx to the right of a room, and dy below it.
func (w *world) beside(place, dx, dy int) int {
	n := w.side
	wrap := func(i int) int { return (i%n + n) % n }
	return wrap(place/n+dy)*n + wrap(place%n+dx)
}

// fill puts players into the rooms, most of them around the middle, who walk anywhere: up to a room
// in half a second.
func (w *world) fill(players int) {
	about := func() int { return w.side + int(float64(w.side)*min(1, max(-1, 0.16*rand.NormFloat64()))) }
	speed := func() float64 { return (rand.Float64() - 0.5) / 15 }
	for id := range players {
		p := Player{ID: id, X: rand.Float64(), Y: rand.Float64(), VX: speed(), VY: speed()}
		enter.Tell(w.rt.Context(), w.rooms[w.beside(w.middle(), about(), about())], p)
	}
}

func (w *world) middle() int { return (w.side + 1) * (w.side / 2) }

// clock is the state of the unit that has the rooms tick.
type clock struct {
	world *world
	began time.Duration
	next  int // the group that is next, of all that ever are
}

func (k *clock) due() time.Duration { return k.began + time.Duration(k.next)*step }

// pulse tells the rooms of each group that is due. A room whose last tick has not run yet is left
// out: when all processors are busy, the world is slower, and no messages pile up.
var pulse = freerun.Op("pulse", freerun.NoResult(func(c *freerun.Context, k *clock, _ struct{}) error {
	w := k.world
	for now := w.elapsed(); k.due() <= now; k.next++ {
		first, last := k.next%groups*len(w.rooms)/groups, (k.next%groups+1)*len(w.rooms)/groups
		for i := first; i < last; i++ {
			if w.told[i].Swap(true) {
				w.leftOut.Add(1)
				continue
			}
			tick.Tell(c, w.rooms[i], k.due())
		}
	}
	return nil
}))

// run has all rooms tick, with a priority, until the runtime ends.
func (w *world) run(priority freerun.Priority) {
	k := freerun.NewUnit(w.rt, clock{w, w.elapsed(), 1})
	pulse.Every(w.rt.Context().WithPriority(priority), step, k, struct{}{})
}

// histogram counts how late things are, to the fiftieth of a millisecond, up to 100 ms.
type histogram [5000]atomic.Int64

const fine = time.Second / 50_000

func (h *histogram) add(d time.Duration) { h[max(0, min(len(h)-1, int(d/fine)))].Add(1) }

// take returns how many there are since the last take, and how late parts of them were at most.
func (h *histogram) take(parts ...float64) (all int64, late []time.Duration) {
	counts := make([]int64, len(h))
	for i := range h {
		counts[i] = h[i].Swap(0)
		all += counts[i]
	}
	for _, part := range parts {
		sum, i := counts[0], 0
		for ; float64(sum) < part*float64(all); sum += counts[i] {
			i++
		}
		late = append(late, time.Duration(i+1)*fine)
	}
	return all, late
}
