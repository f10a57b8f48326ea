package tour_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
)

//tour:begin from-map
type cart struct{ items []string }

var carts = freerun.NewKind("cart", func(*freerun.Context, string) (cart, error) {
	return cart{}, nil // of a new customer, or read from a store
}, freerun.PassivateAfter(time.Hour))

var intoCart = freerun.Op("intoCart", func(_ *freerun.Context, k *cart, item string) (int, error) {
	k.items = append(k.items, item) // as under the lock of this cart
	return len(k.items), nil
})

//tour:end

func Example_fromMap() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin from-map-used
	fmt.Println(intoCart.Call(ctx, carts.At(rt.Context(), "ada"), "apple"))
	fmt.Println(intoCart.Call(ctx, carts.At(rt.Context(), "ada"), "bread"))
	// Output:
	// 1 <nil>
	// 2 <nil>
	//tour:end
}

func fetch(_ context.Context, page string) (string, error) {
	if page == "lost" {
		return "", errors.New("no such page")
	}
	return strings.ToUpper(page), nil
}

func Example_fromErrgroup() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin from-errgroup
	// before: g, ctx := errgroup.WithContext(ctx); g.Go(func() error {…}); err := g.Wait()
	s := rt.Scope(ctx, freerun.FailFast(), freerun.ScopeName("pages"))
	texts := []freerun.Future[string]{}
	for _, page := range []string{"a", "b", "lost"} {
		texts = append(texts, freerun.Go(s.Context(), func(c *freerun.Context) (text string, err error) {
			c.Block(func() { text, err = fetch(c, page) }) // waits for the network: others run
			return text, err
		}))
	}
	fmt.Println(s.Wait(ctx)) // the first failure has canceled what had not begun
	//tour:end
	for _, f := range texts[:2] {
		if text, err := f.Wait(ctx); err != nil && !errors.Is(err, freerun.ErrCanceled) {
			fmt.Println(text, err)
		}
	}
	// Output: freerun: scope pages: a closure: no such page
}

//tour:begin topic
var news freerun.Topic[string]

type reader struct{ heard []string }

var hear = freerun.Op("hear", func(_ *freerun.Context, r *reader, text string) (int, error) {
	r.heard = append(r.heard, text)
	return len(r.heard), nil
})

//tour:end

func Example_topic() {
	ctx := context.Background()
	rt := freerun.New(freerun.Deterministic(1))
	defer rt.Close()
	//tour:begin topic-used
	ada := freerun.NewUnit(rt, reader{}, freerun.MailboxLimit(100, freerun.Reject))
	bob := freerun.NewUnit(rt, reader{})
	freerun.Subscribe(&news, hear, ada)           // with the limit of its mailbox
	freerun.SubscribeNewest(&news, hear, bob, 10) // the ten newest, if it is slow
	box, eve := freerun.SubscribeMailbox(&news, 1, freerun.DropOldest)

	fmt.Println(news.Publish(rt.Context(), "rain"))
	fmt.Println(news.Publish(rt.Context(), "sun"))
	fmt.Println(box.Receive(ctx)) // an activity does so, too
	fmt.Println(eve, "has missed", eve.Missed())
	rt.Quiesce(ctx)
	fmt.Println(freerun.Read(rt.Context(), bob, func(_ *freerun.Context, r *reader) (string, error) {
		return strings.Join(r.heard, ", "), nil
	}).Wait(ctx))
	// Output:
	// <nil>
	// <nil>
	// sun <nil>
	// a mailbox has missed 1
	// rain, sun <nil>
	//tour:end
}

func Example_supervised() {
	ctx := context.Background()
	rt := freerun.New(freerun.Deterministic(1), freerun.Logger(slog.New(slog.DiscardHandler)))
	defer rt.Close()
	//tour:begin supervised
	fresh := func() Account { return Account{Balance: 100} }
	whole := rt.Scope(ctx, freerun.ScopeName("bank"))
	a := freerun.NewUnit(rt, fresh(),
		freerun.RestartOnPanic(fresh, 2, time.Minute),     // a new state, twice in a minute
		freerun.BackOff(10*time.Millisecond, time.Second), // but not at once
		freerun.CancelsScope(whole),                       // in the end the whole goes with it
		freerun.UnitName("ada"))
	ended := freerun.Watch(rt.Context(), a)
	for range 3 {
		freerun.Do(rt.Context(), a, func(*freerun.Context, *Account) (int, error) { panic("a bug") })
		balance, err := deposit.Send(rt.Context(), a, 5).Wait(ctx)
		fmt.Println(balance, errors.Is(err, freerun.ErrStopped))
	}
	e, _ := ended.Wait(ctx)
	fmt.Println(errors.Is(e.Err, freerun.ErrStopped), whole.Context().Err())
	// Output:
	// 105 false
	// 105 false
	// 0 true
	// true context canceled
	//tour:end
}

//tour:begin serve

// serve serves until ctx ends. Handlers end first, and then what they have sent.
func serve(ctx context.Context, rt *freerun.Runtime, l net.Listener, h http.Handler) error {
	server := http.Server{Handler: h}
	ended := make(chan error, 1)
	context.AfterFunc(ctx, func() {
		late, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		ended <- server.Shutdown(late) // no new connections; returns when the handlers have
	})
	err := server.Serve(l)
	if errors.Is(err, http.ErrServerClosed) {
		err = <-ended
	}
	late, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return errors.Join(err, rt.Shutdown(late)) // runs what was accepted
}

//tour:end

// TestServe ends a server while a handler waits for an operation, which ends in time.
func TestServe(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no sockets on WebAssembly")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	rt, after := freerun.New(), 0
	account := freerun.NewUnit(rt, Account{})
	ended := make(chan error, 1)
	go func() {
		ended <- serve(ctx, rt, l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			stop() // somebody ends the program now
			balance, err := deposit.Call(r.Context(), account, 5)
			freerun.Do(rt.Context(), account, func(*freerun.Context, *Account) (int, error) { after++; return 0, nil })
			fmt.Fprint(w, balance, err)
		}))
	}()
	r, err := http.Get("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if err := <-ended; err != nil || r.StatusCode != http.StatusOK || after != 1 {
		t.Errorf("%v, status %d, %d messages ran after the answer", err, r.StatusCode, after)
	}
	http.DefaultClient.CloseIdleConnections()
}
