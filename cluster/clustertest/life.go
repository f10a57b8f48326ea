package clustertest

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/internal/simhost"
)

// life is one process of the program: a runtime that has joined the disk.
type life struct {
	sim     *Sim
	number  int
	rt      *freerun.Runtime
	node    *cluster.Node
	world   *world
	store   *store
	crashed bool
}

// lives has the lives that have not ended, for Crash.
var lives sync.Map // *freerun.Runtime → *life

const mostProcessors = 4

// begin begins the next life.
func (s *Sim) begin() *life {
	s.mayBegin()
	s.number++
	random := rand.New(rand.NewPCG(s.seed, 0x11fe+uint64(s.number)))
	processors := 1 + random.IntN(mostProcessors)
	l := &life{sim: s, number: s.number}
	s.life = l
	l.world = newWorld(l, random, processors, s.now)
	l.store = &store{life: l, disk: s.disk}
	s.disk.conduct.reopens(s.disk)
	options := []freerun.Option{freerun.Processors(processors), freerun.Logger(slog.New(slog.DiscardHandler))}
	options = append(options, s.runtime...)
	l.rt = freerun.New(append(options, simhost.Option[freerun.Option](l.world))...)
	lives.Store(l.rt, l)
	var err error
	l.node, err = cluster.Join(l.rt, engine.Store[cluster.Store](func() (engine.Engine, error) { return l.store, nil }))
	if err != nil {
		l.drop()
		s.Fatalf("life %d: %v", l.number, err)
	}
	return l
}

// crash ends the process in the middle.
func (l *life) crash() {
	if l.crashed {
		return
	}
	l.crashed = true
	l.store.crash()
	l.world.crash()
}

// drop ends a life that has crashed, or is not needed any more.
func (l *life) drop() {
	lives.Delete(l.rt)
	if !l.store.dead {
		l.crash()
	}
	_ = l.rt.Close()
	if l.node != nil {
		_ = l.node.Close()
	}
	l.ended()
}

// ended notes when the next life begins.
func (l *life) ended() {
	s := l.sim
	s.now = l.world.now + time.Second
	s.steps += l.world.steps
	if of, random, does := s.decide(clockJump); does {
		d := upTo(random, mostJump)
		s.note(of, "the clock jumps ahead by %v before the next life", d)
		s.now += d
	}
	s.life = nil
	if l.world.refused != nil {
		s.Errorf("life %d: %v", l.number, l.world.refused)
	}
}

// finish ends a life whose function has returned.
func (l *life) finish() {
	if of, _, does := l.sim.decide(kill); does && !l.crashed {
		l.sim.note(of, "the process is killed at the end of its function")
		l.crash()
	}
	if l.crashed {
		l.drop()
		return
	}
	err := l.rt.Shutdown(context.Background())
	if l.crashed {
		l.drop()
		return
	}
	lives.Delete(l.rt)
	closed := l.node.Close()
	if err != nil {
		l.sim.Errorf("life %d: Shutdown: %v", l.number, err)
	}
	if closed != nil && !errors.Is(closed, cluster.ErrStopped) {
		l.sim.Errorf("life %d: Close of the node: %v", l.number, closed)
	}
	l.ended()
}

// Crash ends the process of a simulated runtime now, as os.Exit does or a kill: the operation that
// calls it goes on, and what it sends is refused. It does nothing for other runtimes. Operations
// may call it.
func Crash(rt *freerun.Runtime) {
	if l, is := lives.Load(rt); is {
		l.(*life).crash()
	}
}
