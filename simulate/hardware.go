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
	assumedNap      = 30_000
	assumedSpin     = 5_000
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

// addMachine sets the costs that do not depend on the program: those of known, or those measured
// here, if known is nil or assumed or lacks some. All costs of one calibration are of one machine:
// a moment in which a line took six times as long must not set one program apart from the others.
func (c *Costs) addMachine(known *Costs) {
	if known == nil || known.Assumed {
		h := hardware()
		known = &h
	}
	c.Transfer, c.Assumed, c.Wake, c.Wakeup = known.Transfer, known.Assumed, known.Wake, known.Wakeup
	c.Look, c.Probe, c.Steal, c.Hit = known.Look, known.Probe, known.Steal, known.Hit
	if known.Switch == 0 {
		h := hardware()
		known = &h
	}
	c.Nap, c.Spin, c.Switch = known.Nap, known.Spin, known.Switch
}

func (c *Costs) measure() {
	if runtime.NumCPU() > 1 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
		c.Transfer = transfer()
		c.Wake, c.Wakeup = wake(asleepAfter, 300)
		_, c.Nap = wake(0, 300)
		c.Spin = spin(c.Wake)
	}
	if c.Transfer == 0 || c.Transfer > mostTransfer {
		c.Transfer, c.Wake, c.Wakeup, c.Assumed = assumedTransfer, assumedWake, assumedWakeup, true
		c.Nap, c.Spin = assumedNap, assumedSpin
	}
	c.Switch = change()
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

// asleepAfter is when a thread that has nothing to do sleeps for certain.
const asleepAfter = 100 * time.Microsecond

// wake returns how long it takes to wake a goroutine that sleeps as processors do, and has done so
// for about the given time: for the waking goroutine, and until the woken one runs. Each is the
// lowest tenth of many.
func wake(slept time.Duration, rounds int) (cost, latency float64) {
	wakeUps, ran := make(chan struct{}, 1), make(chan time.Time, 1)
	go func() {
		for range wakeUps {
			ran <- time.Now()
		}
		close(ran)
	}()
	var costs, latencies []float64
	for range rounds {
		for began := time.Now(); time.Since(began) < slept; {
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

// spin returns how long a thread that has nothing to do looks for work before it sleeps: the
// shortest sleep of a goroutine after which nine of ten wake-ups cost half of what they cost after
// a long sleep, or more.
func spin(asleep float64) float64 {
	const step, rounds = time.Microsecond, 100
	for slept := step; slept < asleepAfter; slept += max(step, slept/4) {
		if cost, _ := wake(slept, rounds); cost >= asleep/2 {
			return float64(slept)
		}
	}
	return float64(asleepAfter)
}

// change returns how long it takes until a goroutine that was woken goes on in place of its waker,
// which waits: half of what two goroutines on one thread take that wake each other.
func change() float64 {
	const rounds = 10_000
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	there, back := make(chan struct{}, 1), make(chan struct{}, 1)
	go func() {
		for range there {
			back <- struct{}{}
		}
		close(back)
	}()
	start := time.Now()
	for range rounds {
		there <- struct{}{}
		<-back
	}
	took := float64(time.Since(start)) / (2 * rounds)
	close(there)
	<-back
	return took
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
