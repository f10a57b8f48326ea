package programs

import "time"

// Machine simulates a machine on which a run is measured in place of this one. Operations run only
// during Settle, or while a goroutine waits for a future or for one of Go. The goroutine of the run
// and those of Go may use it.
type Machine interface {
	// Now returns the simulated time.
	Now() time.Time
	// Settle runs operations until nothing is left to run.
	Settle() error
	// Go calls f on a goroutine of its own, whose work is simulated, too. wait waits for its end.
	Go(f func()) (wait func())
}

// Go calls f on a goroutine of its own, after the runtime was made. wait waits for its end.
func (c Config) Go(f func()) (wait func()) {
	if c.Machine != nil {
		return c.Machine.Go(f)
	}
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	return func() { <-done }
}

// Now returns the time by the clock of the run.
func (c Config) Now() time.Time {
	if c.Machine != nil {
		return c.Machine.Now()
	}
	return time.Now()
}

// StartMeter is [StartMeter] with the clock of the run.
func (c Config) StartMeter() Meter { return startMeter(c.Now, nil) }

// NewFinish is [NewFinish] with the clock of the run, for runtimes of the configuration.
func (c Config) NewFinish(parts int) *Finish {
	f := NewFinish(parts)
	f.machine, f.now = c.Machine, c.Now
	return f
}
