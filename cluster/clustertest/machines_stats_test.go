package clustertest

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
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
			if v.Of.Label != "" && v.Of.Label != "kind" { // each process is another machine
				s.Errorf("%s has a value for each %s", v.Of.Name, v.Of.Label)
			}
		}
		if _, syncs := shown["durable.syncs"]; syncs || shown["durable.partitions"] != machineParts || shown["durable.partitions_due"] != machineParts || shown["durable.machines"] != 1 || shown["durable.commits"] != 20 {
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

// TestMachinesNewer holds that a machine that finds a state of a newer program leaves the partition
// to others, and that what was sent waits for one that knows it.
func TestMachinesNewer(t *testing.T) {
	runOnMachine(t, 1, logsim.Faults{}, func(s *machines, m *machine) {
		c, unit := m.rt.Context(), layout.Records("bell")+"1"
		p, written := partition.Of(unit, machineParts), uint64(0)
		writes := func(value []byte, over uint64) {
			m.Port.Swap(p, []engine.Write{{Key: []byte(unit), Value: value}}, over, func(at uint64, err error) {
				if written = at; err != nil {
					s.Error(err)
				}
			})
			m.rests(time.Second)
		}
		if _, err := send(c, addBell, 1); err != nil {
			s.Fatal(err)
		}
		var now []byte
		m.Port.Read(p, []byte(unit), func(value []byte, at uint64, _ error) { now, written = value, at })
		m.rests(time.Second)
		_, rest, err := partition.DecodeRecord(now)
		if err == nil {
			_, rest, err = layout.CutWake(rest)
		}
		r, err2 := layout.DecodeRecord(rest)
		_, state, err3 := layout.CutVersion(r.State)
		if err := errors.Join(err, err2, err3); err != nil {
			s.Fatal(err)
		}
		newer := append(layout.AppendVersion(bytes.Clone(now[:len(now)-len(r.State)]), 1), state...)
		writes(newer, written)
		if _, err := bells.Stop(c, 1).Wait(context.Background()); err != nil { // it is loaded again
			s.Error(err)
		}
		logged := addBell.Send(c, bells.At(c, 1), struct{}{})
		direct := addBell.Send(cluster.Direct(c), bells.At(c, 1), struct{}{})
		m.rests(20 * time.Second)
		for _, f := range []freerun.Future[int]{logged, direct} {
			select {
			case <-f.Done():
				n, err := f.Result()
				s.Errorf("a newer program has stored the state: %d, %v", n, err)
			default:
			}
		}
		writes(now, written)
		if n, err := logged.Wait(context.Background()); err != nil {
			s.Errorf("it is known again: %d, %v", n, err)
		}
		if _, err := direct.Wait(context.Background()); err != nil && !errors.Is(err, cluster.ErrNotRun) {
			s.Errorf("beside the log: %v", err)
		}
	})
}
