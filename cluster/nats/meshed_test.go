package nats_test

import (
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	natsgo "github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/nats"
)

// TestLinks holds that machines with Links send each other nothing over the servers once they are
// connected, calls, direct commands and reads alike, and that one without Links is among them.
func TestLinks(t *testing.T) {
	t.Parallel()
	url := serve(t, nil)
	a, b, _, parlorsB := joinTwoAt(t, url, "links", nats.Links("127.0.0.1:0"))
	c := a.rt.Context()
	_, witnessesB := witnessesOf(t, a)
	calls := func(unit int) {
		u := witnesses.At(c, witnessesB[unit%len(witnessesB)])
		if _, err := whoAsks.Call(c, parlors.At(c, parlorsB[unit%len(parlorsB)]), struct{}{}); err != nil {
			t.Fatal(err)
		}
		if _, err := whoSends.Call(cluster.Direct(c), u, struct{}{}); err != nil {
			t.Fatal(err)
		}
		if _, err := whoReads.Call(c, u, struct{}{}); err != nil {
			t.Fatal(err)
		}
	}
	nc, err := natsgo.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	var seen atomic.Int64
	if _, err := nc.Subscribe("links.machine.>", func(*natsgo.Msg) { seen.Add(1) }); err != nil {
		t.Fatal(err)
	}
	calls(0)
	eventually(t, "calls without a message in the servers", func() bool {
		if err := nc.Flush(); err != nil {
			t.Fatal(err)
		}
		before := seen.Load()
		for unit := range 20 {
			calls(unit)
		}
		if err := nc.Flush(); err != nil {
			t.Fatal(err)
		}
		return seen.Load() == before
	})
	without := join(t, "links", url, nats.Partitions(parts))
	eventually(t, "three machines share the partitions", func() bool {
		return len(without.node.Machines().Partitions) == 3 && len(a.node.Machines().Partitions) == 3
	})
	for i := range 60 { // of all three
		key := fmt.Sprint("k", i)
		for _, m := range []*joined{a, without} {
			if _, err := whoAsks.Call(t.Context(), parlors.At(m.rt.Context(), key), struct{}{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	without.leave(t)
	b.leave(t)
	a.leave(t)
}

// TestLinksRefused holds that an address that is none, or that is taken, is refused.
func TestLinksRefused(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	rt := freerun.New()
	defer rt.Close()
	_, err = cluster.Join(rt, nats.Servers("taken", serve(t, nil), nats.Create(1), nats.Links(taken.Addr().String())))
	if err == nil || !strings.Contains(err.Error(), taken.Addr().String()) {
		t.Errorf("an address that is taken: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("an address without a port is taken")
		}
	}()
	nats.Links("10.0.0.5")
}
