package ddb

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/tidwall/redcon"
)

// redisVersion is the Redis version whose commands and errors this server follows. Clients choose
// features by it.
const redisVersion = "7.0.15"

// infoSections lists the sections in the order of their output.
var infoSections = []struct {
	name  string
	write func(s *Server, keyspace shardStats, line func(name string, value any))
}{
	{"Server", infoServer},
	{"Clients", infoClients},
	{"Memory", infoMemory},
	{"Stats", infoStats},
	{"Replication", infoReplication},
	{"Freerun", infoFreerun},
	{"Keyspace", infoKeyspace},
}

func fanOutInfo(c *connection, args [][]byte, _ *writer) *fanOutReply {
	wanted := map[string]bool{}
	for _, arg := range args[1:] {
		wanted[strings.ToLower(string(arg))] = true
	}
	if len(wanted) == 0 || wanted["all"] || wanted["default"] || wanted["everything"] {
		wanted = nil
	}
	return &fanOutReply{parts: c.partsEverywhere(args, statistics), join: func(c *connection, g *fanOutReply) {
		text := c.server.info(wanted, g.parts)
		c.out.bytes(redcon.AppendBulkString(nil, text))
	}}
}

// info writes the wanted sections, by lower-case name; nil stands for all.
func (s *Server) info(wanted map[string]bool, parts []*part) string {
	var sum shardStats
	for _, p := range parts {
		sum.keys += p.stats.keys
		sum.expires += p.stats.expires
		sum.hits += p.stats.hits
		sum.misses += p.stats.misses
		sum.expired += p.stats.expired
		sum.evicted += p.stats.evicted
		sum.used += p.stats.used
	}
	var text strings.Builder
	for _, section := range infoSections {
		if wanted != nil && !wanted[strings.ToLower(section.name)] {
			continue
		}
		if text.Len() > 0 {
			text.WriteString("\r\n")
		}
		fmt.Fprintf(&text, "# %s\r\n", section.name)
		section.write(s, sum, func(name string, value any) { fmt.Fprintf(&text, "%s:%v\r\n", name, value) })
	}
	return text.String()
}

func infoServer(s *Server, _ shardStats, line func(string, any)) {
	up := time.Since(s.started)
	line("redis_version", redisVersion)
	line("redis_mode", "standalone")
	line("server_name", "freerun")
	line("os", runtime.GOOS+" "+runtime.GOARCH)
	line("arch_bits", 32<<(^uint(0)>>63))
	line("go_version", runtime.Version())
	line("process_id", os.Getpid())
	line("tcp_port", s.port())
	line("server_time_usec", time.Now().UnixMicro())
	line("uptime_in_seconds", int64(up.Seconds()))
	line("uptime_in_days", int64(up.Hours()/24))
}

func infoClients(s *Server, _ shardStats, line func(string, any)) {
	all := s.allConnections()
	var input, output int64
	for _, c := range all {
		input = max(input, c.memory.input.Load())
		output = max(output, c.memory.output.Load()+c.out.backlogged())
	}
	line("connected_clients", len(all))
	line("maxclients", s.config.MaxClients)
	line("client_recent_max_input_buffer", input)
	line("client_recent_max_output_buffer", output)
	line("blocked_clients", 0)
}

func infoMemory(s *Server, sum shardStats, line func(string, any)) {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/gc/heap/objects:objects"},
	}
	metrics.Read(samples)
	heap, resident, objects := samples[0].Value.Uint64(), samples[1].Value.Uint64(), samples[2].Value.Uint64()
	if pages, ok := residentPages(); ok {
		resident = pages * uint64(os.Getpagesize())
	}
	used, limit := uint64(sum.used), uint64(s.budget.limit.Load())
	line("used_memory", used)
	line("used_memory_human", human(used))
	s.stats.notePeak(sum.used)
	peak := uint64(s.stats.peak.Load())
	line("used_memory_peak", peak)
	line("used_memory_peak_human", human(peak))
	line("used_memory_rss", resident)
	line("used_memory_rss_human", human(resident))
	line("used_memory_dataset", used)
	line("mem_clients_normal", s.clientMemory.Load())
	line("maxmemory_clients", s.clientLimit.Load())
	line("maxmemory", limit)
	line("maxmemory_human", human(limit))
	line("maxmemory_policy", s.budget.evicting())
	if used > 0 {
		line("mem_fragmentation_ratio", fmt.Sprintf("%.2f", float64(resident)/float64(used)))
	}
	if s.arena == nil {
		line("mem_allocator", "go")
	} else {
		usage := s.arena.Usage()
		line("mem_allocator", "offheap")
		line("offheap_size", usage.Size)
		line("offheap_live", usage.Live)
		line("offheap_cached", usage.Cached)
		line("offheap_blocks", usage.Blocks)
		line("offheap_internal_fragmentation", fmt.Sprintf("%.2f", usage.InternalFragmentation))
	}
	line("go_heap_bytes", heap)
	line("go_heap_objects", objects)
}

// residentPages returns how many pages of the process are in memory. ok is false on systems without
// Linux's /proc.
func residentPages() (pages uint64, ok bool) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	_, err = fmt.Sscan(string(text), new(uint64), &pages)
	return pages, err == nil
}

func infoStats(s *Server, sum shardStats, line func(string, any)) {
	line("total_connections_received", s.stats.connections.Load())
	line("total_commands_processed", s.stats.commands.Load())
	line("instantaneous_ops_per_sec", s.stats.rate.perSecond())
	line("total_net_input_bytes", s.stats.input.Load())
	line("total_net_output_bytes", s.stats.output.Load())
	line("rejected_connections", s.stats.rejected.Load())
	line("evicted_clients", s.stats.evictedClients.Load())
	line("client_output_buffer_limit_disconnections", s.stats.outputLimited.Load())
	line("expired_keys", sum.expired)
	line("evicted_keys", sum.evicted)
	line("keyspace_hits", sum.hits)
	line("keyspace_misses", sum.misses)
	line("rejected_commands", s.stats.failed.Load())
	line("protocol_errors", s.stats.broken.Load())
}

func infoReplication(_ *Server, _ shardStats, line func(string, any)) {
	line("role", "master")
	line("connected_slaves", 0)
}

func infoFreerun(s *Server, _ shardStats, line func(string, any)) {
	stats := s.rt.Stats()
	line("shards", len(s.units))
	line("processors", len(stats.Processors))
	line("messages_sent", stats.Sent)
	line("messages_done", stats.Done)
	line("messages_halted", s.stats.halted.Load())
	for i, p := range stats.Processors {
		line(fmt.Sprintf("processor%d", i), fmt.Sprintf("messages=%d,steals=%d,stolen=%d,parks=%d",
			p.Messages, p.Steals, p.Stolen, p.Parks))
	}
}

func infoKeyspace(_ *Server, sum shardStats, line func(string, any)) {
	if sum.keys > 0 {
		line("db0", fmt.Sprintf("keys=%d,expires=%d,avg_ttl=0", sum.keys, sum.expires))
	}
}

// port returns the TCP port that the server listens on, 0 before Listen.
func (s *Server) port() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener == nil {
		return 0
	}
	if addr, ok := s.listener.Addr().(*net.TCPAddr); ok {
		return addr.Port
	}
	return 0
}

// human writes a size as Redis does: 1.50K.
func human(n uint64) string {
	if n < 1024 {
		return fmt.Sprintf("%dB", n)
	}
	size, units := float64(n), "BKMGTPE"
	for size >= 1024 && len(units) > 1 {
		size, units = size/1024, units[1:]
	}
	return fmt.Sprintf("%.2f%c", size, units[0])
}
