package tour_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
)

//tour:begin limiter
const burst, each = 3, 100 * time.Millisecond // 3 requests at once, and one more every 100 ms

// The state of a key is the time at which all that it was allowed would have come one by one.
var limits = freerun.NewKind("limit", func(c *freerun.Context, apiKey string) (time.Time, error) {
	return c.Runtime().Now(), nil // an error would refuse the key
}, freerun.PassivateAfter(time.Second)) // a key that was idle for burst*each is as good as new

var allow = freerun.Op("allow", func(c *freerun.Context, due *time.Time, _ struct{}) (bool, error) {
	now := c.Runtime().Now() // virtual in tests
	if due.Before(now) {
		*due = now
	}
	if due.Sub(now) > (burst-1)*each {
		return false, nil
	}
	*due = due.Add(each)
	return true, nil
})

func limited(rt *freerun.Runtime, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		u := limits.At(rt.Context(), r.Header.Get("X-API-Key")) // costs a look-up
		switch ok, err := allow.Call(r.Context(), u, struct{}{}); {
		case err != nil:
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		case !ok:
			http.Error(w, "slow down", http.StatusTooManyRequests)
		default:
			next(w, r)
		}
	}
}

//tour:end

func Example_limiter() {
	rt := freerun.New()
	defer rt.Close()
	//tour:begin limiter-used
	handle := limited(rt, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello") })
	for _, key := range []string{"ada", "ada", "ada", "ada", "bob"} {
		r, answer := httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()
		r.Header.Set("X-API-Key", key)
		handle(answer, r)
		fmt.Print(answer.Code, " ")
	}
	fmt.Println(limits.Len(rt), "keys have a state")
	// Output: 200 200 200 429 200 2 keys have a state
	//tour:end
}

//tour:begin limiter-test
func TestLimiter(t *testing.T) {
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		random, allowed := freeruntest.Random(rt), map[string][]time.Time{}
		for range 40 {
			key := []string{"ada", "bob"}[random.IntN(2)]
			ok, err := allow.Send(rt.Context(), limits.At(rt.Context(), key), struct{}{}).Wait(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				allowed[key] = append(allowed[key], rt.Now())
			}
			pause := time.Duration(random.IntN(8)*random.IntN(8)) * each / 2 // so some are dropped
			freerun.After(rt.Context(), pause).Wait(t.Context())             // passes at once
		}
		for key, times := range allowed {
			if n, in := tooMany(times); n > 0 {
				t.Errorf("%s was allowed %d requests in %v", key, n, in)
			}
		}
		if limits.Stats(rt).Passivations == 0 {
			t.Error("no key was dropped")
		}
	}, freeruntest.Runs(100))
}

//tour:end

// tooMany returns how many requests were allowed in a time that is too short for them, 0 if none
// were.
func tooMany(times []time.Time) (n int, in time.Duration) {
	for i := range times {
		for j := range times[i:] {
			if in := times[i+j].Sub(times[i]); j+1 > burst+int(in/each) {
				return j + 1, in
			}
		}
	}
	return 0, 0
}

// hasty has keys whose states are dropped while they still count.
var hasty = freerun.NewKind("hasty", func(c *freerun.Context, _ string) (time.Time, error) {
	return c.Runtime().Now(), nil
}, freerun.PassivateAfter(each/5))

// TestLimiterIsTested is the control: a key that is dropped too soon gets too much.
func TestLimiterIsTested(t *testing.T) {
	found := 0
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		var times []time.Time
		for range 40 {
			ok, err := allow.Send(rt.Context(), hasty.At(rt.Context(), "ada"), struct{}{}).Wait(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				times = append(times, rt.Now())
			}
			pause := time.Duration(freeruntest.Random(rt).IntN(8)) * each / 8
			freerun.After(rt.Context(), pause).Wait(t.Context())
		}
		if n, _ := tooMany(times); n > 0 {
			found++
		}
		if !slices.IsSortedFunc(times, time.Time.Compare) {
			t.Error("time went back")
		}
	}, freeruntest.Runs(20))
	if found == 0 {
		t.Error("no schedule finds that keys are dropped too soon")
	}
}
