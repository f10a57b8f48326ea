package hot

import (
	"errors"
	"slices"
	"time"

	"github.com/freerun-go/freerun/programs"
)

// subject has the functions of a variant.
type subject struct {
	call  func(quiet int) error // calls a quiet entity and waits for the answer; any goroutine
	flood func() error          // begins the flood
	// Makes the hot entities keep what they receive, and returns when all are at rest.
	stop  func() error
	count func() (answered, left int, err error)
}

// sample is the measurements of calls, in nanoseconds, sorted.
type sample struct {
	took []uint64 // the time of each call
	late []uint64 // how much longer than asked the caller slept before it
}

// run measures a subject: the calls in peace, then the same under the flood.
func run(s subject, cfg programs.Config) (result programs.Result, err error) {
	v := cfg.Values
	if cfg.Machine != nil && v.Get(paramPause) != 0 {
		return result, errors.New("a caller cannot sleep where time is simulated: set pause=0")
	}
	idle, err := calls(s.call, cfg)
	if err != nil {
		return result, err
	}
	if err := s.flood(); err != nil {
		return result, err
	}
	meter := cfg.StartMeter()
	flooded, err := calls(s.call, cfg)
	result = meter.Stop(uint64(v.Get(programs.Size)))
	result.Elapsed = 0
	if stopping := s.stop(); err == nil {
		err = stopping
	}
	if err != nil {
		return result, err
	}
	for _, ns := range flooded.took { // without the time that the callers slept
		result.Elapsed += time.Duration(ns)
	}
	answered, left, err := s.count()
	result.Checksum = checksum(answered, left)
	result.Figures = figures(idle, flooded)
	return result, err
}

// calls lets the callers share this many calls, each to all quiet entities in turn.
func calls(call func(quiet int) error, cfg programs.Config) (sample, error) {
	v := cfg.Values
	size, callers, pause := v.Get(programs.Size), v.Get(paramCallers), time.Duration(v.Get(paramPause))*time.Microsecond
	s := sample{took: make([]uint64, size), late: make([]uint64, size)}
	errs := make([]error, callers)
	waits := make([]func(), callers)
	for from := range callers {
		waits[from] = cfg.Go(func() {
			for i := from; i < size; i += callers {
				asked := cfg.Now()
				if pause > 0 {
					time.Sleep(pause)
				}
				began := cfg.Now()
				if errs[from] = call(i % quietOnes); errs[from] != nil {
					return
				}
				s.took[i] = uint64(cfg.Now().Sub(began))
				s.late[i] = uint64(max(0, began.Sub(asked)-pause))
			}
		})
	}
	for _, wait := range waits {
		wait()
	}
	slices.Sort(s.took)
	slices.Sort(s.late)
	return s, errors.Join(errs...)
}

// quantile returns the time that a number of thousandths of the sorted times do not exceed.
func quantile(times []uint64, thousandths int) uint64 { return times[(len(times)-1)*thousandths/1000] }

func figures(idle, flooded sample) []programs.Figure {
	spread := func(name, what string, times []uint64) programs.Figure {
		return programs.Figure{
			Name: name, Doc: what + ", ns",
			Value:  []uint64{quantile(times, 500), quantile(times, 990), quantile(times, 1000)},
			Labels: []string{what + ", ns: p50", "p99", "max"},
		}
	}
	return []programs.Figure{
		spread("idle_call_ns", "a call in an idle runtime", idle.took),
		spread("flood_call_ns", "a call under the flood", flooded.took),
		spread("idle_late_ns", "how late a caller woke up in an idle runtime", idle.late),
		spread("flood_late_ns", "how late a caller woke up under the flood", flooded.late),
		{
			Name: "p99_percent_of_idle", Doc: "p99 of a call under the flood, in % of that in an idle runtime",
			Value: 100 * quantile(flooded.took, 990) / max(1, quantile(idle.took, 990)),
		},
	}
}
