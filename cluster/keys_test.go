package cluster_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// seat is a key with more than one field; nearby has a part that is not stored, and behind one that
// is behind a pointer.
type (
	seat   struct{ Row, Place int }
	nearby struct {
		Name string
		Near string `durable:"-" json:"-"`
	}
	behind struct{ Name *string }
	spot   struct {
		At [2]float64
	}
)

func freshCount[K comparable](*freerun.Context, K) (int, error) { return 0, nil }

var (
	seats    = freerun.NewKind("seat", freshCount[seat], cluster.Durable())
	moments  = freerun.NewKind("moment", freshCount[time.Time], cluster.Durable())
	nears    = freerun.NewKind("nearby", freshCount[nearby], cluster.Durable())
	behinds  = freerun.NewKind("behind", freshCount[behind], cluster.Durable())
	spots    = freerun.NewKind("spot", freshCount[spot], cluster.Durable())
	countsOn = freerun.Op("countsOn", func(_ *freerun.Context, n *int, by int) (int, error) { *n += by; return *n, nil })
	tellsKey = freerun.Op("tellsKey", func(c *freerun.Context, _ *int, at time.Time) (int, error) {
		return 0, countsOn.Tell(c, moments.At(c, at), 1)
	})
)

// TestKeysComeBack holds that no two units have one record: a key that is another one once it has
// been stored is refused.
func TestKeysComeBack(t *testing.T) {
	rt, _, _ := start(t, t.TempDir())
	c := rt.Context()
	const want = "is another one once it has been stored"
	refused := func(what string, u *freerun.Unit[int]) {
		t.Helper()
		if n, err := countsOn.Send(c, u, 1).Wait(within(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %d, %v", what, n, err)
		}
	}
	now, ada := time.Now(), "ada"
	refused("a time with a monotonic reading", moments.At(c, now))
	refused("a time with a zone of its own", moments.At(c, now.Round(0).In(time.FixedZone("here", 3600))))
	refused("a field that is not stored", nears.At(c, nearby{"ada", "bob"}))
	refused("a pointer", behinds.At(c, behind{&ada}))
	refused("a negative zero", spots.At(c, spot{[2]float64{1, math.Copysign(0, -1)}}))
	if _, err := tellsKey.Send(c, seats.At(c, seat{1, 2}), now).Wait(within(t)); err == nil || !strings.Contains(err.Error(), want) {
		t.Error("told:", err)
	}
	for _, u := range []*freerun.Unit[int]{
		seats.At(c, seat{1, 3}), moments.At(c, now.UTC().Round(0)), nears.At(c, nearby{"ada", ""}), behinds.At(c, behind{}), spots.At(c, spot{[2]float64{-1, 0}}),
	} {
		if n := must(t, countsOn.Send(c, u, 1)); n != 1 {
			t.Errorf("%v: %d", u, n)
		}
	}
}
