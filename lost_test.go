package freerun_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

var (
	errLost  = errors.New("no such account")
	loseIt   = freerun.Op("loseIt", func(_ *freerun.Context, _ *int, err error) (int, error) { return 0, err })
	loseFree = freerun.FreeOp("loseFree", func(_ *freerun.Context, err error) (int, error) { return 0, err })
	loseBoth = freerun.Op2("loseBoth", func(_ *freerun.Context, _, _ *int, err error) (int, error) { return 0, err })
	loseDeep = freerun.Op("loseDeep", func(c *freerun.Context, _ *int, to *freerun.Unit[int]) (int, error) {
		return 0, loseIt.Tell(c, to, errLost)
	})
	unmade = freerun.NewKind("unmade", func(_ *freerun.Context, key string) (int, error) { return 0, errLost })
)

// TestLostMessages loses a message in each way, and finds each, with its operation, its unit, its
// error and its senders.
func TestLostMessages(t *testing.T) {
	var mu sync.Mutex
	var told []freerun.LostMessage
	rt, _ := runtimetest.Start(t, freerun.OnLost(func(l freerun.LostMessage) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, l)
	}))
	c := rt.Context()
	u := freerun.NewUnit(rt, 0, freerun.UnitName("ada"))
	plain := freerun.NewUnit(rt, 0)
	stopped := freerun.NewUnit(rt, 0, freerun.UnitName("gone"))
	runtimetest.Must(t, freerun.Stop(c, stopped))
	s := rt.Scope(t.Context(), freerun.ScopeName("payday"))
	steps := []struct {
		what                         string
		lose                         func() error
		operation, unit, text, scope string
		is                           error
		senders                      []string
	}{
		{what: "an error", lose: func() error { return loseIt.Tell(c, u, errLost) }, operation: "loseIt", unit: "ada", is: errLost},
		{what: "a unit without name", lose: func() error { return loseIt.Tell(c, plain, errLost) }, operation: "loseIt", unit: "0x", is: errLost},
		{what: "a free operation", lose: func() error { return loseFree.Tell(c, errLost) }, operation: "loseFree", is: errLost},
		{what: "two units", lose: func() error { return loseBoth.Tell(c, u, plain, errLost) }, operation: "loseBoth", is: errLost},
		{what: "a panic", lose: func() error { return breakIt.Tell(c, u, false) }, operation: "breakIt", unit: "ada"},
		{what: "a stopped unit", lose: func() error { return loseIt.Tell(c, stopped, nil) }, operation: "loseIt", unit: "gone", is: freerun.ErrStopped},
		{what: "a failed factory", lose: func() error { return loseIt.Tell(c, unmade.At(c, "k"), nil) }, operation: "loseIt", unit: "unmade(k)", is: errLost},
		{what: "senders", lose: func() error { return loseDeep.Tell(s.Context(), u, plain) }, operation: "loseIt", unit: "0x", is: errLost, scope: "payday", senders: []string{"loseDeep"}},
	}
	for i, step := range steps {
		if err := step.lose(); err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		if err := rt.Quiesce(t.Context()); err != nil {
			t.Fatal(err)
		}
		all := rt.LostMessages()
		if len(all) != i+1 || rt.Stats().Lost != uint64(i+1) {
			t.Fatalf("%s: %d are kept, %d counted, want %d", step.what, len(all), rt.Stats().Lost, i+1)
		}
		l := all[i]
		if !strings.HasSuffix(l.Operation, step.operation) || !strings.HasPrefix(strings.TrimPrefix(l.Unit, "freerun_test."), step.unit) || (step.unit == "") != (l.Unit == "") ||
			step.is != nil && !errors.Is(l.Err, step.is) || l.Err == nil || l.Scope != step.scope || len(l.Senders) != len(step.senders) || time.Since(l.At) > time.Minute {
			t.Errorf("%s: %+v", step.what, l)
		}
		for j, name := range step.senders {
			if !strings.HasSuffix(l.Senders[j], name) {
				t.Errorf("%s: sent by %v", step.what, l.Senders)
			}
		}
	}
	if p, ok := rt.LostMessages()[4].Err.(*freerun.PanicError); !ok || p.Unit != "ada" || !strings.Contains(p.Error(), "breakIt on ada panicked") {
		t.Errorf("the panic: %v", rt.LostMessages()[4].Err)
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.EqualFunc(told, rt.LostMessages(), func(a, b freerun.LostMessage) bool {
		return a.At == b.At && a.Unit == b.Unit && a.Err.Error() == b.Err.Error()
	}) {
		t.Errorf("the hook was told %+v", told)
	}
}

