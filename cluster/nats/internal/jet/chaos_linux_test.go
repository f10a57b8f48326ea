package jet

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// Sketch:     servers and machines are processes; each machine sends to all units, through a proxy
//             of its own. Faults come one after another, and end. Then the senders stop, and wait
//             for all outcomes
//             what they were told is held against what is stored: what was acknowledged is there
//             once, in order, and so is what was sent within
//             without the fence the check finds losses, of direct commands above all: what a log
//             has all owners compute alike

// chaos is a run with faults.
type chaos struct {
	t        testing.TB
	servers  *servers
	running  map[string]*apart // servers, by name
	nc       *nats.Conn        // of the test itself
	nodes    []*node           // that live
	names    int
	told     told
	pairs    int // of streams
	unfenced bool
	silent   bool   // the machines send nothing
	power    *power // of the servers; nil if it does not fail
}

// node is a machine in a process of its own.
type node struct {
	*apart
	name   string
	server int // that it is connected with
	proxy  *proxy
}

// start starts n servers, and three machines.
func (c *chaos) start(n int) *chaos {
	c.t.Helper()
	c.running = map[string]*apart{}
	c.servers = arrange(c.t, n, func(t testing.TB, p place) func() {
		c.running[p.Name] = runApart(t, p)
		return c.running[p.Name].kill
	})
	for i := range c.servers.places {
		c.servers.places[i].MostStored = mostStored
		if c.power != nil {
			c.power.supply(&c.servers.places[i])
		}
	}
	c.servers.startAll()
	c.nc = c.servers.connect(c.t)
	open(c.t, c.nc, Options{Program: "chaos", Pairs: c.pairs, Replicas: n}).Close()
	for range 3 {
		c.join()
	}
	for _, n := range c.nodes {
		n.isReady()
	}
	time.Sleep(1500 * time.Millisecond) // until they own all
	return c
}

// join starts a machine.
func (c *chaos) join() *node {
	c.names++
	have := make([]int, len(c.servers.places)) // machines, by server
	for _, n := range c.nodes {
		have[n.server]++
	}
	server := slices.Index(have, slices.Min(have))
	p := startProxy(c.t, c.servers.places[server].Port)
	s := nodeSettings{Name: fmt.Sprint("n", c.names), URL: p.url(), Unfenced: c.unfenced, Silent: c.silent}
	n := &node{startApart(c.t, "node", s, c.told.hear), s.Name, server, p}
	c.nodes = append(c.nodes, n)
	return n
}

// owner returns a machine that owns something.
func (c *chaos) owner() *node {
	var names []string
	for _, n := range c.nodes {
		names = append(names, n.name)
	}
	owner := partition.OwnerOf(rand.IntN(parts), names)
	return c.nodes[slices.Index(names, owner)]
}

// killNode kills a machine, and starts another one.
func (c *chaos) killNode() *node {
	n := c.owner()
	n.kill()
	c.forget(n)
	return c.join()
}

// forget takes a machine that has ended from those that live.
func (c *chaos) forget(n *node) {
	c.nodes = slices.DeleteFunc(c.nodes, func(other *node) bool { return other == n })
}

// killServer kills a server that leads logs, does more, and starts it again.
func (c *chaos) killServer(more func()) {
	i := c.leader()
	c.servers.stop(i)
	more()
	c.servers.start(i)
}

// leader returns which server leads the logs of a pair of streams.
func (c *chaos) leader() int {
	if len(c.servers.places) == 1 {
		return 0
	}
	return c.servers.leader(c.nc, names{"chaos", c.pairs}.logs(rand.IntN(c.pairs)))
}

// stall stops a server that leads logs for a while: of several, until another one leads.
func (c *chaos) stall() {
	s := c.running[c.servers.places[c.leader()].Name]
	s.signal(syscall.SIGSTOP)
	if len(c.servers.places) == 1 {
		time.Sleep(3 * time.Second)
	} else {
		time.Sleep(12 * time.Second)
	}
	s.signal(syscall.SIGCONT)
}

// mostStored is how many bytes the servers of a run have room for.
const mostStored = 96 << 20

