package ddb

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// serverStats are counters for INFO. Connections add to them once per batch or read.
type serverStats struct {
	commands    atomic.Uint64 // requests answered
	failed      atomic.Uint64 // of them: unknown command, wrong number of arguments, no password
	connections atomic.Uint64 // accepted, including the rejected
	rejected    atomic.Uint64
	broken      atomic.Uint64 // connections that broke the protocol
	input       atomic.Uint64 // bytes
	output      atomic.Uint64
	// Messages that a shard halted, to be sent again after others evicted or replies were written.
	halted atomic.Uint64

	evictedClients atomic.Uint64 // clients closed because all together took too much
	outputLimited  atomic.Uint64 // clients closed because too much waited for them

	rate rate
	peak atomic.Int64 // the most bytes of used_memory seen
}

// Stats are the figures of a server, from [Server.Stats]: a plain value that may be copied. CONFIG
// RESETSTAT sets the counters to 0.
type Stats struct {
	Keys     uint64 // stored keys, including those that are due and not yet removed
	Expiring uint64 // of them, those with a deadline

	Hits, Misses     uint64 // lookups of keys by commands that read
	Expired, Evicted uint64 // keys removed

	Memory, MaxMemory int64 // bytes of keys and values, and their limit; 0 for none

	Clients                       int
	ClientMemory, MaxClientMemory int64  // bytes that clients take, and their limit; 0 for none
	Connections                   uint64 // accepted, including the rejected
	RejectedClients               uint64 // too many clients, or protected mode
	EvictedClients                uint64 // disconnected because all together took too much memory
	OutputLimitedClients          uint64 // disconnected because too much waited for them
	// Answered requests; of them, those with an unknown command, with a wrong number of arguments,
	// or without the password.
	Commands, RejectedCommands uint64
	ProtocolErrors             uint64 // clients disconnected for what they sent
	InputBytes, OutputBytes    uint64
}

// Stats returns figures for monitoring. It sends nothing to the shards and waits for none: figures
// of keys are as of the last message that each shard has executed. Any goroutine may call it, also
// after the end of the server.
func (s *Server) Stats() Stats {
	s.mustBeMade()
	sum := Stats{
		Memory: s.budget.used(), MaxMemory: s.budget.limit.Load(),
		ClientMemory: s.clientMemory.Load(), MaxClientMemory: s.clientLimit.Load(),
		Connections: s.stats.connections.Load(), RejectedClients: s.stats.rejected.Load(),
		EvictedClients: s.stats.evictedClients.Load(), OutputLimitedClients: s.stats.outputLimited.Load(),
		Commands: s.stats.commands.Load(), RejectedCommands: s.stats.failed.Load(), ProtocolErrors: s.stats.broken.Load(),
		InputBytes: s.stats.input.Load(), OutputBytes: s.stats.output.Load(),
	}
	for _, a := range s.budget.accounts {
		f := &a.figures
		sum.Keys += f.keys.Load()
		sum.Expiring += f.expiring.Load()
		sum.Hits += f.hits.Load()
		sum.Misses += f.misses.Load()
		sum.Expired += f.expired.Load()
		sum.Evicted += f.evicted.Load()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sum.Clients = len(s.connections)
	return sum
}

// figures are a shard's counters as of its last message. The shard stores those that have changed.
type figures struct {
	keys, expiring, hits, misses, expired, evicted atomics.Release[uint64]
}

func (f *figures) publish(s *shard) {
	publish(&f.keys, uint64(len(s.entries)))
	publish(&f.expiring, uint64(len(s.expiring)))
	publish(&f.hits, s.stats.hits)
	publish(&f.misses, s.stats.misses)
	publish(&f.expired, s.stats.expired)
	publish(&f.evicted, s.stats.evicted)
}

func publish(to *atomics.Release[uint64], n uint64) {
	if to.Load() != n {
		to.Store(n)
	}
}

// notePeak raises the peak to the bytes in use.
func (s *serverStats) notePeak(used int64) {
	for most := s.peak.Load(); used > most && !s.peak.CompareAndSwap(most, used); most = s.peak.Load() {
	}
}

func (s *serverStats) reset() {
	for _, counter := range []*atomic.Uint64{
		&s.commands, &s.failed, &s.connections, &s.rejected, &s.broken, &s.input, &s.output, &s.halted, &s.evictedClients, &s.outputLimited,
	} {
		counter.Store(0)
	}
}

// rate estimates commands per second from the last samples, as Redis does. The zero value is ready.
// Any goroutine may use it.
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
