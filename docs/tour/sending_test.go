package tour_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/freerun-go/freerun"
)

//tour:begin priority
var priority = freerun.Op("priority", func(c *freerun.Context, a *Account, _ struct{}) (freerun.Priority, error) {
	return c.Priority(), nil
})

//tour:end

func Example_priorities() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin priorities
	ada := freerun.NewUnit(rt, Account{})
	background := freerun.UnitPriority(freerun.Idle)
	archive := freerun.NewUnit(rt, Account{}, background)
	urgent := rt.Context().WithPriority(freerun.High)

	fmt.Println(priority.Send(rt.Context(), ada, struct{}{}).Wait(ctx))
	fmt.Println(priority.Send(urgent, ada, struct{}{}).Wait(ctx))
	fmt.Println(priority.Send(urgent, archive, struct{}{}).Wait(ctx)) // the unit's own counts
	// Output:
	// normal <nil>
	// high <nil>
	// idle <nil>
	//tour:end
}

func Example_limit() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin limit
	u := freerun.NewUnit(rt, 0, freerun.MailboxLimit(2, freerun.Reject)) // room for two messages
	running, release := make(chan struct{}), make(chan struct{})
	busy := freerun.Do(rt.Context(), u, func(c *freerun.Context, n *int) (int, error) {
		c.Block(func() { close(running); <-release })
		return *n, nil
	})
	<-running
	add := func(c *freerun.Context, n *int) (int, error) { *n++; return *n, nil }
	first := freerun.Do(rt.Context(), u, add)            // waits in the mailbox
	second := freerun.Do(rt.Context(), u, add)           // so does this one
	_, err := freerun.Do(rt.Context(), u, add).Wait(ctx) // this one has no room
	fmt.Println(errors.Is(err, freerun.ErrFull))
	close(release)
	fmt.Println(busy.Wait(ctx))
	fmt.Println(first.Wait(ctx))
	fmt.Println(second.Wait(ctx))
	// Output:
	// true
	// 0 <nil>
	// 1 <nil>
	// 2 <nil>
	//tour:end
}

func Example_timers() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin timers
	ada := freerun.NewUnit(rt, Account{})
	bonus, timer := deposit.SendAfter(rt.Context(), time.Millisecond, ada, 5)
	fmt.Println(bonus.Wait(ctx))
	fmt.Println(timer.Stop()) // would have taken it back; too late now

	ready := freerun.After(rt.Context(), time.Millisecond) // a future that time resolves
	done := freerun.Then(rt.Context(), ready, func(c *freerun.Context, at time.Time) (string, error) {
		return "a millisecond has passed", nil
	})
	fmt.Println(done.Wait(ctx))

	ticks, enough := 0, make(chan struct{})
	s := rt.Scope(ctx) // a timer ends with its scope
	freerun.Every(s.Context(), time.Millisecond, func(c *freerun.Context) error {
		if ticks++; ticks == 3 { // runs do not overlap
			s.Cancel(nil)
			close(enough)
		}
		return nil
	})
	<-enough
	fmt.Println(ticks)
	// Output:
	// 5 <nil>
	// false
	// a millisecond has passed <nil>
	// 3
	//tour:end
}

func Example_block() {
	ctx := context.Background()
	//tour:begin block
	rt := freerun.New(freerun.Processors(1))
	defer rt.Close()
	answers := make(chan int)
	asks := freerun.Go(rt.Context(), func(c *freerun.Context) (n int, err error) {
		c.Block(func() { n = <-answers }) // the processor goes on with other messages
		return n + 1, nil
	})
	freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { // runs on the one processor
		c.Block(func() { answers <- 41 })
		return 0, nil
	})
	fmt.Println(asks.Wait(ctx))
	// Output: 42 <nil>
	//tour:end
}

func Example_shutdown() {
	ctx := context.Background()
	//tour:begin shutdown
	rt := freerun.New()
	ada := freerun.NewUnit(rt, Account{})
	for range 1000 {
		deposit.Tell(rt.Context(), ada, 1)
	}
	last := deposit.Send(rt.Context(), ada, 0)

	stop, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	fmt.Println(rt.Shutdown(stop)) // runs what is queued, and returns when that is done
	fmt.Println(last.Result())
	_, err := deposit.Send(rt.Context(), ada, 1).Result()
	fmt.Println(errors.Is(err, freerun.ErrClosed)) // a send afterwards is an error, never a panic
	// Output:
	// <nil>
	// 1000 <nil>
	// true
	//tour:end
}

func Example_room() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin room
	ada := freerun.NewUnit(rt, Account{}, freerun.MailboxLimit(2, freerun.WaitForRoom))
	var forward func(c *freerun.Context, amounts []int) (string, error)
	forward = func(c *freerun.Context, amounts []int) (string, error) {
		for i, amount := range amounts {
			err := deposit.Tell(c.NoWait(), ada, amount)
			if errors.Is(err, freerun.ErrFull) { // the rest when there is room
				return freerun.Forward(c, freerun.Then(c, freerun.Room(c, ada), func(c *freerun.Context, _ struct{}) (string, error) {
					return forward(c, amounts[i:])
				}))
			}
		}
		return "all sent", nil
	}
	sent := freerun.Go(rt.Context(), func(c *freerun.Context) (string, error) {
		return forward(c, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	})
	fmt.Println(sent.Wait(ctx))
	fmt.Println(deposit.Send(rt.Context(), ada, 0).Wait(ctx))
	// Output:
	// all sent <nil>
	// 55 <nil>
	//tour:end
}
