package nats_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/nats"
)

// seat is the state of a seat of a theater.
type seat struct{ Guest string }

var errTaken = cluster.StoredError("theater.errTaken", errors.New("the seat is taken"))

var (
	seats = freerun.NewKind("seat", func(*freerun.Context, int) (seat, error) { return seat{}, nil }, cluster.Durable())
	book  = freerun.Op("book", func(_ *freerun.Context, s *seat, guest string) (string, error) {
		if s.Guest != "" {
			return s.Guest, errTaken
		}
		s.Guest = guest
		return guest, nil
	})
)

// Two machines sell the seats of one theater: nobody knows which of them has a seat, and each seat
// is sold once.
func Example() {
	url, stop := startServer()
	defer stop()
	ctx := context.Background()
	var machines []*freerun.Runtime
	var nodes []*cluster.Node
	for range 2 { // in one process here
		rt := freerun.New()
		node, err := cluster.Join(rt, nats.Servers("theater", url, nats.Create(1)))
		if err != nil {
			fmt.Println(err)
			return
		}
		machines, nodes = append(machines, rt), append(nodes, node)
	}
	for i, guest := range []string{"ada", "bob"} {
		c := machines[i].Context()
		_, err := book.Call(ctx, seats.At(c, 7), guest)
		fmt.Println(guest, err, errors.Is(err, errTaken))
	}
	for i := range machines { // the node first: it hands over what it has
		if err := errors.Join(nodes[i].Close(), machines[i].Shutdown(ctx)); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// ada <nil> false
	// bob the seat is taken true
}

// A request whose outcome does not come is sent again, with the identity that it had.
func Example_again() {
	url, stop := startServer()
	defer stop()
	ctx := context.Background()
	rt := freerun.New()
	node, err := cluster.Join(rt, nats.Servers("theater", url, nats.Create(1)))
	if err != nil {
		fmt.Println(err)
		return
	}
	request := cluster.Direct(cluster.Once(rt.Context(), "request 17"))
	for tries := 0; tries < 5; tries++ {
		_, err = book.Send(request, seats.At(request, 8), "ada").Wait(ctx)
		if !errors.Is(err, cluster.ErrUncertain) && !errors.Is(err, cluster.ErrNotRun) {
			break
		}
	}
	fmt.Println(err)
	if err := errors.Join(node.Close(), rt.Shutdown(ctx)); err != nil {
		fmt.Println(err)
	}
	// Output: <nil>
}
