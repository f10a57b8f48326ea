package activity_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/freerun-go/freerun/activity"
)

func ExampleMailbox() {
	rt := newRuntime() // freerun.New()
	defer rt.Close()
	m := activity.NewMailbox[string](1)
	activity.Go(rt, func(a *activity.Activity) {
		for _, word := range []string{"one", "two", "three"} {
			m.Send(a, word)
		}
		m.Close()
	})
	for { // an ordinary goroutine
		word, err := m.Receive(context.Background())
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(word)
	}
	// Output:
	// one
	// two
	// three
	// activity: the mailbox is closed
}

// TestMailboxSequential compares a mailbox with a slice as its model, by calls that need not wait.
func TestMailboxSequential(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for capacity := 1; capacity <= 5; capacity++ {
		m, ctx := activity.NewMailbox[int](capacity), t.Context()
		var model []int
		for v := range 2000 {
			switch r.IntN(4) {
			case 0:
				if ok := m.TrySend(v); ok != (len(model) < capacity) {
					t.Fatalf("TrySend %v with %d of %d", ok, len(model), capacity)
				} else if ok {
					model = append(model, v)
				}
			case 1:
				if len(model) < capacity {
					if err := m.Send(ctx, v); err != nil {
						t.Fatal(err)
					}
					model = append(model, v)
				}
			default:
				got, ok := m.TryReceive()
				if ok != (len(model) > 0) || ok && got != model[0] {
					t.Fatalf("TryReceive %d, %v of %v", got, ok, model)
				}
				if ok {
					model = model[1:]
				}
			}
			if m.Len() != len(model) {
				t.Fatalf("Len %d, want %d", m.Len(), len(model))
			}
		}
		m.Close()
		m.Close()
		if m.TrySend(1) || m.Send(ctx, 1) != activity.ErrMailboxClosed {
			t.Error("sent to a closed one")
		}
		for _, want := range model {
			if got, err := m.Receive(ctx); err != nil || got != want {
				t.Errorf("received %d, %v, want %d", got, err, want)
			}
		}
		if _, ok := m.TryReceive(); ok {
			t.Error("received from what is empty")
		}
		if _, err := m.Receive(ctx); err != activity.ErrMailboxClosed {
			t.Error(err)
		}
	}
}

// TestMailboxDelivers has senders and receivers, of which some give up now and then, and one that
// closes the mailbox: what was accepted is delivered once, in the order of each sender.
func TestMailboxDelivers(t *testing.T) {
	onProcessors(t, func(t *testing.T, processors int) {
		for _, capacity := range []int{1, 3, 64} {
			t.Run(fmt.Sprint(capacity), func(t *testing.T) {
				type message struct{ from, number int }
				const n, count = 8, 400
				m := activity.NewMailbox[message](capacity)
				var sent [n]int
				var received [n][]message
				var senders atomic.Int32
				senders.Store(n / 2)
				crew(t, processors, n, func(ctx context.Context, id int, r *rand.Rand) {
					if id%4 < 2 { // an activity and a goroutine of each
						for number := range count {
							for {
								hurried, cancel := ctx, context.CancelFunc(func() {})
								if r.IntN(4) == 0 {
									hurried, cancel = impatience(ctx, r)
								}
								err := m.Send(hurried, message{id, number})
								cancel()
								if err == nil {
									break
								}
								if errors.Is(err, activity.ErrMailboxClosed) {
									t.Error(err)
									return
								}
							}
							sent[id]++
						}
						if senders.Add(-1) == 0 {
							m.Close()
						}
						return
					}
					for {
						hurried, cancel := ctx, context.CancelFunc(func() {})
						if r.IntN(4) == 0 {
							hurried, cancel = impatience(ctx, r)
						}
						v, err := m.Receive(hurried)
						cancel()
						switch {
						case err == nil:
							received[id] = append(received[id], v)
						case errors.Is(err, activity.ErrMailboxClosed):
							return
						}
					}
				})
				var all []message
				for _, r := range received {
					last := map[int]int{}
					for _, v := range r {
						if was, ok := last[v.from]; ok && was >= v.number {
							t.Errorf("%v came after %d", v, was)
						}
						last[v.from] = v.number
					}
					all = append(all, r...)
				}
				slices.SortFunc(all, func(a, b message) int { return (a.from-b.from)*count + a.number - b.number })
				if len(slices.Compact(all)) != n/2*count || len(all) != n/2*count {
					t.Errorf("%d were delivered, of %d", len(all), n/2*count)
				}
			})
		}
	})
}

