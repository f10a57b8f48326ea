package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
)

func TestMain(m *testing.M) {
	child()
	goleak.VerifyTestMain(m)
}

var three = limit{3, 100 * time.Millisecond}

// client is somebody who asks for some keys at random times, and remembers when he was allowed.
type client struct {
	t       testing.TB
	random  *rand.Rand
	now     func() time.Time
	sleep   func(time.Duration)
	allowed map[string][]request
}

// request is one that was allowed, at some time between two.
type request struct{ sent, answered time.Time }

// ask asks, and checks that who waits as long as he was told is allowed.
func (c *client) ask(all limiter) {
	key := []string{"ada", "bob", "eve"}[c.random.IntN(3)]
	sent := c.now()
	wait, err := all.allow(c.t.Context(), key)
	if wait > 0 && c.random.IntN(2) == 0 {
		c.sleep(wait)
		if sent = c.now(); err == nil {
			wait, err = all.allow(c.t.Context(), key)
		}
		if wait != 0 {
			c.t.Errorf("%s has waited as it was told, and is to wait %v more", key, wait)
		}
	}
	if err != nil {
		c.t.Fatal(err)
	}
	if wait == 0 {
		c.allowed[key] = append(c.allowed[key], request{sent, c.now()})
	}
	if c.random.IntN(8) == 0 {
		c.sleep(time.Duration(c.random.IntN(6)) * three.full()) // some keys are dropped
	}
	c.sleep(time.Duration(c.random.IntN(3)) * three.Each / 8)
}

// check looks whether a key was allowed too much in any time.
func (c *client) check() {
	c.t.Helper()
	for key, requests := range c.allowed {
		for i, first := range requests {
			for j, last := range requests[i:] {
				d := last.answered.Sub(first.sent)
				if most := three.Burst + int(d/three.Each); j+1 > most {
					c.t.Errorf("%s was allowed %d requests in %v", key, j+1, d)
				}
			}
		}
	}
}

// TestUnits asks units under 500 schedules, in virtual time.
func TestUnits(t *testing.T) {
	dropped := uint64(0)
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		all, err := newUnits(rt, three, "")
		if err != nil {
			t.Fatal(err)
		}
		sleep := func(d time.Duration) { freerun.After(rt.Context(), d).Wait(t.Context()) }
		c := client{t, freeruntest.Random(rt), rt.Now, sleep, map[string][]request{}}
		for range 40 {
			c.ask(all)
		}
		c.check()
		dropped += all.kind.Stats(rt).Passivations
		if sleep(4 * three.full()); all.keys() != 0 {
			t.Errorf("%d keys are in memory", all.keys())
		}
	})
	if dropped == 0 {
		t.Error("no key was dropped while others were asked for")
	}
}

// TestTwin asks the twin, in a bubble of Go's virtual time.
func TestTwin(t *testing.T) {
	for seed := range uint64(100) {
		synctest.Test(t, func(t *testing.T) {
			all := newTwin(three)
			c := client{t, rand.New(rand.NewPCG(seed, 0)), time.Now, time.Sleep, map[string][]request{}}
			for range 40 {
				c.ask(all)
			}
			c.check()
			if time.Sleep(4 * three.full()); all.keys() != 0 {
				t.Errorf("%d keys are in memory", all.keys())
			}
			all.close(t.Context())
		})
	}
}

// generous is a limiter that has a key of its own for each request: the control.
type generous struct{ limiter }

func (g generous) allow(context.Context, string) (time.Duration, error) { return 0, nil }

func TestControl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &failing{TB: t}
		c := client{f, rand.New(rand.NewPCG(1, 0)), time.Now, time.Sleep, map[string][]request{}}
		for range 40 {
			c.ask(generous{})
		}
		if c.check(); f.errors == 0 {
			t.Error("a limiter that allows all is not found")
		}
	})
}

// failing is a test that may fail.
type failing struct {
	testing.TB
	errors int
}

func (f *failing) Errorf(string, ...any) { f.errors++ }

func TestService(t *testing.T) {
	rt := freerun.New()
	defer rt.Close()
	all, err := newUnits(rt, limit{3, time.Hour}, "")
	if err != nil {
		t.Fatal(err)
	}
	other := newTwin(limit{3, time.Hour})
	defer other.close(t.Context())
	for _, service := range []http.Handler{handler(all), handler(other)} {
		for i, want := range []int{204, 204, 204, 429, 429} {
			w := httptest.NewRecorder()
			service.ServeHTTP(w, httptest.NewRequest("GET", "/allow?key=ada", nil))
			if after := w.Header().Get("Retry-After"); w.Code != want || (after != "") != (want == 429) {
				t.Errorf("request %d has status %d, and is told to wait %q", i, w.Code, after)
			}
		}
		w := httptest.NewRecorder()
		if service.ServeHTTP(w, httptest.NewRequest("GET", "/keys", nil)); w.Body.String() != "1\n" {
			t.Errorf("there are %q keys", w.Body)
		}
	}
}
