package nats_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/nats"
)

// parlor is the state of units that machines share, and that are not durable.
type parlor struct{ Guests []string }

var (
	errFullHouse = cluster.StoredError("nats_test.errFullHouse", errors.New("full house"))

	parlors = freerun.NewKind("parlor", func(*freerun.Context, string) (parlor, error) { return parlor{}, nil }, cluster.Volatile())
	enter   = freerun.Op("enter", func(_ *freerun.Context, p *parlor, guest string) (int, error) {
		if guest == "" {
			return 0, errFullHouse
		}
		p.Guests = append(p.Guests, guest)
		return len(p.Guests), nil
	})
	guests = freerun.ReadOp("guests", func(_ *freerun.Context, p *parlor, _ struct{}) ([]string, error) { return p.Guests, nil })
)

// TestVolatile holds that machines share units that are not durable.
func TestVolatile(t *testing.T) {
	t.Parallel()
	url := serve(t, nil)
	options := []nats.Option{nats.Create(1), nats.Partitions(8)}
	a, b := join(t, "volatile", url, options...), join(t, "volatile", url, options...)
	for end := time.Now().Add(10 * time.Second); len(a.node.Machines().Partitions) < 2 || len(b.node.Machines().Partitions) < 2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the machines do not know each other")
		}
	}
	time.Sleep(300 * time.Millisecond)
	here := 0
	for i := range 40 {
		key := fmt.Sprint("p", i)
		for n, m := range []*joined{a, b, a} {
			got, err := enter.Call(t.Context(), parlors.At(m.rt.Context(), key), fmt.Sprint("guest ", n))
			if err != nil || got != n+1 {
				t.Fatalf("%s: %d, %v; want %d", key, got, err, n+1)
			}
		}
		if _, err := enter.Call(t.Context(), parlors.At(b.rt.Context(), key), ""); !errors.Is(err, errFullHouse) {
			t.Errorf("%v", err)
		}
		machine, is, err := cluster.OwnerOf(a.node, parlors, key)
		if err != nil || is != (machine == a.node.Machines().Self) {
			t.Errorf("the owner of %s: %s, %v, %v", key, machine, is, err)
		}
		if is {
			here++
		}
	}
	if here == 0 || here == 40 || parlors.Len(a.rt) != here || parlors.Len(b.rt) != 40-here {
		t.Errorf("of 40 units %d should be on one machine; there are %d and %d", here, parlors.Len(a.rt), parlors.Len(b.rt))
	}
	a.leave(t)
	for i := range 40 {
		want := 3 // of its own units
		if _, is, _ := cluster.OwnerOf(b.node, parlors, fmt.Sprint("p", i)); !is {
			t.Errorf("p%d is elsewhere, and there is one machine", i)
		}
		got, err := guests.Call(t.Context(), parlors.At(b.rt.Context(), fmt.Sprint("p", i)), struct{}{})
		if err != nil || len(got) != want && len(got) != 0 {
			t.Errorf("p%d: %q, %v", i, got, err)
		}
	}
	b.leave(t)
}
