package cluster

import (
	"context"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/partition"
	"github.com/freerun-go/freerun/freeruntest"
)

// listening is the store of a machine named here. It sends nothing.
type listening struct{ engine.Shared }

func (listening) Name() string    { return "here" }
func (listening) Partitions() int { return 16 }

// moving is a partition of volatile units that another machine has, unless that declines it.
type moving struct {
	*callsPart
	t       testing.TB
	members partition.Members
	view    *partition.View
}

func newMoving(t testing.TB, rt *freerun.Runtime) *moving {
	c := newVolatileCalls(&shared{node: &Node{rt: rt}, engine: listening{}})
	m := &moving{t: t}
	m.members.Beat("here", nil, time.Time{})
	m.members.Beat("there", nil, time.Time{})
	m.view = m.members.View(len(c.parts), time.Time{}, nil)
	c.tellParts(m.view, nil, func(map[int]string) {})
	for p, owner := range m.view.Owners {
		if owner == "there" {
			m.callsPart = c.parts[p]
		}
	}
	if m.callsPart == nil {
		t.Fatal("the other machine has no partition")
	}
	return m
}

// looks has the machine know what it has heard.
func (m *moving) looks() {
	before := m.view
	m.view = m.members.View(len(m.of.parts), time.Time{}, before)
	m.of.tellParts(m.view, before, func(map[int]string) {})
}

// comes has the other machine decline the partition, so that it comes here.
func (m *moving) comes() {
	m.members.Beat("there", []int{m.p}, time.Time{})
	m.looks()
	if m.owner != "here" {
		m.t.Error("the partition does not come")
	}
}

// goes has the other machine take it again.
func (m *moving) goes() {
	m.members.Beat("there", nil, time.Time{})
	m.looks()
	if m.owner != "there" || m.open.Load() {
		m.t.Error("the partition does not go")
	}
}

// released has the other machine say that it has stopped its units.
func (m *moving) released() { m.turn.Inline(func() { m.callsPart.released("there") }) }

// TestReleasedBefore holds that a partition is here once the machine that had it has stopped its
// units, also if it has said so before this one knows of the move; and that what it has said about
// an earlier move, which this machine never knew of, is not taken for that.
func TestReleasedBefore(t *testing.T) {
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		m := newMoving(t, rt)
		m.comes()
		if m.open.Load() {
			t.Error("the partition is here before its units are stopped")
		}
		m.released()
		if !m.open.Load() {
			t.Error("the partition is not here")
		}
		m.goes()
		m.released()
		m.comes()
		if !m.open.Load() {
			t.Error("the partition is not here, though its units were stopped before")
		}
		m.goes()
		m.released()
		m.members.Beat("another", []int{m.p}, time.Time{})
		m.looks()
		m.comes()
		if m.open.Load() {
			t.Error("the partition is here, since its units were stopped long ago")
		}
	}, freeruntest.Runs(1))
}

// TestAwaitedAgain holds that a partition is waited for as long the second time as the first.
func TestAwaitedAgain(t *testing.T) {
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		m := newMoving(t, rt)
		passes := func(d time.Duration) {
			if _, err := freerun.After(rt.Context(), d).Wait(context.Background()); err != nil {
				t.Error(err)
			}
		}
		m.comes()
		m.released()
		m.goes()
		passes(mostAwait / 2)
		m.comes()
		passes(mostAwait * 3 / 4)
		if m.open.Load() {
			t.Error("the partition is here, since it was awaited before")
		}
		passes(mostAwait / 2)
		if !m.open.Load() {
			t.Error("the partition does not come though it was awaited for long enough")
		}
	}, freeruntest.Runs(1))
}
