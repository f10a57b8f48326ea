package freerun_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// These tests hold what the scan of an argument looks into, and what it leaves alone.

type node struct {
	value freerun.Future[int]
	next  *node
	any   []any
}

var sumNodes = freerun.FreeOp("sumNodes", func(_ *freerun.Context, n *node) (sum int, err error) {
	for x := n; x != nil; x = x.next {
		sum += x.value.Value()
		for _, a := range x.any {
			if f, ok := a.(freerun.Future[int]); ok {
				sum += f.Value()
			}
		}
		if x.next == n {
			break
		}
	}
	return sum, nil
})

func TestScanOfALongList(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	g := runtimetest.NewGate()
	last := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { g.Pass(); return 1, nil })
	<-g.Entered
	var list *node
	for i := range 10000 {
		list = &node{value: freerun.Resolved(1), next: list}
		if i == 0 {
			list.value = last
		}
	}
	f := sumNodes.Send(rt.Context(), list)
	close(g.Opened)
	if v := runtimetest.Must(t, f); v != 10000 {
		t.Error(v)
	}
}

// TestScanOfRings scans values that lead back to themselves, by pointers, slices, maps and
// interfaces.
func TestScanOfRings(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	g := runtimetest.NewGate()
	late := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { g.Pass(); return 1, nil })
	<-g.Entered
	a, b := &node{value: freerun.Resolved(1)}, &node{value: late}
	a.next, b.next = b, a
	a.any = []any{nil, 3, "text", a, a.any, late, map[string]any{"b": b}}
	a.any[4] = a.any // a slice that contains itself
	m := map[any]any{"x": a}
	m["m"] = m
	b.any = []any{m}
	f := sumNodes.Send(rt.Context(), a)
	close(g.Opened)
	if v := runtimetest.Must(t, f); v != 3 {
		t.Error(v)
	}
}

// guardedMap is a program's state with a lock. A scan of its fields would be a race, and a crash
// of the process because of the map.
type guardedMap struct {
	mu sync.Mutex
	m  map[string]any
}

type opaqueArg struct {
	unit    *freerun.Unit[freerun.Future[int]]
	rt      *freerun.Runtime
	ctx     context.Context
	guarded *guardedMap
	log     *slog.Logger
	ch      chan freerun.Future[int]
	fn      func() freerun.Future[int]
}

var takeOpaque = freerun.FreeOp("takeOpaque", func(*freerun.Context, opaqueArg) (int, error) { return 1, nil })

func TestScanLeavesAlone(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	g := runtimetest.NewGate()
	open := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { g.Pass(); return 1, nil })
	<-g.Entered
	guarded := &guardedMap{m: map[string]any{"f": open}}
	stop := make(chan struct{})
	var busy sync.WaitGroup
	busy.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				guarded.mu.Lock()
				guarded.m[string(rune('a'+i%26))] = i
				guarded.mu.Unlock()
			}
		}
	})
	ch := make(chan freerun.Future[int], 1)
	ch <- open
	for range 200 {
		runtimetest.Must(t, takeOpaque.Send(rt.Context(), opaqueArg{
			freerun.NewUnit(rt, open), rt, context.WithValue(t.Context(), guarded, open), guarded, slog.Default(), ch,
			func() freerun.Future[int] { return open },
		}))
	}
	close(stop)
	busy.Wait()
	close(g.Opened)
	runtimetest.Must(t, open)
}
