package sched

import (
	"sync/atomic"
	"testing"
	"time"
)

func TestNextBatch(t *testing.T) {
	for _, c := range []struct {
		batch int
		took  time.Duration
		want  int
	}{
		{1, 0, 2},                    // too short to measure
		{1, YieldAfter / 8, 2},       // grows at most to twice
		{64, YieldAfter / 50, 128},   // up to the greatest batch
		{128, 0, 128},                // and no further
		{16, YieldAfter / 2, 16},     // just right
		{16, YieldAfter, 8},          // half as many take half as long
		{2, YieldAfter * 2 / 5, 2},   // rounds down
		{64, time.Second, 1},         // a long operation
		{1, time.Hour, 1},            // never less than one
		{10, YieldAfter/4 + 100, 19}, // little more than the limit for growing freely
	} {
		if got := nextBatch(c.batch, c.took); got != c.want {
			t.Errorf("nextBatch(%d, %v) = %d, want %d", c.batch, c.took, got, c.want)
		}
	}
}

// TestBusyProcessorYields runs an endless chain of tasks on each processor until they have yielded
// many times.
func TestBusyProcessorYields(t *testing.T) {
	const processors, yields = 2, 50
	s := started(t, processors)
	var ended atomic.Bool
	for range processors {
		chain := newJob(nil)
		chain.do = func(p *Processor) {
			p.Spend()
			if !ended.Load() {
				p.PushNext(&chain.Task)
			}
		}
		s.Inject(&chain.Task)
	}
	for _, p := range s.Processors() {
		until(t, "a busy processor to let others run", func() bool { return p.Stats().Yields > yields })
	}
	ended.Store(true)
	awaitParked(t, s)
	for _, p := range s.Processors() {
		if figures := p.Stats(); figures.Steps < figures.Yields || figures.Parks == 0 {
			t.Errorf("the figures of processor %d are %+v", p.Index(), figures)
		}
	}
}

func TestKeepFor(t *testing.T) {
	for _, c := range []struct{ took, want time.Duration }{
		{0, YieldAfter},                            // nobody else had anything to do
		{4 * YieldAfter, YieldAfter},               // a short request
		{time.Millisecond, 250 * time.Microsecond}, // a longer one
		{20 * time.Millisecond, 5 * time.Millisecond},
		{time.Second, maxPatience}, // many that compute
	} {
		if got := keepFor(c.took); got != c.want {
			t.Errorf("keepFor(%v) = %v, want %v", c.took, got, c.want)
		}
	}
}

// TestTimeBeforeTheFirstHost holds that a processor does not yield before its first task because
// its host has waited for a P until then: the yield would have it wait once more. A slow machine
// may make a yield due all the same. So the best of several schedulers counts.
func TestTimeBeforeTheFirstHost(t *testing.T) {
	var yields uint64
	for range 50 {
		s := New(Config{Processors: 1})
		time.Sleep(2 * YieldAfter)
		ran := make(chan uint64)
		s.Inject(&newJob(func(p *Processor) {
			p.Spend()
			ran <- p.Stats().Yields
		}).Task)
		s.Start()
		yields = <-ran
		stop(t, s)
		if yields == 0 {
			return
		}
	}
	t.Errorf("a processor yields %d times before its first task has ended", yields)
}
