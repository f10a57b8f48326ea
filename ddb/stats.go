package ddb

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// serverStats counts for INFO. Connections add to it once per batch or read.
type serverStats struct {
	commands    atomic.Uint64 // requests answered
	failed      atomic.Uint64 // of them, those that named no command or had a wrong number of arguments
	connections atomic.Uint64 // accepted, with the rejected ones
	rejected    atomic.Uint64
	broken      atomic.Uint64 // connections that broke the protocol
	input       atomic.Uint64 // bytes
	output      atomic.Uint64
	halted      atomic.Uint64 // messages that a shard could not execute before others had evicted, or replies had been written

	evictedClients atomic.Uint64 // clients closed since all together took too much
	outputLimited  atomic.Uint64 // clients closed since too much waited for them

	rate rate
	peak atomic.Int64 // bytes: the most of used_memory that was seen
}

// Stats is figures of a server, by [Server.Stats]. Those that only grow begin anew with CONFIG RESETSTAT.
type Stats struct {
	Keys     uint64 // stored, those that are due and have not been removed included
	Expiring uint64 // of them, those that expire

	Hits, Misses     uint64 // of commands that read a key
	Expired, Evicted uint64 // keys that were removed

	Memory, MaxMemory int64 // bytes of keys and values, and their limit; 0 for none

	Clients                       int
	ClientMemory, MaxClientMemory int64  // bytes that clients take, and their limit; 0 for none
	Connections                   uint64 // accepted, the rejected ones included
	RejectedClients               uint64 // since there were too many, or by protected mode
	EvictedClients                uint64 // disconnected since all together took too much memory
	OutputLimitedClients          uint64 // disconnected since too much waited for them
	Commands, RejectedCommands    uint64 // answered; and of them, those that named no command, had a wrong number of arguments, or lacked the password
	ProtocolErrors                uint64 // clients disconnected for what they sent
	InputBytes, OutputBytes       uint64
}

// Stats returns figures for monitoring. It sends nothing to the shards and does not wait for them: what it says of keys is as of the
// last message that each has executed. Any goroutine may call it, also after the end of the server.
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

// figures are a shard's as of its last message, which it stores if they have changed.
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

// notePeak notes how many bytes are used.
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
