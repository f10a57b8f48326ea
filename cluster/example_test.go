package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// A shop: an order asks the article that it wants for pieces, and is canceled if it is not paid in
// time.

type article struct{ Pieces int }

type purchase struct {
	Article string
	Pieces  int
	Status  string
}

var errSoldOut = cluster.StoredError("shop.errSoldOut", errors.New("sold out"))

var (
	articles = freerun.NewKind("article", func(*freerun.Context, string) (article, error) { return article{Pieces: 10}, nil }, cluster.Durable())
	orders   = freerun.NewKind("order", func(*freerun.Context, int) (purchase, error) { return purchase{}, nil }, cluster.Durable())

	reserve = freerun.Op("reserve", func(_ *freerun.Context, a *article, pieces int) (int, error) {
		if a.Pieces < pieces {
			return a.Pieces, errSoldOut
		}
		a.Pieces -= pieces
		return a.Pieces, nil
	})

	buy = freerun.Op("buy", func(c *freerun.Context, o *purchase, wanted purchase) (string, error) {
		*o = wanted
		o.Status = "asks"
		return o.Status, cluster.Ask(c, reserve, articles.At(c, o.Article), o.Pieces, reserved)
	})
	reserved = freerun.Op("reserved", func(c *freerun.Context, o *purchase, a cluster.Answer[int, int]) (string, error) {
		if errors.Is(a.Err, errSoldOut) {
			o.Status = "sold out"
			return o.Status, nil
		}
		o.Status = "reserved"
		return o.Status, cluster.TellAfter(c, time.Second, "pay", expire, struct{}{})
	})
	payOrder = freerun.Op("payOrder", func(c *freerun.Context, o *purchase, _ struct{}) (string, error) {
		if o.Status == "reserved" {
			o.Status = "paid"
		}
		_, err := cluster.Cancel(c, "pay")
		return o.Status, err
	})
	expire = freerun.Op("expire", func(c *freerun.Context, o *purchase, _ struct{}) (string, error) {
		if o.Status != "reserved" {
			return o.Status, nil // paid in the same moment
		}
		o.Status = "expired"
		return o.Status, reserve.Tell(c, articles.At(c, o.Article), -o.Pieces)
	})
	status = freerun.ReadOp("status", func(_ *freerun.Context, o *purchase, _ struct{}) (string, error) { return o.Status, nil })
)

// becomes waits until an order has a status.
func becomes(ctx context.Context, rt *freerun.Runtime, order int, want string) {
	for s := ""; s != want; time.Sleep(time.Millisecond) {
		s, _ = status.Call(ctx, orders.At(rt.Context(), order), struct{}{})
	}
	fmt.Println("order", order, "is", want)
}

func Example() {
	ctx := context.Background()
	dir, _ := os.MkdirTemp("", "shop")
	defer os.RemoveAll(dir)
	for life := range 2 { // the second one is another process, as it were
		rt := freerun.New()
		node, err := cluster.Join(rt, cluster.Local(dir, cluster.Create()))
		if err != nil {
			fmt.Println(err)
			return
		}
		c := rt.Context()
		switch life {
		case 0:
			// The identity has a request that is sent again find the order that it has made.
			for range 2 {
				request := cluster.Once(c, "request 1")
				if _, err := buy.Send(request, orders.At(c, 1), purchase{Article: "chair", Pieces: 6}).Wait(ctx); err != nil {
					fmt.Println(err)
				}
			}
			becomes(ctx, rt, 1, "reserved")
			_, _ = buy.Call(ctx, orders.At(c, 2), purchase{Article: "chair", Pieces: 5})
			becomes(ctx, rt, 2, "sold out")
			_, _ = buy.Call(ctx, orders.At(c, 3), purchase{Article: "chair", Pieces: 4})
			becomes(ctx, rt, 3, "reserved")
			if s, err := payOrder.Call(ctx, orders.At(c, 3), struct{}{}); err != nil {
				fmt.Println(s, err)
			}
		case 1:
			becomes(ctx, rt, 1, "expired") // it was not paid in time
			becomes(ctx, rt, 3, "paid")
			_, _ = buy.Call(ctx, orders.At(c, 4), purchase{Article: "chair", Pieces: 6})
			becomes(ctx, rt, 4, "reserved")
		}
		if err := errors.Join(rt.Shutdown(ctx), node.Close()); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// order 1 is reserved
	// order 2 is sold out
	// order 3 is reserved
	// order 1 is expired
	// order 3 is paid
	// order 4 is reserved
}
