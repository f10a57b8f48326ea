package clustertest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/logsim"
)

// TestMachinesUnreached holds what a machine that reaches no store tells its senders: what was not
// sent has not run, and will not; what was, may have. The same sent again, with its identity, finds
// out.
func TestMachinesUnreached(t *testing.T) {
	runOnMachine(t, 1, logsim.Faults{}, func(s *machines, m *machine) {
		c := m.rt.Context()
		const first, never, direct = 1, 2, 3
		if _, err := send(c, addBell, first); err != nil { // a session is open
			s.Fatal(err)
		}
		m.rests(5 * time.Second)
		m.Cut(2 * time.Minute)
		again := cluster.Once(c, "again")
		logged := addBell.Send(again, bells.At(c, first), struct{}{})
		unsent := addBell.Send(c, bells.At(c, never), struct{}{})
		beside := addBell.Send(cluster.Direct(c), bells.At(c, direct), struct{}{})
		if _, err := logged.Wait(context.Background()); !errors.Is(err, cluster.ErrUncertain) {
			s.Errorf("a command that was under way: %v", err)
		}
		if _, err := unsent.Wait(context.Background()); !errors.Is(err, cluster.ErrNotRun) || errors.Is(err, cluster.ErrUncertain) {
			s.Errorf("a command that had no session: %v", err)
		}
		if _, err := beside.Wait(context.Background()); !errors.Is(err, cluster.ErrUncertain) && !errors.Is(err, cluster.ErrNotRun) {
			s.Errorf("a command beside the log: %v", err)
		}
		ended := error(nil)
		for _, ended = range cluster.Keys(m.node, bells, "") {
			break
		}
		if !errors.Is(ended, cluster.ErrUncertain) {
			s.Errorf("the keys: %v", ended)
		}
		m.Cut(0)
		m.rests(time.Minute)
		if n, err := addBell.Send(again, bells.At(c, first), struct{}{}).Wait(context.Background()); err != nil || n != 2 {
			s.Errorf("sent again: %d, %v", n, err)
		}
		for key, most := range map[int]int{first: 2, never: 0, direct: 1} {
			b, err := lookBell.Send(c, bells.At(c, key), struct{}{}).Wait(context.Background())
			if err != nil || b.Set > most {
				s.Errorf("bell %d: %+v, %v; want at most %d", key, b, err, most)
			}
		}
	})
}

// parlour is the state of units that hear texts.
type parlour struct{ Heard int }

var (
	parlours = freerun.NewKind("parlour", func(*freerun.Context, int) (parlour, error) { return parlour{}, nil }, cluster.Durable())
	chatter  = freerun.Op("chatter", func(_ *freerun.Context, g *parlour, _ string) (int, error) {
		g.Heard++
		return g.Heard, nil
	})
	whisper = freerun.Op("whisper", func(c *freerun.Context, g *parlour, to int) (int, error) {
		g.Heard++
		return g.Heard, chatter.Tell(c, parlours.At(c, to), "psst")
	})
)

// TestMachinesFullOfLog holds that what was sent beside the log, and needs a place in it, has for
// certain not run if the log takes no more.
func TestMachinesFullOfLog(t *testing.T) {
	runOnMachine(t, 1, logsim.Faults{}, func(s *machines, m *machine) {
		c := m.rt.Context()
		one := parlours.At(c, 1)
		if _, err := chatter.Send(c, one, "").Wait(context.Background()); err != nil {
			s.Fatal(err)
		}
		m.rests(time.Second)
		s.fails = func(_ bool, key string) error {
			if key == "log" {
				return engine.ErrUncertain
			}
			return nil
		}
		for size := 500_000; size > 0; { // so that there is no room for the least
			f := chatter.Send(c, one, strings.Repeat("x", size))
			m.rests(time.Microsecond)
			if _, err := f.Result(); errors.Is(err, freerun.ErrFull) {
				size /= 2
			} else if !errors.Is(err, freerun.ErrWouldBlock) {
				s.Fatal(err)
			}
		}
		_, err := whisper.Send(cluster.Direct(c), one, 2).Wait(context.Background())
		if !errors.Is(err, cluster.ErrNotRun) || !errors.Is(err, freerun.ErrFull) || errors.Is(err, cluster.ErrUncertain) {
			s.Errorf("beside the log: %v", err)
		}
	})
}