// TestMailboxCloses closes a mailbox while senders and receivers are at work and wait: what Send
// has accepted is received, and nothing else.
func TestMailboxCloses(t *testing.T) {
	onProcessors(t, func(t *testing.T, processors int) {
		for round := range 30 {
			m := activity.NewMailbox[int](1 + round%3)
			var accepted, got atomic.Int64
			// The mailbox is closed after so many messages, and not after so many pauses: on one P,
			// goroutines that wake each other keep one that pauses from running for long.
			last, due := int64(1+round*round%150), make(chan struct{})
			crew(t, processors, 8, func(ctx context.Context, id int, r *rand.Rand) {
				switch {
				case id == 7:
					<-due
					m.Close()
				case id%4 < 2:
					for m.Send(ctx, id) == nil {
						accepted.Add(1)
					}
				default:
					for {
						if _, err := m.Receive(ctx); err == activity.ErrMailboxClosed {
							return
						}
						if got.Add(1) == last {
							close(due)
						}
					}
				}
			})
			if accepted.Load() != got.Load() {
				t.Errorf("accepted %d, received %d", accepted.Load(), got.Load())
			}
		}
	})
}

// TestMailboxInOrder has waiters come one after another: they are admitted in that order.
func TestMailboxInOrder(t *testing.T) {
	s := started(t, 1)
	m := activity.NewMailbox[int](1)
	m.Send(t.Context(), 0)
	var all sync.WaitGroup
	for id := 1; id <= 10; id++ {
		all.Add(1)
		activity.Go(activity.On(s), func(a *activity.Activity) {
			defer all.Done()
			if err := m.Send(a, id); err != nil {
				t.Error(err)
			}
		})
		until(t, func() bool { return activity.Waits(m.Room()) == id })
	}
	for want := range 11 {
		if got, err := m.Receive(within(t)); got != want || err != nil {
			t.Errorf("received %d, %v, want %d", got, err, want)
		}
	}
	all.Wait()
	for id := 1; id <= 10; id++ {
		all.Add(1)
		activity.Go(activity.On(s), func(a *activity.Activity) {
			defer all.Done()
			if v, err := m.Receive(a); v != id || err != nil {
				t.Errorf("received %d, %v, want %d", v, err, id)
			}
		})
		until(t, func() bool { return activity.Waits(m.Items()) == id })
	}
	for id := 1; id <= 10; id++ {
		m.Send(within(t), id)
	}
	all.Wait()
}

func TestMailboxRetainsNothing(t *testing.T) {
	m := activity.NewMailbox[*[64]int](4)
	var gone []weak.Pointer[[64]int]
	for range 20 {
		v := new([64]int)
		gone = append(gone, weak.Make(v))
		m.Send(t.Context(), v)
		m.Receive(t.Context())
	}
	runtime.GC()
	for i, w := range gone {
		if w.Value() != nil {
			t.Errorf("message %d is kept", i)
		}
	}
	runtime.KeepAlive(m)
}

func TestMailboxMisuse(t *testing.T) {
	if text := panics(func() { activity.NewMailbox[int](0) }); !strings.HasPrefix(text, "activity: NewMailbox(0)") {
		t.Errorf("panicked with %q", text)
	}
}
