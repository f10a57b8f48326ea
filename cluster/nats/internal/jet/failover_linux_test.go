package jet

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// BenchmarkFailover kills a machine with each run, or has it leave, or kills it together with its
// server, of three, which leads the logs. It says when the first of what was sent to one of its
// units then is answered. For -benchtime 20x.
func BenchmarkFailover(b *testing.B) {
	kills := func(_ *chaos, n *node) { n.kill() }
	for name, way := range map[string]struct {
		servers int
		end     func(c *chaos, n *node)
	}{
		"R1 kill":      {1, kills},
		"R3 kill":      {3, kills},
		"R1 leave":     {1, func(_ *chaos, n *node) { n.tell("left") }},
		"R3 kill both": {3, (*chaos).killBoth},
	} {
		b.Run(name, func(b *testing.B) {
			c := (&chaos{t: b, pairs: 1, silent: true}).start(way.servers)
			defer c.end()
			p := newProcess(b, c.servers.url(), "chaos", "sender")
			defer p.kill()
			var logged, direct []time.Duration
			for range b.N {
				time.Sleep(2 * time.Second) // until all have heard of each other
				n, unit := c.victim(p)
				c.lead(n.server)
				for range 10 {
					sendOne(p, unit)
				}
				begin := time.Now()
				way.end(c, n)
				answered := make(chan time.Duration)
				go func() {
					askOne(p, unit)
					answered <- time.Since(begin)
				}()
				sendOne(p, unit)
				logged = append(logged, time.Since(begin))
				direct = append(direct, <-answered)
				n.kill()
				c.forget(n)
				if c.servers.end[n.server] == nil {
					c.servers.start(n.server)
					c.settles()
				}
				c.join().isReady()
			}
			for way, all := range map[string][]time.Duration{"logged": logged, "direct": direct} {
				slices.Sort(all)
				b.ReportMetric(float64(all[len(all)/2].Milliseconds()), way+"-median-ms")
				b.ReportMetric(float64(all[len(all)-1].Milliseconds()), way+"-worst-ms")
			}
		})
	}
}

// killBoth kills a machine and its server.
func (c *chaos) killBoth(n *node) {
	n.kill()
	c.servers.stop(n.server)
}

// lead has a server lead all streams, if there are several.
func (c *chaos) lead(server int) {
	if len(c.servers.places) == 1 {
		return
	}
	name := c.servers.places[server].Name
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
		led := 0
		for _, stream := range c.streams() {
			if leader, _ := c.state(stream); leader == name {
				led++
				continue
			}
			_, _ = c.nc.Request("$JS.API.STREAM.LEADER.STEPDOWN."+stream, fmt.Appendf(nil, `{"placement":{"preferred":%q}}`, name), mostCall)
		}
		if led == len(c.streams()) {
			return
		}
	}
	c.t.Fatalf("%s does not lead", name)
}

// victim returns a machine that owns a unit, and the unit.
func (c *chaos) victim(sender *process) (*node, string) {
	names := []string{sender.name}
	for _, n := range c.nodes {
		names = append(names, n.name)
	}
	for n := 0; ; n++ {
		unit := unitName(n)
		owner := partition.OwnerOf(partOf(unit), names)
		if at := slices.Index(names, owner); at > 0 {
			return c.nodes[at-1], unit
		}
	}
}

// sendOne waits for the answer to a logged command.
func sendOne(p *process, unit string) {
	if _, err := note.Call(context.Background(), ledgers.At(p.rt.Context(), unit), entry{ID: "x"}); err != nil {
		panic(err)
	}
}

// askOne waits for the answer to a direct command, which it sends again if there is none.
func askOne(p *process, unit string) {
	c := cluster.Direct(p.rt.Context())
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		_, err := note.Send(c, ledgers.At(c, unit), entry{ID: "x"}).Wait(ctx)
		cancel()
		if err == nil {
			return
		}
	}
}
