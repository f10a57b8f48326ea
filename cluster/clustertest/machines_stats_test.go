package clustertest

import (
	"context"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/logsim"
	"github.com/freerun-go/freerun/cluster/internal/partition"
	"github.com/freerun-go/freerun/internal/figures"
)

// TestMachinesStats holds that a node counts its writes, and its partitions.
func TestMachinesStats(t *testing.T) {
	runOnMachine(t, 1, logsim.Faults{}, func(s *machines, m *machine) {
		for key := range 20 {
			if _, err := send(m.rt.Context(), addBell, key); err != nil {
				s.Error(err)
			}
		}
		m.rests(2 * time.Second)
		switch got := m.node.Stats(); {
		case got.Partitions != machineParts, got.HandOvers != machineParts, got.Conflicts != 0, got.Unknown != 0,
			got.Commits != 20, got.Writes != 20, got.Bytes < 20*10, got.LastBatch != 1, got.LargestBatch != 1,
			got.CommitTime <= 0, got.LastCommit <= 0, got.LongestCommit < got.LastCommit,
			got.Deliveries != 0, got.Unsettled != 0, got.OldestUnsettled != 0, got.Active["bell"] != 20:
			s.Errorf("%+v", got)
		}
		shown := map[string]float64{}
		for _, v := range figures.Of(m.rt) {
			shown[v.Of.Name] += v.Value
		}
		if _, syncs := shown["durable.syncs"]; syncs || shown["durable.partitions"] != machineParts || shown["durable.machine_partitions"] != machineParts || shown["durable.commits"] != 20 {
			s.Errorf("shown are %v", shown)
		}
	})
	runOnMachine(t, 1, logsim.Faults{Lost: 0.2}, func(s *machines, m *machine) {
		for key := range 20 {
			_, _ = send(m.rt.Context(), addBell, key)
		}
		if got := m.node.Stats(); got.Unknown == 0 {
			s.Errorf("%+v", got)
		}
	})
}

// TestMachinesDamaged holds that a record that is damaged keeps its unit from running, and no other
// one; that a node shows that; and that all goes on once it is mended.
func TestMachinesDamaged(t *testing.T) {
	runOnMachine(t, 1, logsim.Faults{}, func(s *machines, m *machine) {
		c := m.rt.Context()
		name := func(key string) string { return layout.Records("bell") + key }
		p := partition.Of(name("1"), machineParts)
		revision := uint64(0)
		m.Port.Swap(p, []engine.Write{{Key: []byte(name("1")), Value: []byte("damaged")}}, 0, func(at uint64, _ error) { revision = at })
		m.rests(5 * time.Second)
		var waits []freerun.Future[int]
		for range 3 {
			waits = append(waits, addBell.Send(c, bells.At(c, 1), struct{}{}))
		}
		for key := range 20 {
			if key != 1 {
				if _, err := send(c, addBell, key); err != nil {
					s.Errorf("bell %d: %v", key, err)
				}
			}
		}
		m.rests(20 * time.Second)
		if got := m.node.Stats(); got.Unsettled < 3 || got.OldestUnsettled < 20*time.Second || got.Waiting != 3 {
			s.Errorf("%+v", got)
		}
		m.Port.Swap(p, []engine.Write{{Key: []byte(name("1"))}}, revision, func(uint64, error) {})
		for i, f := range waits {
			if n, err := f.Wait(context.Background()); n != i+1 || err != nil {
				s.Errorf("%d, %v", n, err)
			}
		}
		m.rests(2 * time.Second)
		if got := m.node.Stats(); got.Unsettled != 0 || got.OldestUnsettled != 0 || got.Waiting != 0 {
			s.Errorf("once it is mended: %+v", got)
		}
	})
}
