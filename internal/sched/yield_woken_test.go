package sched

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// flooded is a scheduler's processor that is busy with a chain of short tasks.
type flooded struct {
	s     *Scheduler
	ran   atomic.Int64
	ended atomic.Bool
}

// flood begins the chain.
func flood(s *Scheduler) *flooded {
	f := &flooded{s: s}
	chain := newJob(nil)
	chain.do = func(p *Processor) {
		p.Spend()
		if f.ran.Add(1); !f.ended.Load() {
			p.PushNext(&chain.Task)
		}
	}
	s.Inject(&chain.Task)
	return f
}

// end ends the chain, and waits until the processor has parked.
func (f *flooded) end(t *testing.T) {
	f.ended.Store(true)
	awaitParked(t, f.s)
}

// ask waits for a task that calls wake after it has made the caller ready. It returns how many
// tasks of the chain ran between that and the caller's next step.
func (f *flooded) ask(wake func()) int64 {
	woken := make(chan int64, 1)
	f.s.Inject(&newJob(func(p *Processor) {
		p.Spend()
		woken <- f.ran.Load()
		wake()
	}).Task)
	then := <-woken
	return f.ran.Load() - then
}

// checkMedian holds that the median of the figures of ask is small.
func checkMedian(t *testing.T, between []int64, most int64) {
	t.Helper()
	slices.Sort(between)
	if median := between[len(between)/2]; median > most {
		t.Errorf("%d tasks ran in the median before the goroutine that was woken, from %d to %d, want %d at most",
			median, between[0], between[len(between)-1], most)
	}
}

// TestNoteWoken has a goroutine wait for tasks of a processor that is busy with short tasks, on
// the only P. It counts the tasks that run between the end of its wait and its next step: a few,
// where a processor that yields by time only runs hundreds.
func TestNoteWoken(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f := flood(started(t, 1))
	between := make([]int64, 51)
	for i := range between {
		time.Sleep(time.Millisecond) // longer than wokenPause
		between[i] = f.ask(NoteWoken)
	}
	f.end(t)
	checkMedian(t, between, 16)
}

// TestYieldsAfterRest has a goroutine wait for a processor that was at rest for long, and is
// flooded at once: for a task that notes that it has woken the goroutine, and for one that does
// not, after which the goroutine waits for a yield that is due. Go itself would preempt the
// processor after hundreds of thousands of tasks.
func TestYieldsAfterRest(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	s := started(t, 1)
	for most, wake := range map[int64]func(){16: NoteWoken, 40_000: func() {}} {
		between := make([]int64, 5)
		for i := range between {
			time.Sleep(100 * time.Millisecond)
			f := flood(s)
			between[i] = f.ask(wake)
			f.end(t)
		}
		checkMedian(t, between, most)
	}
}

// TestYieldsToWokenAreRare holds that a processor whose tasks all wake a goroutine does not yield
// after each.
func TestYieldsToWokenAreRare(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	s := started(t, 1)
	const tasks = 100_000
	ended := make(chan time.Duration)
	chain, left, began := newJob(nil), tasks, time.Now()
	chain.do = func(p *Processor) {
		p.Spend()
		NoteWoken()
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
	if most := uint64(took/wokenPause + took/YieldAfter + 2); yields > most {
		t.Errorf("%d tasks in %v yielded %d times, more than %d", tasks, took, yields, most)
	}
}

func TestPauseAfterWoken(t *testing.T) {
	for _, c := range []struct{ took, want time.Duration }{
		{300, wokenPause},                        // nobody, or a goroutine that waits again at once
		{wokenPause / 2, wokenPause},             // up to half
		{20 * time.Microsecond, 2 * 20_000},      // one that works
		{time.Millisecond, 2 * time.Millisecond}, // then a yield that is due by time comes before
	} {
		if got := PauseAfterWoken(c.took); got != c.want {
			t.Errorf("PauseAfterWoken(%v) = %v, want %v", c.took, got, c.want)
		}
	}
}
