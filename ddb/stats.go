package ddb

import (
	"sync"
	"sync/atomic"
	"time"
)

// serverStats counts for INFO. Connections add to it once per round or read.
type serverStats struct {
	commands    atomic.Uint64 // requests answered
	failed      atomic.Uint64 // of them, those that named no command or had a wrong number of arguments
	connections atomic.Uint64 // accepted, with the rejected ones
	rejected    atomic.Uint64
	broken      atomic.Uint64 // connections that broke the protocol
	input       atomic.Uint64 // bytes
	output      atomic.Uint64
	halted      atomic.Uint64 // messages that a shard could not execute before others had evicted
	rate        rate
	peak        atomic.Int64 // bytes: the most of used_memory that was seen
}

// see notes how many bytes are used.
func (s *serverStats) see(used int64) {
	for most := s.peak.Load(); used > most && !s.peak.CompareAndSwap(most, used); most = s.peak.Load() {
	}
}

func (s *serverStats) reset() {
	for _, counter := range []*atomic.Uint64{
		&s.commands, &s.failed, &s.connections, &s.rejected, &s.broken, &s.input, &s.output, &s.halted,
	} {
		counter.Store(0)
	}
}

// rate estimates commands per second from the last samples, as Redis does. The zero value is ready; any goroutine.
type rate struct {
	mu      sync.Mutex
	samples [16]float64
	next    int
	last    uint64
	at      time.Time
}

func (r *rate) sample(count uint64, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if elapsed := now.Sub(r.at).Seconds(); !r.at.IsZero() && elapsed > 0 && count >= r.last {
		r.samples[r.next] = float64(count-r.last) / elapsed
		r.next = (r.next + 1) % len(r.samples)
	}
	r.last, r.at = count, now
}

func (r *rate) perSecond() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	var sum float64
	for _, sample := range r.samples {
		sum += sample
	}
	return uint64(sum / float64(len(r.samples)))
}
