//go:build !explore

package activity_test

import (
	"context"
	"fmt"
	"math/bits"
	"testing"
	"time"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest/misuse"
	"github.com/freerun-go/freerun/internal/sched"
)

// TestMisuseIsTold calls zero values, and calls with nil, and holds that each panic, or error,
// says what would be right.
func TestMisuseIsTold(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // else it would hang
	defer cancel()
	var noContext context.Context
	huge := 1 << (bits.UintSize - 4)
	s := sched.New(sched.Config{Processors: 1})
	s.Start()
	defer s.Stop(nil)
	place := activity.On(s)
	in := func(f func(a *activity.Activity)) { // panics with what f panics with
		var text any
		_ = activity.Go(place, func(a *activity.Activity) {
			defer func() { text = recover() }()
			f(a)
		}).Wait(ctx)
		panic(text)
	}
	misuse.Check(t, misuse.Calls{
		"zero Latch.Wait": {
			"activity: a nil or zero Latch; make latches with NewLatch",
			func() { _ = new(activity.Latch).Wait(ctx) },
		},
		"zero Latch.CountDown": {
			"activity: a nil or zero Latch; make latches with NewLatch",
			func() { new(activity.Latch).CountDown() },
		},
		"zero Mailbox.Send": {
			"activity: a zero Mailbox; make mailboxes with NewMailbox",
			func() { _ = new(activity.Mailbox[int]).Send(ctx, 1) },
		},
		"zero Mailbox.TrySend": {
			"activity: a zero Mailbox; make mailboxes with NewMailbox",
			func() { new(activity.Mailbox[int]).TrySend(1) },
		},
		"zero Mailbox.Receive": {
			"activity: a zero Mailbox; make mailboxes with NewMailbox",
			func() { _, _ = new(activity.Mailbox[int]).Receive(ctx) },
		},
		"zero Mailbox.TryReceive": {
			"activity: a zero Mailbox; make mailboxes with NewMailbox",
			func() { new(activity.Mailbox[int]).TryReceive() },
		},
		"zero Mailbox.Close": {
			"activity: a zero Mailbox; make mailboxes with NewMailbox",
			func() { new(activity.Mailbox[int]).Close() },
		},
		"huge Mailbox": {
			fmt.Sprintf("activity: NewMailbox(%d), for which there is no room", huge),
			func() { activity.NewMailbox[int](huge) },
		},
		"zero Barrier": {
			"activity: a nil or zero Barrier; make barriers with NewBarrier",
			func() { _, _ = new(activity.Barrier).Arrive(ctx) },
		},
		"Cond without a lock": {
			"activity: Wait of a Cond without a lock; make it with NewCond, or set L",
			func() { _ = new(activity.Cond).Wait(ctx) },
		},
		"NewCond without a lock": {
			"activity: NewCond without a lock",
			func() { activity.NewCond(nil) },
		},
		"Monitor.Do": {
			"activity: Do of a Monitor with a nil function",
			func() { _ = new(activity.Monitor).Do(ctx, nil) },
		},
		"On": {
			"activity: On needs a scheduler",
			func() { activity.On(nil) },
		},
		"Of": {
			"activity: a nil context.Context; use context.Background() if there is none",
			func() { activity.Of(noContext) },
		},
		"Go with a zero option": {
			"activity: Go with a zero Option, the one with index 0",
			func() { activity.Go(place, func(*activity.Activity) {}, activity.Option{}) },
		},
		"StartActivity of nil": {
			"activity: start of an activity that Go has not made; start activities with Go",
			func() { _ = place.StartActivity(nil) },
		},
		"StartActivity of a zero Activity": {
			"activity: start of an activity that Go has not made; start activities with Go",
			func() { _ = place.StartActivity(new(activity.Activity)) },
		},
		"StartActivity again": {
			"activity: started twice",
			func() { _ = place.StartActivity(activity.Go(place, func(*activity.Activity) {})) },
		},
		"Go in a nil Activity": {
			"activity: Wait for an Activity that was never started; start activities with Go",
			func() { panic(activity.Go((*activity.Activity)(nil), func(*activity.Activity) {}).Wait(ctx)) },
		},
		"Wait of a zero Activity": {
			"activity: Wait for an Activity that was never started; start activities with Go",
			func() { panic(new(activity.Activity).Wait(ctx)) },
		},
		"Wait of a nil Activity": {
			"activity: Wait for an Activity that was never started; start activities with Go",
			func() { panic((*activity.Activity)(nil).Wait(ctx)) },
		},
		"Sleep of a nil Activity": {
			"activity: Sleep of a nil Activity; an activity is passed its own",
			func() { _ = (*activity.Activity)(nil).Sleep(1) },
		},
		"Wait that enters nowhere": {
			"activity: a wait with a nil function; it must enter the waiter where it is found",
			func() { _ = activity.Wait(ctx, 0, nil) },
		},
		"Wait of an activity that enters nowhere": {
			"activity: a wait with a nil function; it must enter the waiter where it is found",
			func() { in(func(a *activity.Activity) { _ = activity.Wait(a, 0, nil) }) },
		},
	})
}
