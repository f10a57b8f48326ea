package main

import (
	"context"
	"net/http/httptest"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"go.uber.org/goleak"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// census returns who is in which room at one instant: all rooms stand still for it.
var census = freerun.OpAll("census", func(_ *freerun.Context, rooms []*Room, _ struct{}) (ids []int, _ error) {
	for _, r := range rooms {
		for _, p := range r.players {
			ids = append(ids, p.ID)
		}
	}
	return ids, nil
})

// present returns who is in the world at one instant, in order. An operation asks, so that it may
// ask at any moment of another one.
func present(t *testing.T, w *world) []int {
	ids, err := freerun.Go(w.rt.Context(), func(c *freerun.Context) ([]int, error) {
		return freerun.Forward(c, census.Send(c, w.rooms, struct{}{}))
	}).Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(ids)
	return ids
}

type walking func(c *freerun.Context, w *world, s Step)

// wrong tells under how many of 500 schedules some player is at some instant in two rooms, or in
// none, while rooms tick and players walk through them.
func (walk walking) wrong(t *testing.T) (n int) {
	walks := int64(0)
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		w, random := newWorld(rt, 2), freeruntest.Random(rt)
		w.walk = walk
		all := []int{0, 1, 2, 3}
		for _, id := range all {
			p := Player{ID: id, X: random.Float64(), Y: random.Float64(), VX: 1.2 * (random.Float64() - 0.5), VY: 1.2 * (random.Float64() - 0.5)}
			enter.Tell(rt.Context(), w.rooms[random.IntN(4)], p)
		}
		right := true
		for range 20 {
			tick.Tell(rt.Context().WithPriority(freerun.High), w.rooms[random.IntN(4)], 0)
			if random.IntN(3) == 0 {
				right = slices.Equal(present(t, w), all) && right
			}
		}
		if err := rt.Quiesce(t.Context()); err != nil {
			t.Fatal(err)
		}
		if walks += w.walks.Load(); !right || !slices.Equal(present(t, w), all) {
			n++
		}
	})
	if walks == 0 {
		t.Error("nobody has walked")
	}
	return n
}

// TestWalk holds that at each instant each player is in one room.
func TestWalk(t *testing.T) {
	if n := walking(walkAtOnce).wrong(t); n > 0 {
		t.Errorf("under %d schedules somebody is in two rooms, or in none", n)
	}
}

// arrival is a player on his way in the wrong versions, where a walk is two messages.
type arrival struct {
	Player
	Step
}

var (
	arrive = freerun.Op("arrive", freerun.NoResult(func(_ *freerun.Context, r *Room, a arrival) error {
		r.put(a.Player, a.Step)
		return nil
	}))
	depart = freerun.Op("depart", freerun.NoResult(func(c *freerun.Context, r *Room, s Step) error {
		p, _ := r.take(s.ID)
		return arrive.Tell(c, r.world.rooms[s.To], arrival{p, s})
	}))
	greet = freerun.Op("greet", func(c *freerun.Context, r *Room, s Step) (struct{}, error) {
		p := r.players[slices.IndexFunc(r.players, func(p Player) bool { return p.ID == s.ID })]
		arrive.Tell(c, r.world.rooms[s.To], arrival{p, s})
		return struct{}{}, leave.Tell(c, r.world.rooms[s.From], s.ID)
	})
)

// TestWrongWalks holds that the test finds walks of two messages.
func TestWrongWalks(t *testing.T) {
	for name, op := range map[string]*freerun.Operation[Room, Step, struct{}]{"out, and then in": depart, "both at once": greet} {
		n := walking(func(c *freerun.Context, w *world, s Step) {
			w.walks.Add(1)
			op.Tell(c, w.rooms[s.From], s)
		}).wrong(t)
		if n == 0 {
			t.Errorf("%s: not found", name)
		}
	}
}

// TestClock holds, in virtual time, that each room ticks at its instants, and that a late clock
// leaves out a room that has a tick to run.
func TestClock(t *testing.T) {
	leftOut := int64(0)
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		w := newWorld(rt, 8)
		w.run(freerun.High)
		freerun.After(rt.Context(), 5*groups*step+step/2).Wait(t.Context())
		if n, late := w.late.take(1); n != 5*64 || late[0] != fine || w.leftOut.Load() > 0 {
			t.Errorf("%d ticks, %d left out, the last one late by %v", n, w.leftOut.Load(), late)
		}
		late := newWorld(rt, 8)
		k := freerun.NewUnit(rt, clock{late, late.elapsed() - 10*groups*step, 1})
		if _, err := pulse.Send(rt.Context(), k, struct{}{}).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		rt.Quiesce(t.Context())
		if n, _ := late.late.take(); n+late.leftOut.Load() != 10*64 {
			t.Errorf("a late clock has %d ticks, and %d left out", n, late.leftOut.Load())
		}
		leftOut += late.leftOut.Load()
	})
	if leftOut == 0 {
		t.Error("a late clock leaves nothing out")
	}
}

func TestHistogram(t *testing.T) {
	h := histogram{}
	for i := range 1000 {
		h.add(time.Duration(i) * 10 * time.Microsecond)
	}
	h.add(-1)
	h.add(time.Hour)
	if n, late := h.take(0.5, 1); n != 1002 || late[0] != 5*time.Millisecond || late[1] != 100*time.Millisecond {
		t.Errorf("%d samples, half of them and all late by %v", n, late)
	}
}

// TestPage has a page walk through the world while it ticks, and go away.
func TestPage(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no sockets on WebAssembly")
	}
	w := newWorld(freerun.New(), 10)
	w.fill(200)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.serve(ctx, "127.0.0.1:0") }()
	server := httptest.NewServer(w.handler())
	defer server.Close()

	conn, _, err := websocket.Dial(ctx, server.URL+"/play", nil)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(1 << 20)
	begin, now := next(t, conn), seenText{}
	if err := wsjson.Write(ctx, conn, Player{VX: 0.3}); err != nil {
		t.Fatal(err)
	}
	for now = begin; now.Place == begin.Place; now = next(t, conn) {
		if ids := present(t, w); len(ids) != 201 || ids[200] != begin.ID || len(slices.Compact(ids)) != 201 {
			t.Fatalf("%d are there: %v", len(ids), ids)
		}
	}
	if now.Place/10 != begin.Place/10 || len(now.Rooms) != 81 {
		t.Errorf("who walks to the right is in room %d, and was in %d; he sees %d rooms", now.Place, begin.Place, len(now.Rooms))
	}
	conn.Close(websocket.StatusNormalClosure, "")
	for len(present(t, w)) > 200 { // until the server takes the player out
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// seenText is what a page gets.
type seenText struct {
	ID, Place int
	Rooms     []struct{ Value []Player }
}

// next reads what a page gets next.
func next(t *testing.T, conn *websocket.Conn) (s seenText) {
	if err := wsjson.Read(t.Context(), conn, &s); err != nil {
		t.Fatal(err)
	}
	return s
}
