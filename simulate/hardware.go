package simulate

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun/internal/sys/pad"
)

// What is taken for granted where it cannot be measured, since there is one processor, or another program keeps the second one: what is usual.
const (
	assumedTransfer = 60
	assumedWake     = 10_000
	assumedWakeup   = 50_000
	mostTransfer    = 1_000 // beyond, the two that passed the line to each other never ran at once
)

// stealTransfers is how many cache lines a theft moves: both ends of the victim's queue, and the place in it.
const stealTransfers = 3

// hardware is measured once in a process.
var hardware = sync.OnceValue(func() Costs {
	var c Costs
	c.measure()
	return c
})

// addHardware fills in what does not depend on the program.
func (c *Costs) addHardware() {
	h := hardware()
	c.Transfer, c.Assumed, c.Wake, c.Wakeup, c.Look, c.Probe, c.Steal = h.Transfer, h.Assumed, h.Wake, h.Wakeup, h.Look, h.Probe, h.Steal
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
	c.Probe = c.Transfer // the word that tells whether there is something, written by who is asked
	c.Steal = stealTransfers * c.Transfer
}

// transfer returns how long a cache line takes from one processor to another. Of many short batches most are all right, and one in which either thread was not
// running is much longer: the lowest tenth is typical of the former.
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

// wake returns what it takes to wake a goroutine that sleeps as processors do, for who wakes it and until it runs; the lowest tenths.
func wake() (cost, latency float64) {
	const rounds = 300
	bed, ran := make(chan struct{}, 1), make(chan time.Time, 1)
	go func() {
		for range bed {
			ran <- time.Now()
		}
		close(ran)
	}()
	var costs, latencies []float64
	for range rounds {
		for began := time.Now(); time.Since(began) < 100*time.Microsecond; { // it sleeps by then, and its thread
		}
		start := time.Now()
		bed <- struct{}{}
		sent := time.Now()
		for len(ran) == 0 && time.Since(sent) < time.Second { // awake, as a processor that goes on working
		}
		at := <-ran
		costs = append(costs, float64(sent.Sub(start)))
		latencies = append(latencies, float64(max(0, at.Sub(start))))
	}
	close(bed)
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

func quantile(all []float64, n, of int) float64 {
	slices.Sort(all)
	return all[(len(all)-1)*n/of]
}
