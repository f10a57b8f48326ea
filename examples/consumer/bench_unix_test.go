//go:build unix

package main

import (
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
)

// BenchmarkConsume has both pools take the events of a thousand customers: from memory, with a
// ledger that takes no time, and with one that takes a millisecond; and from NATS, whose server is
// in the process, too. cpu-ns/event is the time of all processors.
func BenchmarkConsume(b *testing.B) {
	for _, c := range []struct {
		name string
		wait time.Duration
		open func(*testing.B, []event) func() (message, error)
	}{{"memory", 0, inMemory}, {"waits", time.Millisecond, inMemory}, {"nats", 0, inNATS}} {
		for _, pool := range []string{"units", "twin"} {
			b.Run(c.name+"/"+pool, func(b *testing.B) { measure(b, pool, c.wait, c.open) })
		}
	}
}

// held is a message in memory. As from NATS, there are never more than mostOpen without an answer.
type held struct {
	delivery
	open chan struct{}
}

func (h *held) Ack() error {
	<-h.open
	return nil
}

func inMemory(_ *testing.B, events []event) func() (message, error) {
	all, open := newFake(time.Now, nil, events).messages, make(chan struct{}, mostOpen)
	return func() (message, error) {
		if len(all) == 0 {
			return nil, errEnd
		}
		h := &held{*all[0], open}
		all = all[1:]
		open <- struct{}{}
		return h, nil
	}
}

func inNATS(b *testing.B, events []event) func() (message, error) {
	q, err := openQueue(b.Context(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(q.close)
	if err := q.publish(b.Context(), events); err != nil {
		b.Fatal(err)
	}
	messages, err := q.subscribe(b.Context(), time.Minute)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(messages.Stop)
	left := len(events)
	return func() (message, error) {
		if left--; left < 0 {
			return nil, errEnd
		}
		return messages.Next()
	}
}

func measure(b *testing.B, kind string, wait time.Duration, open func(*testing.B, []event) func() (message, error)) {
	l := newLedger()
	l.wait = func(event) time.Duration { return wait }
	events := make([]event, b.N)
	for i := range events {
		events[i] = event{"customer " + strconv.Itoa(i%1000), i/1000 + 1, 1}
	}
	next := open(b, events)
	rt := freerun.New()
	defer rt.Close()
	p := pool(newTwin(b.Context(), doIn(l)))
	if kind == "units" {
		p = newKeyed(rt, doIn(l))
	}
	b.ReportAllocs()
	b.ResetTimer()
	before := cpu()
	err := consume(b.Context(), next, p)
	b.ReportMetric(float64(cpu()-before)/float64(b.N), "cpu-ns/event")
	if len(l.journal) != b.N || l.early > 0 {
		b.Fatalf("%d effects of %d, %d came early: %v", len(l.journal), b.N, l.early, err)
	}
}

func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
