package simulate

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Usual values, for what cannot be measured because there is one processor or another program keeps
// the second one busy.
const (
	assumedTransfer = 60
	assumedWake     = 10_000
	assumedWakeup   = 50_000
	mostTransfer    = 1_000 // above it, the two threads that passed the line never ran at once
)

// stealTransfers is the number of cache lines that a theft moves: both ends of the victim's queue,
// and the stolen slot.
const stealTransfers = 3

// hardware measures once in a process.
var hardware = sync.OnceValue(func() Costs {
	var c Costs
	c.measure()
	return c
})

// addHardware sets the costs that do not depend on the program.
func (c *Costs) addHardware() {
	h := hardware()
	c.Transfer, c.Assumed, c.Wake, c.Wakeup, c.Look, c.Probe, c.Steal, c.Hit = h.Transfer, h.Assumed, h.Wake, h.Wakeup, h.Look, h.Probe, h.Steal, h.Hit
}

func (c *Costs) measure() {
	if runtime.NumCPU() > 1 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
		c.Transfer = transfer()
		c.Wake, c.Wakeup = wake()
	}
	if c.Transfer == 0 || c.Transfer > mostTransfer {
		c.Transfer, c.Wake, c.Wakeup, c.Assumed = assumedTransfer, assumedWake, assumedWakeup, true
	}
	c.Look = yield()
	c.Hit = hit()
	c.Probe = c.Transfer // the other processor has written the word that says whether it has work
	c.Steal = stealTransfers * c.Transfer
}

// transfer returns how long a cache line takes from one processor to another. It times many short
// batches: most are good, and one in which either thread did not run is much longer. The lowest
// tenth is typical of the good ones.
func transfer() float64 {
	const rounds, batches, most = 50, 5_000, 2 * time.Second
	var ball struct {
		_    pad.Line
		word atomic.Uint32
		_    pad.Line
	}
	var stop atomic.Bool
	go func() {
		runtime.LockOSThread()
		for !stop.Load() {
			if n := ball.word.Load(); n%2 == 1 {
				ball.word.Store(n + 1)
			}
		}
	}()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer stop.Store(true)
	var all []float64
	for began := time.Now(); len(all) < batches && (len(all) == 0 || time.Since(began) < most); {
		start := time.Now()
		for range rounds {
			n := ball.word.Load() + 1
			for ball.word.Store(n); ball.word.Load() == n; {
			}
		}
		all = append(all, float64(time.Since(start))/(2*rounds))
	}
	return quantile(all, 1, 10)
}

// wake returns how long it takes to wake a goroutine that sleeps as processors do: for the waking
// goroutine, and until the woken one runs. Each is the lowest tenth of many.
func wake() (cost, latency float64) {
	const rounds = 300
	wakeUps, ran := make(chan struct{}, 1), make(chan time.Time, 1)
	go func() {
		for range wakeUps {
			ran <- time.Now()
		}
		close(ran)
	}()
	var costs, latencies []float64
	for range rounds {
		// the goroutine and its thread sleep by then
		for began := time.Now(); time.Since(began) < 100*time.Microsecond; {
		}
		start := time.Now()
		wakeUps <- struct{}{}
		sent := time.Now()
		// stays awake, as a processor that goes on working
		for len(ran) == 0 && time.Since(sent) < time.Second {
		}
		at := <-ran
		costs = append(costs, float64(sent.Sub(start)))
		latencies = append(latencies, float64(max(0, at.Sub(start))))
	}
	close(wakeUps)
	<-ran
	return quantile(costs, 1, 10), quantile(latencies, 1, 10)
}

// yield returns how long a processor takes to let others go on when there are none.
func yield() float64 {
	const rounds = 10_000
	start := time.Now()
	for range rounds {
		runtime.Gosched()
	}
	return float64(time.Since(start)) / rounds
}

// hit returns how long a processor takes to look at a word of each of several others, by the word,
// if they are in its cache.
func hit() float64 {
	const words, batches = 64, 1_000
	var all [words]struct {
		_    pad.Line
		word atomic.Uint64
		_    pad.Line
	}
	var times []float64
	sum := uint64(0)
	for range batches {
		start := time.Now()
		for range 16 {
			for i := range all {
				sum += all[i].word.Load()
			}
		}
		times = append(times, float64(time.Since(start))/(16*words))
	}
	return quantile(times, 1, 10) + float64(sum)
}

func quantile(all []float64, n, of int) float64 {
	slices.Sort(all)
	return all[(len(all)-1)*n/of]
}
