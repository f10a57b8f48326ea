package main

import (
	"context"
	_ "embed"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"github.com/freerun-go/freerun"
)

//go:embed page.html
var page []byte

func (w *world) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(to http.ResponseWriter, _ *http.Request) { to.Write(page) })
	mux.HandleFunc("GET /play", w.play)
	return mux
}

// seen is what a page gets 20 times a second: the rooms around its player, row by
// row from Reach left of and above Place, and now and then the map.
type seen struct {
	ID, Side, Place, Reach int
	Rooms                  []freerun.Future[[]Player]
	Map                    []byte `json:",omitempty"`
	Shown                  *shown `json:",omitempty"`
}

const reach = 4

// play gives a page a player, whom it steers, until one of them goes away.
func (w *world) play(to http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(to, r, nil)
	if err != nil {
		return
	}
	defer conn.CloseNow()
	me := Player{ID: 1<<30 + rand.IntN(1<<30), X: 0.5, Y: 0.5, at: &atomic.Int32{}}
	if _, err := enter.Call(r.Context(), w.rooms[w.middle()], me); err != nil {
		return
	}
	defer w.remove(me)
	ctx, end := context.WithCancel(r.Context())
	defer end()
	go func() {
		defer end()
		for v := (struct{ VX, VY float64 }{}); wsjson.Read(ctx, conn, &v) == nil; {
			to := Player{ID: me.ID, VX: max(-0.5, min(0.5, v.VX)), VY: max(-0.5, min(0.5, v.VY))}
			steer.Tell(w.rt.Context(), w.where(me), to)
		}
	}()
	for n := 0; ; n++ {
		s, err := w.look(me, n%10 == 0).Wait(ctx)
		if err != nil || wsjson.Write(ctx, conn, s) != nil {
			return
		}
		time.Sleep(time.Second / 20)
	}
}

// look is what a page sees. It is there when all rooms have answered.
func (w *world) look(me Player, whole bool) freerun.Future[seen] {
	return freerun.Go(w.rt.Context(), func(c *freerun.Context) (seen, error) {
		s := seen{ID: me.ID, Side: w.side, Place: int(me.at.Load()), Reach: reach}
		for dy := -reach; dy <= reach; dy++ {
			for dx := -reach; dx <= reach; dx++ {
				s.Rooms = append(s.Rooms, look.Send(c, w.rooms[w.beside(s.Place, dx, dy)], struct{}{}))
			}
		}
		if whole {
			for i := range w.counts {
				s.Map = append(s.Map, byte(min(255, w.counts[i].Load())))
			}
			s.Shown = w.shown.Load()
		}
		return s, nil
	})
}

// where is the room of the player of a page, or that which he has just left.
func (w *world) where(me Player) *freerun.Unit[Room] { return w.rooms[me.at.Load()] }

// remove takes the player of a page out of the world. He may be on his way into another room.
func (w *world) remove(me Player) {
	for gone, err := false, error(nil); !gone && err == nil; {
		gone, err = leave.Call(context.Background(), w.where(me), me.ID)
	}
}
