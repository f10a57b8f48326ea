package sched

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// TestYieldForWoken has a goroutine wait for tasks of a processor that is busy with short tasks, on
// the only P. It counts the tasks that run between the end of its wait and its next step: a few,
// where a processor that yields by time only runs hundreds.
func TestYieldForWoken(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	s := started(t, 1)
	var ran atomic.Int64 // by the processor
	var ended atomic.Bool
	chain := newJob(nil)
	chain.do = func(p *Processor) {
		p.Spend()
		if ran.Add(1); !ended.Load() {
			p.PushNext(&chain.Task)
		}
	}
	s.Inject(&chain.Task)
	const waits = 51
	var between [waits]int64
	woken := make(chan int64, 1)
	for i := range between {
		time.Sleep(time.Millisecond) // longer than answerEvery
		s.Inject(&newJob(func(p *Processor) {
			woken <- ran.Load()
			p.YieldForWoken()
		}).Task)
		between[i] = -<-woken
		between[i] += ran.Load()
	}
	ended.Store(true)
	awaitParked(t, s)
	slices.Sort(between[:])
	if median := between[waits/2]; median > 8 {
		t.Errorf("%d tasks ran in the median before the goroutine that was woken, from %d to %d",
			median, between[0], between[waits-1])
	}
}

// TestYieldsForWokenAreRare holds that a processor whose tasks all wake a goroutine does not yield
// after each.
func TestYieldsForWokenAreRare(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	s := started(t, 1)
	const tasks = 100_000
	ended := make(chan time.Duration)
	chain, left, began := newJob(nil), tasks, time.Now()
	chain.do = func(p *Processor) {
		p.Spend()
		p.YieldForWoken()
		if left--; left > 0 {
			p.PushNext(&chain.Task)
		} else {
			ended <- time.Since(began)
		}
	}
	s.Inject(&chain.Task)
	took := <-ended
	awaitParked(t, s)
	yields := s.Processors()[0].Stats().Yields
	if most := uint64(took/answerEvery + took/YieldAfter + 2); yields > most {
		t.Errorf("%d tasks in %v yielded %d times, more than %d", tasks, took, yields, most)
	}
	if yields < 2 {
		t.Errorf("%d tasks yielded %d times", tasks, yields)
	}
}

func TestPauseAfterAnswer(t *testing.T) {
	for _, c := range []struct{ took, want time.Duration }{
		{300, answerEvery},                       // nobody, or a goroutine that waits again at once
		{answerEvery / 2, answerEvery},           // up to half
		{20 * time.Microsecond, 2 * 20_000},      // one that works
		{time.Millisecond, 2 * time.Millisecond}, // then a yield that is due by time comes before
	} {
		if got := PauseAfterAnswer(c.took); got != c.want {
			t.Errorf("PauseAfterAnswer(%v) = %v, want %v", c.took, got, c.want)
		}
	}
}
