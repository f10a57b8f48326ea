package programs

import "time"

// Machine is what a run is measured on in place of this one: it simulates how long the run would take elsewhere. Operations run only while it settles, or while
// somebody waits for a future. One goroutine at a time may use it.
type Machine interface {
	// Now returns the time there.
	Now() time.Time
	// Settle runs what there is to run, until nothing is left.
	Settle() error
}

// Now returns the time by the clock that the run goes by.
func (c Config) Now() time.Time {
	if c.Machine != nil {
		return c.Machine.Now()
	}
	return time.Now()
}

// StartMeter is [StartMeter] by the clock that the run goes by.
func (c Config) StartMeter() Meter { return startMeter(c.Now, nil) }

// NewFinish is [NewFinish] for what runs on runtimes of the configuration: by the clock that the run goes by.
func (c Config) NewFinish(parts int) *Finish {
	f := NewFinish(parts)
	f.machine, f.now = c.Machine, c.Now
	return f
}
