package main

import (
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun"
)

// Player is one of a room. A room is a square of side 1.
type Player struct {
	ID      int
	X, Y    float64
	VX, VY  float64       // for each tick, and below 1
	leaving bool          // has told walk that it is past a wall, and stands still
	at      *atomic.Int32 // where a page looks for its player; nil if no page has him
}

// Room is the state of a unit.
type Room struct {
	place   int
	world   *world
	players []Player
}

// Step is a walk of a player from a room into another one.
type Step struct{ ID, From, To, DX, DY int }

// tick moves the players of a room. It is to run at due, the time since the beginning.
var tick = freerun.Op("tick", freerun.NoResult(func(c *freerun.Context, r *Room, due time.Duration) error {
	w := r.world
	for i := range r.players {
		p := &r.players[i]
		if p.leaving {
			continue
		}
		p.X, p.Y = p.X+p.VX, p.Y+p.VY
		if dx, dy := int(math.Floor(p.X)), int(math.Floor(p.Y)); dx != 0 || dy != 0 {
			p.leaving = true
			w.walk(c.WithPriority(freerun.Normal), w, Step{p.ID, r.place, w.beside(r.place, dx, dy), dx, dy})
		}
	}
	w.told[r.place].Store(false)
	w.late.add(w.elapsed() - due)
	return nil
}))

// walk is one operation on two rooms: at no instant is the player in both, or in none.
var walk = freerun.Op2("walk", func(_ *freerun.Context, from, to *Room, s Step) (struct{}, error) {
	if p, ok := from.take(s.ID); ok {
		to.put(p, s)
	}
	return struct{}{}, nil
})

func (r *Room) index(id int) int {
	return slices.IndexFunc(r.players, func(p Player) bool { return p.ID == id })
}

func (r *Room) take(id int) (p Player, ok bool) {
	i := r.index(id)
	if i < 0 {
		return p, false
	}
	p = r.players[i]
	r.players = slices.Delete(r.players, i, i+1)
	r.count()
	return p, true
}

func (r *Room) put(p Player, s Step) {
	p.X, p.Y, p.leaving = p.X-float64(s.DX), p.Y-float64(s.DY), false
	r.players = append(r.players, p)
	if r.count(); p.at != nil {
		p.at.Store(int32(r.place))
	}
}

// count has the map show how many players the room has.
func (r *Room) count() { r.world.counts[r.place].Store(int32(len(r.players))) }

// What pages do. A player that has walked on meanwhile is not there.
var (
	enter = freerun.Op("enter", freerun.NoResult(func(_ *freerun.Context, r *Room, p Player) error {
		r.put(p, Step{})
		return nil
	}))
	leave = freerun.Op("leave", func(_ *freerun.Context, r *Room, id int) (bool, error) {
		_, ok := r.take(id)
		return ok, nil
	})
	steer = freerun.Op("steer", freerun.NoResult(func(_ *freerun.Context, r *Room, to Player) error {
		if i := r.index(to.ID); i >= 0 {
			r.players[i].VX, r.players[i].VY = to.VX, to.VY
		}
		return nil
	}))
	look = freerun.ReadOp("look", func(_ *freerun.Context, r *Room, _ struct{}) ([]Player, error) {
		return slices.Clone(r.players), nil
	})
)
