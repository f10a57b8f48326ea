package nats_test

import (
	"errors"
	"fmt"
	"testing"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/nats"
)

// TestGone holds that machines that send nothing find out that a stream is gone, whichever, and
// that direct commands fail with ErrStopped from then on, also when nobody owns a partition any
// more.
func TestGone(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{"in-0", "in-1", "st-0", "st-1"} {
		t.Run(stream, func(t *testing.T) {
			t.Parallel()
			url, program := serve(t, nil), "gone-"+stream
			a := join(t, program, url, nats.Create(1), nats.Partitions(4), nats.Pairs(2))
			c := a.rt.Context()
			direct := func(i int) error {
				_, err := jot.Call(cluster.Direct(c), notes.At(c, fmt.Sprint("n", i)), "x")
				return err
			}
			for i := range 8 {
				if err := direct(i); err != nil {
					t.Fatal(err)
				}
			}
			nc, err := natsgo.Connect(url)
			if err != nil {
				t.Fatal(err)
			}
			defer nc.Close()
			js, err := jetstream.New(nc)
			if err == nil {
				err = js.DeleteStream(t.Context(), program+"-"+stream)
			}
			if err != nil {
				t.Fatal(err)
			}
			eventually(t, "the machine owns less", func() bool { return a.node.Stats().Partitions < 4 })
			for i := range 8 {
				if err := direct(i); !errors.Is(err, cluster.ErrStopped) {
					t.Errorf("unit %d: %v", i, err)
				}
			}
			a.leave(t)
		})
	}
}
