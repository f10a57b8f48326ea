package clustertest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/logsim"
)

// post is what has come to a unit, each until a deadline.
type post struct{ Came, Late []int }

// letter is to come until a time, in Unix nanoseconds.
type letter struct {
	ID    int
	Until int64
}

var (
	posts = freerun.NewKind("post", func(*freerun.Context, int) (post, error) { return post{}, nil }, cluster.Durable())
	mail  = freerun.Op("mail", func(c *freerun.Context, p *post, x letter) (int, error) {
		p.Came = append(p.Came, x.ID)
		if c.Runtime().Now().UnixNano() > x.Until+int64(mostStepOfMail) {
			p.Late = append(p.Late, x.ID)
		}
		return len(p.Came), nil
	})
	lookAtPost = freerun.ReadOp("lookAtPost", func(_ *freerun.Context, p *post, _ struct{}) (post, error) {
		return post{slices.Clone(p.Came), slices.Clone(p.Late)}, nil
	})
)

// mostStepOfMail may pass between the look at the deadline and that of the operation.
const mostStepOfMail = time.Millisecond

// sharedPosts sends letters that have deadlines.
type sharedPosts struct {
	*machines
	sent []sentLetter
}

type sentLetter struct {
	letter
	told    bool
	outcome freerun.Future[int]
}

func (s *sharedPosts) act(m *machine) {
	if s.random.IntN(4) == 0 {
		m.rests(s.upTo(400 * time.Millisecond))
		return
	}
	s.names++
	at := m.rt.Now().Add(s.upTo([...]time.Duration{5 * time.Millisecond, 100 * time.Millisecond, 3 * time.Second}[s.random.IntN(3)]))
	c := m.rt.Context().WithValue(engine.UntilKey{}, at)
	x := sentLetter{letter: letter{s.names, at.UnixNano()}, told: s.random.IntN(4) == 0}
	u := posts.At(c, s.random.IntN(keys))
	switch {
	case x.told:
		_ = mail.Tell(c, u, x.letter)
	case s.random.IntN(4) == 0:
		x.outcome = mail.Send(cluster.Direct(c), u, x.letter)
	default:
		x.outcome = mail.Send(c, u, x.letter)
	}
	if s.sent = append(s.sent, x); !x.told && s.random.IntN(4) == 0 {
		_, _ = x.outcome.Wait(context.Background())
	}
}

// check holds that what was late has not come, and has come to nobody's state after its time.
func (s *sharedPosts) check(m *machine) {
	came := map[int]int{}
	for key := range keys {
		p, err := lookAtPost.Send(m.rt.Context(), posts.At(m.rt.Context(), key), struct{}{}).Wait(context.Background())
		if err != nil || len(p.Late) > 0 {
			s.Errorf("post %d: %v has begun too late, %v", key, p.Late, err)
		}
		for _, id := range p.Came {
			came[id]++
		}
	}
	for _, x := range s.sent {
		if x.told {
			if came[x.ID] > 1 {
				s.Errorf("letter %d, which was told, has come %d times", x.ID, came[x.ID])
			}
			continue
		}
		_, err := x.outcome.Wait(context.Background())
		switch {
		case err == nil:
			s.sum["came"]++
			if came[x.ID] != 1 {
				s.Errorf("letter %d has come %d times", x.ID, came[x.ID])
			}
		case errors.Is(err, cluster.ErrUncertain), errors.Is(err, cluster.ErrNotRun):
			s.sum["unknown"]++ // at its deadline, or before
			if came[x.ID] > 1 || came[x.ID] > 0 && errors.Is(err, cluster.ErrNotRun) {
				s.Errorf("letter %d has come %d times: %v", x.ID, came[x.ID], err)
			}
		case errors.Is(err, context.DeadlineExceeded):
			s.sum["late"]++
			if came[x.ID] != 0 || !errors.Is(err, freerun.ErrCanceled) {
				s.Errorf("letter %d was late, and has come %d times: %v", x.ID, came[x.ID], err)
			}
		default:
			s.sum["unknown"]++
			if came[x.ID] > 1 {
				s.Errorf("letter %d has come %d times: %v", x.ID, came[x.ID], err)
			}
		}
	}
}

// TestMachinesLate holds that a message does not begin once its deadline has passed, whichever
// machine runs it, and has one outcome all the same.
func TestMachinesLate(t *testing.T) {
	runMachines(t, func(s *machines) machineProgram { return &sharedPosts{machines: s} }, "came", "late", "unknown")
}

// TestMachinesScope holds that a scope that ends by its deadline has its message fail, and that the
// message has no effect later.
func TestMachinesScope(t *testing.T) {
	runOnMachine(t, 1, logsim.Faults{}, func(s *machines, m *machine) {
		c := m.rt.Context()
		if _, err := mail.Send(c, posts.At(c, 1), letter{1, 1 << 62}).Wait(context.Background()); err != nil {
			s.Error(err)
		}
		m.Cut(2 * time.Second)
		at := m.rt.Now().Add(100 * time.Millisecond)
		scope := m.rt.Scope(context.Background())
		f := mail.Send(scope.Context().WithValue(engine.UntilKey{}, at), posts.At(c, 1), letter{2, at.UnixNano()})
		m.rests(200 * time.Millisecond)
		scope.Cancel(context.DeadlineExceeded)
		if _, err := f.Wait(context.Background()); !errors.Is(err, freerun.ErrCanceled) {
			s.Error(err)
		}
		m.rests(20 * time.Second)
		if p, err := lookAtPost.Send(c, posts.At(c, 1), struct{}{}).Wait(context.Background()); len(p.Came) != 1 || err != nil {
			s.Errorf("%+v, %v", p, err)
		}
	})
}