// cargo is a value to panic with.
type cargo struct{ text string }

func (c *cargo) String() string {
	if c.text == "exit" {
		runtime.Goexit()
	}
	return c.text
}

// TestLostRepetition: a run of a repetition that is lost is one of its scope, and a FailFast scope
// reports it itself.
func TestLostRepetition(t *testing.T) {
	lost := make(chan freerun.LostMessage, 1)
	rt, _ := runtimetest.Start(t, freerun.OnLost(func(l freerun.LostMessage) {
		select {
		case lost <- l:
		default:
		}
	}))
	u := freerun.NewUnit(rt, 0, freerun.UnitName("ada"))
	s := rt.Scope(t.Context(), freerun.ScopeName("payday"))
	timer := loseIt.Every(s.Context(), time.Millisecond, u, errLost)
	if l := <-lost; l.Scope != "payday" || l.Unit != "ada" || !errors.Is(l.Err, errLost) {
		t.Errorf("lost is %+v", l)
	}
	timer.Stop()

	rt, _ = runtimetest.Start(t)
	quick := rt.Scope(t.Context(), freerun.FailFast())
	loseIt.Every(quick.Context(), time.Millisecond, freerun.NewUnit(rt, 0), errLost)
	<-quick.Context().Done()
	if err := quick.Wait(t.Context()); !errors.Is(err, errLost) {
		t.Errorf("the scope: %v", err)
	}
	if err := rt.Shutdown(t.Context()); err != nil || rt.Stats().Lost != 0 {
		t.Errorf("%d were lost, %v", rt.Stats().Lost, err)
	}
}

