package nats_test

import (
	"fmt"
	"net"
	"sync"
	"testing"

	natsgo "github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/nats"
)

// valve is what connects a node to its servers. While it is shut nothing comes through, and nothing
// is lost.
type valve struct {
	mu   sync.Mutex
	open *sync.Cond
	shut bool
}

func newValve() *valve {
	v := &valve{}
	v.open = sync.NewCond(&v.mu)
	return v
}

// Dial implements [natsgo.CustomDialer].
func (v *valve) Dial(network, address string) (net.Conn, error) {
	c, err := net.Dial(network, address)
	return through{c, v}, err
}

func (v *valve) set(shut bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.shut = shut
	v.open.Broadcast()
}

func (v *valve) waits() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for v.shut {
		v.open.Wait()
	}
}

// through is a connection through a valve.
type through struct {
	net.Conn
	valve *valve
}

func (c through) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.valve.waits()
	return n, err
}

func (c through) Write(b []byte) (int, error) {
	c.valve.waits()
	return c.Conn.Write(b)
}

// TestReadAfterCut holds that a machine that was cut off, and is there again, reads what another
// one has written meanwhile, beside the log.
func TestReadAfterCut(t *testing.T) {
	t.Parallel()
	url, v := serve(t, nil), newValve()
	options := []nats.Option{nats.Create(1), nats.Partitions(parts)}
	a := join(t, "after-cut", url, options...)
	b := join(t, "after-cut", url, append(options, nats.Connection(natsgo.SetCustomDialer(v)))...)
	defer b.leave(t)
	defer a.leave(t)
	both := func() bool {
		return len(a.node.Machines().Partitions) == 2 && len(b.node.Machines().Partitions) == 2
	}
	eventually(t, "the machines know each other", both)
	var keys []string
	for i := 0; len(keys) < 5; i++ {
		if _, here, err := cluster.OwnerOf(b.node, notes, fmt.Sprint("cut", i)); err != nil {
			t.Fatal(err)
		} else if here {
			keys = append(keys, fmt.Sprint("cut", i))
		}
	}
	write := func(m *joined, line string) {
		for _, key := range keys {
			c := cluster.Direct(m.rt.Context())
			eventually(t, "a write", func() bool {
				_, err := jot.Call(c, notes.At(c, key), line)
				return err == nil
			})
		}
	}
	write(b, "before")
	v.set(true)
	eventually(t, "one machine is alone", func() bool { return len(a.node.Machines().Partitions) == 1 })
	write(a, "meanwhile")
	v.set(false)
	eventually(t, "the machines know each other again", both)
	for _, m := range []*joined{a, b} {
		for _, key := range keys {
			var got []string
			eventually(t, "what was written is read", func() bool {
				c := m.rt.Context()
				got, _ = lines.Call(c, notes.At(c, key), struct{}{})
				return len(got) == 2 && got[1] == "meanwhile"
			})
		}
	}
}

var _ natsgo.CustomDialer = (*valve)(nil)