// fill fills the room of the servers for a while, with a stream of another program.
func (c *chaos) fill() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	js, err := jetstream.New(c.nc)
	if err != nil {
		c.t.Fatal(err)
	}
	// A server that is full and leads the others gives that up, every ten seconds (nats-server
	// 2.15, resourcesExceededError): so for a while nobody may make or delete anything.
	insists := func(ask func(ctx context.Context) error) bool {
		err := (&Engine{nc: c.nc}).insist(ctx, ask)
		if err != nil {
			c.t.Error(err)
		}
		return err == nil
	}
	ballast := jetstream.StreamConfig{Name: "ballast", Subjects: []string{"ballast"}, Replicas: len(c.servers.places)}
	if !insists(func(ctx context.Context) error {
		_, err := js.CreateStream(ctx, ballast) // the same one again is no error
		return err
	}) {
		return
	}
	for err == nil {
		_, err = js.Publish(ctx, "ballast", make([]byte, 256<<10))
	}
	if full := (*jetstream.APIError)(nil); !errors.As(err, &full) || full.ErrorCode != noResources && full.ErrorCode != noStorage {
		c.t.Errorf("the servers are not full: %v", err)
	}
	passes(2000)
	insists(func(ctx context.Context) error {
		if err := js.DeleteStream(ctx, ballast.Name); !errors.Is(err, jetstream.ErrStreamNotFound) {
			return err
		}
		return nil
	})
	passes(1000)
}

// faults are what happens to them, by name.
var faults = map[string]func(c *chaos){
	"node":   func(c *chaos) { c.killNode().isReady() },
	"server": func(c *chaos) { c.killServer(func() { passes(500) }) },
	"both":   func(c *chaos) { c.killServer(func() { c.killNode() }) },
	"stall":  (*chaos).stall,
	"full":   (*chaos).fill,
	"zombie": func(c *chaos) {
		n := c.owner()
		n.signal(syscall.SIGSTOP)
		time.Sleep(3 * time.Second)
		n.signal(syscall.SIGCONT)
		passes(300)
	},
	"network": func(c *chaos) {
		n := c.owner()
		n.proxy.becomes(1 + rand.Int32N(weathers-1))
		passes(1500)
		n.proxy.becomes(fair)
		passes(300)
	},
}

// passes lets some milliseconds pass, at most.
func passes(most int) { time.Sleep(time.Duration(rand.IntN(most)) * time.Millisecond) }

// run has faults happen for a while, and has the senders stop then. It returns what of that fails.
func (c *chaos) run(fault func(c *chaos), d, most time.Duration) (late []string) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		fault(c)
		passes(800)
	}
	for _, n := range c.nodes {
		n.tell("quiet")
	}
	until := time.Now().Add(most)
	for _, n := range c.nodes {
		if err := n.waitFor("quiet", time.Until(until)); err != nil {
			late = append(late, err.Error())
		}
	}
	return late
}

// log opens the store for the test itself.
func (c *chaos) log() *Engine {
	e := open(c.t, c.nc, Options{Program: "chaos"})
	c.t.Cleanup(e.Close)
	return e
}

// end ends all processes.
func (c *chaos) end() {
	for _, n := range c.nodes {
		n.kill()
		n.proxy.close()
	}
	for i := range c.servers.places {
		c.servers.stop(i)
	}
	c.nc.Close()
}

// TestChaos kills, stops and cuts off machines and servers, with one pair of streams, and with
// three. FREERUN_CHAOS says for how long: then all faults take turns, with one server, and with
// three, which have two pairs.
func TestChaos(t *testing.T) {
	if testing.Short() {
		t.Skip("processes are killed for half a minute")
	}
	one := func(t *testing.T, servers, pairs int, fault string, d time.Duration) {
		c := (&chaos{t: t, pairs: pairs}).start(servers)
		defer c.end()
		late := c.run(faults[fault], d, 90*time.Second)
		report(t, append(late, c.told.check(t, c.log())...))
	}
	if d, err := time.ParseDuration(os.Getenv("FREERUN_CHAOS")); err == nil {
		for end := time.Now().Add(d); time.Now().Before(end) && !t.Failed(); {
			for i, n := range replicas {
				for fault := range faults {
					t.Run(fmt.Sprint("R", n, " ", fault), func(t *testing.T) { one(t, n, i+1, fault, 20*time.Second) })
				}
			}
		}
		return
	}
	t.Parallel()
	for fault := range faults {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			one(t, 1, 1, fault, 3*time.Second)
		})
	}
	t.Run("both, three pairs", func(t *testing.T) {
		t.Parallel()
		one(t, 1, 3, "both", 3*time.Second)
	})
}

// TestChaosControl holds that machines that write without the fence lose what was answered.
func TestChaosControl(t *testing.T) {
	if testing.Short() {
		t.Skip("processes are stopped for some seconds")
	}
	t.Parallel()
	for range 16 { // a zombie may be lucky
		c := (&chaos{t: t, pairs: 1, unfenced: true}).start(1)
		c.run(faults["zombie"], 3*time.Second, 5*time.Second)
		problems, _ := c.told.problems(contents(t, c.log())) // what is pending may be on its way
		c.end()
		if len(problems) > 0 {
			t.Logf("%d problems, such as: %s", len(problems), problems[0])
			return
		}
	}
	t.Error("machines without a fence lose nothing")
}
