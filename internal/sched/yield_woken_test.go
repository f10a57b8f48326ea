package sched

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// TestNoteWoken has a goroutine wait for tasks of a processor that is busy with short tasks, on
// the only P. It counts the tasks that run between the end of its wait and its next step: a few,
// where a processor that yields by time only runs hundreds.
func TestNoteWoken(t *testing.T) {
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
		time.Sleep(time.Millisecond) // longer than wokenPause
		s.Inject(&newJob(func(p *Processor) {
			woken <- ran.Load()
			NoteWoken()
		}).Task)
		between[i] = -<-woken
		between[i] += ran.Load()
	}
	ended.Store(true)
	awaitParked(t, s)
	slices.Sort(between[:])
	if median := between[waits/2]; median > 16 {
		t.Errorf("%d tasks ran in the median before the goroutine that was woken, from %d to %d",
			median, between[0], between[waits-1])
	}
}

// TestYieldsAfterRest has a goroutine wait for a processor that was at rest for long, and is
// flooded at once: for a task that notes that it has woken the goroutine, and for one that does
// not, after which the goroutine waits for a yield that is due. Go itself would preempt the
// processor after hundreds of thousands of tasks.
func TestYieldsAfterRest(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	s := started(t, 1)
	for most, wake := range map[int64]func(){16: NoteWoken, 40_000: func() {}} {
		const waits = 5
		var between [waits]int64
		for i := range between {
			time.Sleep(100 * time.Millisecond)
			var ran atomic.Int64
			var ended atomic.Bool
			chain := newJob(nil)
			chain.do = func(p *Processor) {
				p.Spend()
				if ran.Add(1); !ended.Load() {
					p.PushNext(&chain.Task)
				}
			}
			woken := make(chan int64, 1)
			s.Inject(&chain.Task)
			s.Inject(&newJob(func(p *Processor) {
				p.Spend()
				woken <- ran.Load()
				wake()
			}).Task)
			between[i] = -<-woken
			between[i] += ran.Load()
			ended.Store(true)
			awaitParked(t, s)
		}
		slices.Sort(between[:])
		if median := between[waits/2]; median > most {
			t.Errorf("%d tasks ran in the median before the goroutine that was woken, from %d to %d, want %d at most",
				median, between[0], between[waits-1], most)
		}
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