// TestLostMessagesKeepNoValues: the hook gets what an operation panicked with, and the list of lost
// messages its text, in each error that can hold it.
func TestLostMessagesKeepNoValues(t *testing.T) {
	var told []freerun.LostMessage // on one processor, so one after the other
	rt, _ := runtimetest.Start(t, freerun.Processors(1), freerun.OnLost(func(l freerun.LostMessage) { told = append(told, l) }))
	c := rt.Context()
	breaks := func(with any) freerun.Future[int] {
		return freerun.Go(c, func(*freerun.Context) (int, error) { panic(with) })
	}
	with := &cargo{"a parcel"}
	u := freerun.NewUnit(rt, 0, freerun.StopOnPanic())
	for range 2 { // the second one meets a unit that is stopped
		dropAny.Tell(c, u, with)
	}
	takesFuture.Tell(c, breaks(with))
	takesFuture.Tell(c, breaks(errLost))
	dropAny.Tell(c, panicking.At(c, "k"), nil)
	dropAny.Tell(c, freerun.NewUnit(rt, 0), &cargo{"exit"})
	if err := rt.Quiesce(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept := rt.LostMessages()
	if len(told) != 6 || len(kept) != 6 {
		t.Fatalf("%d were told, %d are kept", len(told), len(kept))
	}
	texts := map[string]int{}
	for i, l := range kept {
		of := told[i]
		var was, is *freerun.PanicError
		if !errors.As(of.Err, &was) || !errors.As(l.Err, &is) || reflect.TypeOf(of.Err) != reflect.TypeOf(l.Err) {
			t.Fatalf("%v is kept as %v", of.Err, l.Err)
		}
		switch was.Value.(type) {
		case *cargo:
			texts[is.Value.(string)]++
		case error:
			texts["error"]++
			if !errors.Is(l.Err, errLost) {
				t.Errorf("%v is not the error it was", l.Err)
			}
		}
		if was.Operation != is.Operation || string(was.Stack) != string(is.Stack) {
			t.Errorf("%v is kept with another operation or stack", of.Err)
		}
	}
	if want := map[string]int{"a parcel": 4, "error": 1, "a *freerun_test.cargo": 1}; !maps.Equal(texts, want) {
		t.Errorf("the values are %v, want %v", texts, want)
	}
}

var (
	dropAny     = freerun.Op("dropAny", func(_ *freerun.Context, _ *int, v any) (int, error) { panic(v) })
	takesFuture = freerun.FreeOp("takesFuture", func(_ *freerun.Context, f freerun.Future[int]) (int, error) { return f.Value(), nil })
	panicking   = freerun.NewKind("panicking", func(_ *freerun.Context, key string) (int, error) { panic(&cargo{"a parcel"}) })
)

// TestLostMessagesAreTheLast loses messages from several goroutines at once: the last ones are
// kept, each once, those of one unit in their order.
func TestLostMessagesAreTheLast(t *testing.T) {
	rt := startQuiet(t)
	c := rt.Context()
	const senders, each = 4, 500
	var all sync.WaitGroup
	for i := range senders {
		all.Go(func() {
			u := freerun.NewUnit(rt, 0, freerun.UnitName(fmt.Sprint(i)))
			for n := range each {
				loseIt.Tell(c, u, fmt.Errorf("%d", n))
				rt.LostMessages()
			}
		})
	}
	all.Wait()
	if err := rt.Quiesce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := rt.Stats().Lost; n != senders*each {
		t.Errorf("%d are lost", n)
	}
	last := rt.LostMessages()
	if len(last) != freerun.MostLostMessages {
		t.Fatalf("%d are kept", len(last))
	}
	seen := map[string]string{}
	for _, l := range last {
		if n := l.Err.Error(); len(n) < len(seen[l.Unit]) || len(n) == len(seen[l.Unit]) && n <= seen[l.Unit] {
			t.Errorf("of unit %s %s after %s", l.Unit, n, seen[l.Unit])
		}
		seen[l.Unit] = l.Err.Error()
	}
	found := false
	for _, n := range seen {
		found = found || n == fmt.Sprint(each-1)
	}
	if !found {
		t.Errorf("none is the last of its unit: %v", seen)
	}
}

// TestOnLostMisbehaves has a hook panic, wait, close the runtime and lose messages itself.
func TestOnLostMisbehaves(t *testing.T) {
	var rt *freerun.Runtime
	var u *freerun.Unit[int]
	var closed, waited error
	calls := 0
	hook := func(l freerun.LostMessage) {
		switch calls++; calls { // of one unit, so one after the other
		case 1:
			loseIt.Tell(rt.Context(), u, errLost)
			_, waited = runtimetest.AddOne.Send(rt.Context(), u, 1).Wait(t.Context())
			closed = rt.Close()
			panic("no")
		}
	}
	rt, j := runtimetest.Start(t, freerun.OnLost(hook), freerun.Processors(1))
	u = freerun.NewUnit(rt, 0)
	loseIt.Tell(rt.Context(), u, errLost)
	if err := rt.Quiesce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(waited, freerun.ErrWouldBlock) || !errors.Is(closed, freerun.ErrWouldBlock) || calls != 2 {
		t.Errorf("the wait: %v; the Close: %v; %d calls", waited, closed, calls)
	}
	if got, err := runtimetest.AddOne.Send(rt.Context(), u, 1).Wait(t.Context()); err != nil || got != 2 {
		t.Errorf("the unit has %d, %v", got, err)
	}
	if log := strings.Join(j.Texts(), "\n"); !strings.Contains(log, "hook panicked") {
		t.Errorf("not reported: %q", log)
	}
	defer func() {
		if recover() == nil {
			t.Error("OnLost(nil) is no panic")
		}
	}()
	freerun.OnLost(nil)
}
