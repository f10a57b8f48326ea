//go:build !wasm

package cluster_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// ender is a value whose methods call runtime.Goexit, or panic, if it says so.
type ender struct{ Text string }

// ends says when methods of an ender with a text end the goroutine.
func (e ender) ends(in string) {
	switch e.Text {
	case in + " ends":
		runtime.Goexit()
	case in + " panics":
		panic(e.Text)
	}
}

func (e ender) AppendBinary(b []byte) ([]byte, error) {
	e.ends("writing")
	return append(b, e.Text...), nil
}

func (e *ender) UnmarshalBinary(b []byte) error {
	e.Text = string(b)
	if !readable.Load() {
		e.ends("reading")
	}
	return nil
}

// Error makes an ender an error.
func (e ender) Error() string {
	e.ends("error")
	return e.Text
}

// endingKey is a key whose methods end the goroutine.
type endingKey struct{ ender }

var (
	readable atomic.Bool // by UnmarshalBinary, whatever it says

	enders     = freerun.NewKind("ender", func(*freerun.Context, string) (ender, error) { return ender{}, nil }, cluster.Durable())
	endingKeys = freerun.NewKind("ending_key", freshCount[endingKey], cluster.Durable())
	endsOf     = freerun.Op("endsOf", func(c *freerun.Context, e *ender, to string) (string, error) {
		before := e.Text
		e.Text = to
		return before, nil
	})
	endsTold = freerun.Op("endsTold", func(c *freerun.Context, e *ender, x ender) (int, error) {
		e.Text += "told "
		return 0, nil
	})
	endsTells = freerun.Op("endsTells", func(c *freerun.Context, e *ender, x ender) (int, error) {
		return 0, endsTold.Tell(c, enders.At(c, "told"), x)
	})
	endsGives = freerun.Op("endsGives", func(c *freerun.Context, e *ender, text string) (ender, error) {
		e.Text += "gave "
		if strings.HasPrefix(text, "error") {
			return ender{}, ender{text}
		}
		return ender{text}, nil
	})
	endsPanics = freerun.Op("endsPanics", func(c *freerun.Context, e *ender, text string) (ender, error) { panic(ender{text}) })
	endsAsks   = freerun.Op("endsAsks", func(c *freerun.Context, e *ender, text string) (int, error) {
		return 0, cluster.Ask(c, endsGives, enders.At(c, "asked"), text, endsHears)
	})
	endsHears = freerun.Op("endsHears", func(c *freerun.Context, e *ender, a cluster.Answer[string, ender]) (int, error) {
		e.Text = fmt.Sprint("heard ", a.Err != nil)
		return 0, nil
	})
	endsTellsPanic = freerun.Op("endsTellsPanic", func(c *freerun.Context, e *ender, text string) (int, error) {
		return 0, endsPanics.Tell(c, enders.At(c, "panics"), text)
	})
	endsLook = freerun.ReadOp("endsLook", func(c *freerun.Context, e *ender, _ int) (string, error) { return e.Text, nil })
)

// TestMethodsEnd holds that a method of a stored type, or of an error, that calls runtime.Goexit
// fails what needs it, as one that panics does, and nothing else.
func TestMethodsEnd(t *testing.T) {
	for _, how := range []string{" ends", " panics"} {
		rt, n, _ := start(t, t.TempDir())
		c := rt.Context()
		readable.Store(false)
		at := func(key string) *freerun.Unit[ender] { return enders.At(c, key) }
		fails := func(what string, err error) {
			t.Helper()
			if err == nil || errors.Is(err, freerun.ErrClosed) {
				t.Errorf("%s%s: %v", what, how, err)
			}
		}
		has := func(key, want string) {
			t.Helper()
			if got := must(t, endsLook.Send(c, at(key), 0)); got != want {
				t.Errorf("%s%s: %q, want %q", key, how, got, want)
			}
		}
		must(t, endsOf.Send(c, at("a"), "sound"))
		var behind []freerun.Future[string]
		for range 3 { // one alone, and others beside it
			_, err := endsOf.Send(c, at("a"), "writing"+how).Wait(within(t))
			fails("a state that is written", err)
			behind = append(behind, endsOf.Send(c, at("a"), "sound"))
		}
		for _, f := range behind {
			if got := must(t, f); got != "sound" {
				t.Errorf("after what was undone: %q", got)
			}
		}
		has("a", "sound")

		must(t, endsOf.Send(c, at("b"), "reading"+how))
		must(t, enders.Stop(c, "b"))
		for range 3 {
			_, err := endsLook.Send(c, at("b"), 0).Wait(within(t))
			fails("a state that is read", err)
		}
		has("another", "")

		_, err := endsTells.Send(c, at("c"), ender{"writing" + how}).Wait(within(t))
		fails("an argument that is written", err)
		must(t, endsTells.Send(c, at("c"), ender{"reading" + how}))
		must(t, endsTells.Send(c, at("c"), ender{"sound"}))
		settle(t, rt)
		has("told", "told ")
		if got := n.Stats().Failures; got != 1 {
			t.Errorf("an argument that is read%s: %d failures", how, got)
		}

		for _, text := range []string{"writing", "error"} {
			once := cluster.Once(c, text)
			var all []freerun.Future[ender]
			for range 2 {
				all = append(all, endsGives.Send(once, at("d"), text+how))
			}
			for _, f := range all {
				_, err := f.Wait(within(t))
				fails("the outcome of an identity: "+text, err)
			}
		}
		has("d", "gave ") // an error undoes nothing
		must(t, endsAsks.Send(c, at("e"), "writing"+how))
		settle(t, rt)
		has("e", "heard true")
		must(t, endsAsks.Send(c, at("f"), "error"+how))
		settle(t, rt)
		has("f", "heard true")
		if err := endsGives.Tell(c, at("g"), "error"+how); err != nil {
			t.Error(err)
		}
		settle(t, rt)
		has("g", "gave ")
		must(t, endsTellsPanic.Send(c, at("h"), "error"+how))
		settle(t, rt)
		if got := n.Stats().Failures; got != 2 {
			t.Errorf("an error of a recorded failure%s: %d failures", how, got)
		}
		for _, key := range []string{"writing", "reading"} {
			_, err := countsOn.Send(c, endingKeys.At(c, endingKey{ender{key + how}}), 1).Wait(within(t))
			fails("a key: "+key, err)
		}
		must(t, countsOn.Send(c, endingKeys.At(c, endingKey{ender{"sound"}}), 1))
	}
}
