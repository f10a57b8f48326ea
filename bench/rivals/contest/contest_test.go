package contest

import "testing"

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
