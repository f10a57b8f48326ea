package contest

import (
	"sync"
	"testing"
)

// inline returns a pool that delivers every message within send, the given number of times. It
// holds no lock: only one goroutine may send at a time.
func inline(times int) Pool {
	return func() (submit func(func()), wait, stop func()) {
		return func(task func()) {
			for range times {
				task()
			}
		}, func() {}, func() {}
	}
}

func TestSubmitCounts(t *testing.T) {
	for _, times := range []int{0, 1, 2} {
		if got := Submit(inline(times), 10); got != 10*times {
			t.Errorf("a pool that runs every task %d times ran %d of 10, want %d", times, got, 10*times)
		}
	}
}

func TestFanInCountsWhatComesTwice(t *testing.T) {
	messages := make(chan struct{}, 1024)
	done := make(chan struct{})
	twice := func(receive func()) (send, stop func()) {
		go func() {
			for range messages {
				receive()
				receive()
			}
			close(done)
		}()
		return func() { messages <- struct{}{} }, func() { close(messages); <-done }
	}
	if got := FanIn(twice, 1000); got != 2000 {
		t.Errorf("%d messages counted, 2000 delivered", got)
	}
}

func TestPingPongCounts(t *testing.T) {
	alone := func(hop func() bool) (serve, stop func()) {
		return func() {
			for hop() {
			}
		}, func() {}
	}
	if got := PingPong(alone, 7); got != 7 {
		t.Errorf("%d hops counted, want 7", got)
	}
}

func TestCountersCount(t *testing.T) {
	for name, more := range map[string]int64{"right": 1, "wrong": 2} {
		forgetful := func() (tell func(uint64, int), ask func(uint64, int) int64, wait, stop func()) {
			var mu sync.Mutex
			counts := map[uint64]int64{}
			ask = func(key uint64, _ int) int64 {
				mu.Lock()
				defer mu.Unlock()
				if counts[key]++; counts[key] == 7 { // once for each key
					counts[key] += more - 1
				}
				return counts[key]
			}
			return func(key uint64, work int) { ask(key, work) }, ask, func() {}, func() {}
		}
		if _, err := oneRound(forgetful, 50, zipf(50, 1000), 0); (err == nil) != (name == "right") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
