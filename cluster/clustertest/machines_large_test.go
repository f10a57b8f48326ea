package clustertest

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// chest is a unit with a state, results, and messages that may be too large.
type chest struct {
	Ran                  []int
	Sent, Came, Answered map[int]int // step → how often
	Pad                  string
}

// cargo is what a chest is sent. Its numbers are bytes, but for ID, To and Count.
type cargo struct {
	ID, To, Count                           int
	Pad, Result, Text, Told, ToPad, ToReply int
	Asks                                    bool
	Filler                                  string
}

// crate is what a chest tells another one.
type crate struct {
	ID, Pad, Reply int
	Filler         string
}

func newChest(*freerun.Context, int) (chest, error) {
	return chest{Sent: map[int]int{}, Came: map[int]int{}, Answered: map[int]int{}}, nil
}

var (
	chests = freerun.NewKind("chest", newChest, cluster.Durable())
	stow   = freerun.Op("stow", func(c *freerun.Context, s *chest, x cargo) (string, error) {
		s.Ran = append(s.Ran, x.ID)
		s.Pad = strings.Repeat("p", x.Pad)
		for range x.Count {
			to, what := chests.At(c, x.To), crate{x.ID, x.ToPad, x.ToReply, strings.Repeat("f", x.Told)}
			err := error(nil)
			if x.Asks {
				err = cluster.Ask(c, unpack, to, what, unpacked)
			} else {
				err = unpack.Tell(c, to, what)
			}
			if err == nil {
				s.Sent[x.ID]++
			} else if !errors.Is(err, cluster.ErrTooLarge) {
				return "", err
			}
		}
		if x.Text > 0 {
			return "", errors.New(strings.Repeat("e", x.Text))
		}
		return strings.Repeat("r", x.Result), nil
	})
	unpack = freerun.Op("unpack", func(_ *freerun.Context, s *chest, x crate) (string, error) {
		s.Came[x.ID]++
		if x.Pad > 0 {
			s.Pad = strings.Repeat("p", x.Pad)
		}
		return strings.Repeat("r", x.Reply), nil
	})
	unpacked = freerun.Op("unpacked", func(_ *freerun.Context, s *chest, a cluster.Answer[crate, string]) (int, error) {
		s.Answered[a.Arg.ID]++
		return 0, nil
	})
	lookInto = freerun.ReadOp("lookInto", func(_ *freerun.Context, s *chest, _ struct{}) (chest, error) { return *s, nil })
)

// sharedChests sends cargo.
type sharedChests struct {
	*machines
	sent []sentCargo
}

type sentCargo struct {
	cargo
	outcome freerun.Future[string]
}

// act sends something, which may be too large.
func (s *sharedChests) act(m *machine) {
	bytes := func() int { return [...]int{0, 0, 10, 300, 3000, 6000, 9000, 17000}[s.random.IntN(8)] }
	c := m.rt.Context()
	if s.random.IntN(6) == 0 {
		m.rests(s.upTo(400 * time.Millisecond))
		return
	}
	s.names++
	x := cargo{
		ID: s.names, To: s.random.IntN(keys), Pad: bytes(), Result: bytes(), Told: bytes(), ToPad: bytes(), ToReply: bytes(),
		Asks: s.random.IntN(2) == 0, Count: s.random.IntN(4),
	}
	if s.random.IntN(6) == 0 {
		x.Text = bytes()
	}
	if s.random.IntN(6) == 0 {
		x.Filler = strings.Repeat("a", bytes())
	}
	if s.random.IntN(4) == 0 {
		c = cluster.Direct(c)
	}
	f := stow.Send(c, chests.At(c, s.random.IntN(keys)), x)
	s.sent = append(s.sent, sentCargo{x, f})
	if s.random.IntN(4) == 0 {
		_, _ = f.Wait(context.Background())
	}
}

var numberOf = regexp.MustCompile(`"ID":(\d+)`)

// check holds that what is too large has no effect, and all else its whole effect, once.
func (s *sharedChests) check(m *machine) {
	ran, sent, came, answered := map[int]int{}, map[int]int{}, map[int]int{}, map[int]int{}
	for key := range keys {
		x, err := lookInto.Send(m.rt.Context(), chests.At(m.rt.Context(), key), struct{}{}).Wait(context.Background())
		if err != nil {
			s.Errorf("chest %d: %v", key, err)
		}
		for _, id := range x.Ran {
			ran[id]++
		}
		for to, from := range map[*map[int]int]map[int]int{&sent: x.Sent, &came: x.Came, &answered: x.Answered} {
			for id, n := range from {
				(*to)[id] += n
			}
		}
	}
	s.store.Each(func(_ int, key string, value []byte) {
		if key[:1] == layout.Failure {
			t, _, err := layout.DecodeTell(value)
			found := numberOf.FindSubmatch(t.Arg)
			if err != nil || found == nil {
				s.Errorf("a recorded failure: %v, %q", err, t.Arg)
				return
			}
			id, _ := strconv.Atoi(string(found[1]))
			if s.sum["failures"]++; t.Operation == "unpacked" {
				answered[id]++
			} else {
				came[id]++
			}
		}
	})
	for _, x := range s.sent {
		_, err := x.outcome.Wait(context.Background())
		switch {
		case err == nil, x.Text > 0 && strings.HasPrefix(err.Error(), "eee"):
			s.sum["done"]++
			s.isDone(x, ran[x.ID], 1, err)
		case errors.Is(err, cluster.ErrTooLarge):
			s.sum["too large"]++
			s.isDone(x, ran[x.ID], 0, err)
		case strings.Contains(err.Error(), "its outcome is not there any more"):
			s.sum["cut"]++
			s.isDone(x, ran[x.ID], 1, err)
		case strings.Contains(err.Error(), "it was refused, and has had no effect"):
			s.sum["cut"]++
			s.isDone(x, ran[x.ID], 0, err)
		default:
			s.isDone(x, ran[x.ID], min(ran[x.ID], 1), err)
		}
		if n := sent[x.ID]; x.Asks && answered[x.ID] != n || !x.Asks && came[x.ID] != n {
			s.Errorf("step %d has told %d times (asked: %v), and %d have come, with %d answers", x.ID, n, x.Asks, came[x.ID], answered[x.ID])
		}
		s.sum["told"] += sent[x.ID]
	}
}

func (s *sharedChests) isDone(x sentCargo, ran, want int, err error) {
	if ran != want {
		s.Errorf("step %+v has run %d times, want %d: %v", x.cargo, ran, want, err)
	}
}

// TestMachinesLarge has units whose states, results and messages are too large for the store, one
// by one or together: what is refused has no effect, nothing is written that the store does not
// take, and all else goes on.
func TestMachinesLarge(t *testing.T) {
	runMachines(t, func(s *machines) machineProgram {
		s.largest, s.longest = 32<<10, time.Hour
		return &sharedChests{machines: s}
	}, "done", "too large", "told", "failures")
}
