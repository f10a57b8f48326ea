package nats_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/nats"
)

// guestKey is the key of a value that goes along.
type guestKey struct{}

func init() { cluster.Travels[string]("nats_test.guest", guestKey{}) }

// who returns the value of a context.
func who(c *freerun.Context) (string, error) {
	guest, _ := c.Value(guestKey{}).(string)
	return guest, nil
}

type witness struct{ Heard string }

const unheard = "nobody yet"

var (
	witnesses = freerun.NewKind("witness", func(*freerun.Context, string) (witness, error) { return witness{Heard: unheard}, nil }, cluster.Durable(cluster.Tagged()))

	whoAsks     = freerun.Op("whoAsks", func(c *freerun.Context, _ *parlor, _ struct{}) (string, error) { return who(c) })
	whoSends    = freerun.Op("whoSends", func(c *freerun.Context, _ *witness, _ struct{}) (string, error) { return who(c) })
	whoReads    = freerun.ReadOp("whoReads", func(c *freerun.Context, _ *witness, _ struct{}) (string, error) { return who(c) })
	whoTogether = freerun.Op2("whoTogether", func(c *freerun.Context, _, _ *witness, _ struct{}) (string, error) { return who(c) })
	// hears notes who has sent it, tells has another unit hear.
	hears = freerun.Op("hears", func(c *freerun.Context, w *witness, _ struct{}) (_ struct{}, err error) {
		w.Heard, err = who(c)
		return struct{}{}, err
	})
	tells = freerun.Op("tells", func(c *freerun.Context, _ *witness, other string) (struct{}, error) {
		return struct{}{}, hears.Tell(c, witnesses.At(c, other), struct{}{})
	})
	heard = freerun.ReadOp("heard", func(_ *freerun.Context, w *witness, _ struct{}) (string, error) { return w.Heard, nil })
)

// witnessesOf returns keys of witnesses, of which machine b has those of atB.
func witnessesOf(t *testing.T, a *joined) (atA, atB []string) {
	for i := 0; len(atA) < 4 || len(atB) < 4; i++ {
		key := fmt.Sprint("w", i)
		_, here, err := cluster.OwnerOf(a.node, witnesses, key)
		switch {
		case err != nil:
			t.Fatal(err)
		case here:
			atA = append(atA, key)
		default:
			atB = append(atB, key)
		}
	}
	return atA, atB
}

// TestValuesGoAlong holds that the values that a program names go along with what is sent to units
// of this machine and of another one: that are not durable, or are, through the log and beside it;
// and with what a durable unit tells.
func TestValuesGoAlong(t *testing.T) {
	t.Parallel()
	a, b, parlorsA, parlorsB := joinTwo(t, "along")
	defer b.leave(t)
	defer a.leave(t)
	witnessesA, witnessesB := witnessesOf(t, a)
	for _, guest := range []string{"ada", ""} {
		c := a.rt.Context()
		if guest != "" {
			c = c.WithValue(guestKey{}, guest)
		}
		for _, key := range []string{parlorsA[0], parlorsB[0]} {
			if got, err := whoAsks.Call(c, parlors.At(c, key), struct{}{}); err != nil || got != guest {
				t.Errorf("%s: %q, %v; want %q", key, got, err, guest)
			}
		}
		for _, key := range []string{witnessesA[0], witnessesB[0]} {
			u := witnesses.At(c, key)
			for way, send := range map[string]func() (string, error){
				"logged": func() (string, error) { return whoSends.Call(c, u, struct{}{}) },
				"direct": func() (string, error) { return whoSends.Call(cluster.Direct(c), u, struct{}{}) },
				"read":   func() (string, error) { return whoReads.Call(c, u, struct{}{}) },
				"several": func() (string, error) {
					return whoTogether.Call(c, witnesses.At(c, "{"+key+"}1"), witnesses.At(c, "{"+key+"}2"), struct{}{})
				},
			} {
				if got, err := send(); err != nil || got != guest {
					t.Errorf("%s, %s: %q, %v; want %q", key, way, got, err, guest)
				}
			}
		}
		for _, from := range []string{witnessesA[1], witnessesB[1]} {
			for _, to := range []string{witnessesA[2], witnessesB[2]} {
				if _, err := tells.Call(c, witnesses.At(c, from), to); err != nil {
					t.Fatal(err)
				}
				eventually(t, fmt.Sprintf("%s hears of %q", to, guest), func() bool {
					got, err := heard.Call(a.rt.Context(), witnesses.At(a.rt.Context(), to), struct{}{})
					return err == nil && got == guest
				})
			}
		}
	}
}

