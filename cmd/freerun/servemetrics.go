package main

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/freerun-go/freerun/ddb"
)

// databaseMetrics collects the figures of a database for Prometheus.
type databaseMetrics struct{ server *ddb.Server }

// databaseMetric is one figure of a database.
type databaseMetric struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	of   func(*ddb.Stats) float64
}

func gauge(name, help string, of func(*ddb.Stats) float64) databaseMetric {
	return databaseMetric{prometheus.NewDesc("freerun_ddb_"+name, help, nil, nil), prometheus.GaugeValue, of}
}

func total(name, help string, of func(*ddb.Stats) uint64) databaseMetric {
	return databaseMetric{
		prometheus.NewDesc("freerun_ddb_"+name+"_total", help, nil, nil), prometheus.CounterValue,
		func(s *ddb.Stats) float64 { return float64(of(s)) },
	}
}

var metricsOfDatabase = []databaseMetric{
	gauge("keys", "Keys stored.", func(s *ddb.Stats) float64 { return float64(s.Keys) }),
	gauge("expiring_keys", "Keys stored that expire.", func(s *ddb.Stats) float64 { return float64(s.Expiring) }),
	gauge("memory_bytes", "Bytes that keys and values take.", func(s *ddb.Stats) float64 { return float64(s.Memory) }),
	gauge("memory_limit_bytes", "Bytes that keys and values may take; 0 for no limit.", func(s *ddb.Stats) float64 { return float64(s.MaxMemory) }),
	gauge("clients", "Clients connected.", func(s *ddb.Stats) float64 { return float64(s.Clients) }),
	gauge("client_memory_bytes", "Bytes that clients take: buffers, queued transactions, watched keys, waiting replies.", func(s *ddb.Stats) float64 { return float64(s.ClientMemory) }),
	gauge("client_memory_limit_bytes", "Bytes that clients may take; 0 for no limit.", func(s *ddb.Stats) float64 { return float64(s.MaxClientMemory) }),
	total("keyspace_hits", "Commands that looked for a key and found it.", func(s *ddb.Stats) uint64 { return s.Hits }),
	total("keyspace_misses", "Commands that looked for a key that was not there.", func(s *ddb.Stats) uint64 { return s.Misses }),
	total("expired_keys", "Keys removed since their time was over.", func(s *ddb.Stats) uint64 { return s.Expired }),
	total("evicted_keys", "Keys removed to make room.", func(s *ddb.Stats) uint64 { return s.Evicted }),
	total("commands", "Requests answered.", func(s *ddb.Stats) uint64 { return s.Commands }),
	total("rejected_commands", "Requests that named no command, had a wrong number of arguments, or lacked the password.", func(s *ddb.Stats) uint64 { return s.RejectedCommands }),
	total("connections", "Clients accepted, the rejected ones included.", func(s *ddb.Stats) uint64 { return s.Connections }),
	total("rejected_connections", "Clients turned away: too many, or by protected mode.", func(s *ddb.Stats) uint64 { return s.RejectedClients }),
	total("evicted_clients", "Clients disconnected since all together took too much memory.", func(s *ddb.Stats) uint64 { return s.EvictedClients }),
	total("output_limited_clients", "Clients disconnected since too many replies waited for them.", func(s *ddb.Stats) uint64 { return s.OutputLimitedClients }),
	total("protocol_errors", "Clients disconnected for what they sent.", func(s *ddb.Stats) uint64 { return s.ProtocolErrors }),
	total("input_bytes", "Bytes received from clients.", func(s *ddb.Stats) uint64 { return s.InputBytes }),
	total("output_bytes", "Bytes sent to clients.", func(s *ddb.Stats) uint64 { return s.OutputBytes }),
}

// Describe implements [prometheus.Collector]. A registry calls it.
func (m databaseMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, x := range metricsOfDatabase {
		to <- x.desc
	}
}

// Collect implements [prometheus.Collector]. A registry calls it, on any goroutine.
func (m databaseMetrics) Collect(to chan<- prometheus.Metric) {
	stats := m.server.Stats()
	for _, x := range metricsOfDatabase {
		to <- prometheus.MustNewConstMetric(x.desc, x.kind, x.of(&stats))
	}
}