// tellsAll has many units hear.
var tellsAll = freerun.Op("tellsAll", func(c *freerun.Context, _ *witness, others []string) (struct{}, error) {
	for _, other := range others {
		if err := hears.Tell(c, witnesses.At(c, other), struct{}{}); err != nil {
			return struct{}{}, err
		}
	}
	return struct{}{}, nil
})

// TestValuesStayBehind holds that an operation which tells more units than there is room for values
// has its effect without them.
func TestValuesStayBehind(t *testing.T) {
	t.Parallel()
	a := join(t, "behind", serve(t, nil), nats.Create(1), nats.Partitions(4))
	defer a.leave(t)
	guest := strings.Repeat("g", 2000)
	c := a.rt.Context()
	for many, want := range map[int]string{5: guest, 500: ""} {
		var others []string
		for i := range many {
			others = append(others, fmt.Sprint("of ", many, ": ", i))
		}
		if _, err := tellsAll.Call(c.WithValue(guestKey{}, guest), witnesses.At(c, "all"), others); err != nil {
			t.Fatalf("%d units: %v", many, err)
		}
		for _, key := range others {
			eventually(t, key+" hears", func() bool {
				got, err := heard.Call(c, witnesses.At(c, key), struct{}{})
				if err == nil && got != want && got != unheard {
					t.Fatalf("%s has heard of %.10q, want %.10q", key, got, want)
				}
				return err == nil && got == want
			})
		}
	}
}

var (
	deafs   = freerun.NewKind("deaf", func(*freerun.Context, string) (int, error) { return 0, nil })
	refuses = freerun.Op("refuses", func(*freerun.Context, *int, struct{}) (struct{}, error) { return struct{}{}, errors.New("it is deaf") })
	// complains, and grumbles, tell a deaf unit of their machine.
	complains = freerun.Op("complains", func(c *freerun.Context, _ *witness, to string) (struct{}, error) {
		return struct{}{}, refuses.Tell(c, deafs.At(c, to), struct{}{})
	})
	grumbles = freerun.Op("grumbles", func(c *freerun.Context, _ *parlor, to string) (struct{}, error) {
		return struct{}{}, refuses.Tell(c, deafs.At(c, to), struct{}{})
	})
	// scouts has a witness, or a parlor, tell a deaf unit.
	scouts = freerun.Op("scouts", func(c *freerun.Context, _ *int, way scout) (struct{}, error) {
		switch {
		case way.Parlor != "":
			return struct{}{}, grumbles.Tell(c, parlors.At(c, way.Parlor), way.Deaf)
		case way.Direct:
			complains.Send(cluster.Direct(c), witnesses.At(c, way.Witness), way.Deaf)
			return struct{}{}, nil
		}
		return struct{}{}, complains.Tell(c, witnesses.At(c, way.Witness), way.Deaf)
	})
)

// scout says which unit an operation sends to.
type scout struct {
	Deaf, Parlor, Witness string
	Direct                bool
}

// TestSendersGoAlong holds that a message that is lost on a machine has the operations on another
// one that have sent it, with that machine, if they ran in a scope.
func TestSendersGoAlong(t *testing.T) {
	t.Parallel()
	a, b, _, parlorsB := joinTwo(t, "senders")
	defer b.leave(t)
	defer a.leave(t)
	_, witnessesB := witnessesOf(t, a)
	self := a.node.Machines().Self
	for way, sent := range map[string]struct {
		by string
		scout
	}{
		"volatile": {"grumbles", scout{Parlor: parlorsB[0]}},
		"logged":   {"complains", scout{Witness: witnessesB[0]}},
		"direct":   {"complains", scout{Witness: witnessesB[1], Direct: true}},
	} {
		for deaf, c := range map[string]*freerun.Context{way + " in a scope": a.rt.Scope(context.Background()).Context(), way + " in none": a.rt.Context()} {
			sent.Deaf = deaf
			if _, err := scouts.Send(c, freerun.NewUnit(a.rt, 0), sent.scout).Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := []string(nil)
			if c != a.rt.Context() {
				want = []string{"nats_test." + sent.by, "nats_test.scouts of machine " + self}
			}
			var lost freerun.LostMessage
			eventually(t, "a message is lost: "+deaf, func() bool {
				all := b.rt.LostMessages()
				at := slices.IndexFunc(all, func(l freerun.LostMessage) bool { return l.Unit == "nats_test.deaf("+deaf+")" })
				if at >= 0 {
					lost = all[at]
				}
				return at >= 0
			})
			if !slices.Equal(lost.Senders, want) {
				t.Errorf("%s: sent by %q, want %q", deaf, lost.Senders, want)
			}
		}
	}
}
