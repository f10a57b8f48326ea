package jet

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/partition"
	"github.com/freerun-go/freerun/cluster/internal/turn"
)

// process is a machine in a test.
type process struct {
	*partition.Machine
	t     testing.TB
	nc    *nats.Conn
	log   *Engine
	rt    *freerun.Runtime
	turns []*turn.Turn
	cells []map[string]*counter // by partition
	over  chan struct{}         // closed when it is killed
}

const parts = 4

func newProcess(t testing.TB, url, name string) *process {
	nc := connect(t, url)
	p := &process{t: t, nc: nc, log: open(t, nc, Options{Program: "machines"}), rt: freerun.New(), over: make(chan struct{})}
	for range parts + 1 {
		p.turns = append(p.turns, turn.New(p.rt))
		p.cells = append(p.cells, map[string]*counter{})
	}
	p.Machine = partition.NewMachine(name, parts, p.log, p.log, p.turns[parts], func(i int) partition.World { return p.turns[i] }, p)
	if _, err := p.log.Listen(name, p.Receive); err != nil {
		t.Fatal(err)
	}
	p.Begin()
	return p
}

// kill ends the process in the middle.
func (p *process) kill() {
	close(p.over)
	_ = p.rt.Close()
	p.nc.Close()
	p.log.Close()
}

var _ partition.Bus = (*Engine)(nil)

// counter is a unit: it has the names of the commands that it has run.
type counter struct {
	name    string
	log     engine.Log
	turn    *turn.Turn
	loaded  bool
	busy    bool
	dead    bool
	record  partition.Record
	have    []string
	rev     uint64
	waiting []delivered
}

type delivered struct {
	owner   *partition.Owner
	seq     uint64 // 0 to tell the outcome again
	command *partition.Command
}

func (p *process) at(o *partition.Owner, unit string) *counter {
	all := p.cells[o.P()]
	if all[unit] == nil {
		all[unit] = &counter{name: unit, log: p.log, turn: p.turns[o.P()]}
	}
	return all[unit]
}

func (p *process) Deliver(o *partition.Owner, seq uint64, c *partition.Command) {
	u := p.at(o, c.Unit)
	u.waiting = append(u.waiting, delivered{o, seq, c})
	u.goOn(p)
}

func (p *process) Repeat(o *partition.Owner, c *partition.Command) { p.Deliver(o, 0, c) }

func (p *process) Request(_ *partition.Owner, r *partition.Request) {
	r.Reply(nil, partition.ErrNotRun)
}

func (p *process) Ended(o *partition.Owner) {
	for _, u := range p.cells[o.P()] {
		u.dead = true
	}
	clear(p.cells[o.P()])
}

func (u *counter) goOn(p *process) {
	if u.dead || u.busy || len(u.waiting) == 0 {
		return
	}
	u.busy = true
	if !u.loaded {
		u.log.Read(partition.Of(u.name, parts), []byte(u.name), func(value []byte, revision uint64, err error) {
			u.turn.Run(func() {
				u.busy = false
				if err == nil {
					u.decode(value)
					u.rev, u.loaded = revision, true
				}
				if err == nil {
					u.goOn(p)
				} else {
					u.turn.After(50*time.Millisecond, func() { u.goOn(p) })
				}
			})
		})
		return
	}
	all := u.waiting
	u.waiting = nil
	next, have := u.record, slices.Clone(u.have)
	next.Outcomes, next.Sends = slices.Clone(next.Outcomes), slices.Clone(next.Sends)
	var ran []delivered
	sends := map[uint64][]partition.Send{}
	for _, d := range all {
		switch {
		case d.seq == 0:
		case u.record.Has(d.seq):
			d.owner.HadRun(d.seq, &u.record)
		default:
			id, to, sent := strings.Cut(string(d.command.Body), ">")
			have = append(have, id)
			if sent {
				sends[d.seq] = []partition.Send{{To: partition.Of(to, parts), Unit: to, Body: []byte(id + "'")}}
			}
			next.Ran(d.seq, d.command, []byte(id), sends[d.seq])
			ran = append(ran, d)
			continue
		}
		if value, there := u.record.Outcome(d.command.From.Session, d.command.N); there {
			p.Answer(d.owner, d.command, value)
		}
	}
	if len(ran) == 0 {
		u.busy = false
		u.goOn(p)
		return
	}
	owner := ran[0].owner
	if !owner.MayWrite() {
		return
	}
	owner.Trim(&next)
	state, err := json.Marshal(have)
	if err != nil {
		panic(err)
	}
	u.log.Swap(partition.Of(u.name, parts), []engine.Write{{Key: []byte(u.name), Value: append(next.Append(nil), state...)}}, u.rev, func(revision uint64, err error) {
		u.turn.Run(func() {
			if u.dead {
				return
			}
			u.busy = false
			if err != nil { // run again on what is stored
				u.loaded, u.waiting = false, append(ran, u.waiting...)
				u.goOn(p)
				return
			}
			u.record, u.have, u.rev = next, have, revision
			for _, d := range ran {
				d.owner.Done(d.seq, sends[d.seq])
				if value, there := u.record.Outcome(d.command.From.Session, d.command.N); there {
					p.Answer(d.owner, d.command, value)
				}
			}
			u.goOn(p)
		})
	})
}

func (u *counter) decode(value []byte) {
	u.record, u.have = partition.Record{}, nil
	if value == nil {
		return
	}
	record, rest, err := partition.DecodeRecord(value)
	if err == nil {
		err = json.Unmarshal(rest, &u.have)
	}
	if err != nil {
		panic(err)
	}
	u.record = record
}

// sender sends commands from a process, one behind the other's acceptance or not, and knows what it
// was told.
type sender struct {
	name     string
	mu       sync.Mutex
	sent     []string // by unit, in order: unit, command
	accepted map[string]bool
	outcomes atomic.Int64
	failed   atomic.Int64
	open     atomic.Int64
}

func (s *sender) send(p *process, n int) {
	for i := range n {
		unit := fmt.Sprintf("unit %d", i%17)
		id := fmt.Sprintf("%s-%d", s.name, i)
		body := id
		if i%5 == 0 {
			body += fmt.Sprintf(">unit %d", (i+3)%17)
		}
		s.mu.Lock()
		s.sent = append(s.sent, unit, id)
		s.mu.Unlock()
		for s.open.Load() > 200 {
			select {
			case <-p.over:
				return
			case <-time.After(time.Millisecond):
			}
		}
		s.open.Add(1)
		p.Send(unit, []byte(body), func(err error) {
			if err == nil {
				s.mu.Lock()
				s.accepted[id] = true
				s.mu.Unlock()
			}
		}, func(value []byte, err error) {
			s.open.Add(-1)
			switch {
			case err != nil:
				s.failed.Add(1)
			case string(value) != id:
				p.t.Errorf("the outcome of %s is %q", id, value)
			default:
				s.outcomes.Add(1)
			}
		})
	}
}

// TestMachines runs the protocol on goroutines over a server: machines come, are killed in the
// middle, and leave, and the server is started again, while others send.
func TestMachines(t *testing.T) {
	t.Parallel()
	server := serve(t, 1)
	url := server.url()
	first := newProcess(t, url, "first")
	last := newProcess(t, url, "last")
	killed := newProcess(t, url, "killed")
	const each = 6000
	var senders []*sender
	var ended sync.WaitGroup
	for i, p := range []*process{first, last, killed} {
		s := &sender{name: fmt.Sprint("s", i), accepted: map[string]bool{}}
		senders = append(senders, s)
		if p == killed {
			go s.send(p, each) // it does not come to its end
		} else {
			ended.Go(func() { s.send(p, each) })
		}
	}
	time.Sleep(2*time.Second + time.Duration(rand.IntN(500))*time.Millisecond)
	killed.kill()
	server.stop(0)
	server.start(0)
	third := newProcess(t, url, "third")
	time.Sleep(2 * time.Second)
	left := make(chan struct{})
	third.Leave(func() { close(left) })
	<-left
	third.End()
	ended.Wait()
	for _, s := range senders[:2] {
		end := time.Now().Add(time.Minute)
		for s.outcomes.Load() < each {
			if time.Now().After(end) {
				t.Fatalf("sender %s has %d outcomes of %d, %d have failed", s.name, s.outcomes.Load(), each, s.failed.Load())
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	time.Sleep(2 * time.Second) // what was sent within comes
	check(t, first, senders)
	for _, p := range []*process{first, last, third} {
		p.End()
		p.kill()
	}
}

// check holds what the store has against what the senders know.
func check(t *testing.T, p *process, senders []*sender) {
	count := map[string]int{}
	have := map[string][]string{}
	for i := range 17 {
		u := &counter{name: fmt.Sprintf("unit %d", i)}
		done := make(chan struct{})
		p.log.Read(partition.Of(u.name, parts), []byte(u.name), func(value []byte, _ uint64, err error) {
			if err != nil {
				t.Error(err)
			}
			u.decode(value)
			close(done)
		})
		<-done
		have[u.name] = u.have
		for _, id := range u.have {
			count[id]++
		}
	}
	for _, s := range senders {
		s.mu.Lock()
		for i := 0; i < len(s.sent); i += 2 {
			id := s.sent[i+1]
			if n := count[id]; n > 1 || n == 0 && s.accepted[id] {
				t.Errorf("%s has had its effect %d times; it was accepted: %v", id, n, s.accepted[id])
			}
			if n := count[id+"'"]; count[id] == 1 && (i/2)%5 == 0 && n != 1 {
				t.Errorf("what %s has sent has come %d times", id, n)
			}
		}
		for unit, ids := range have {
			at := 0
			for i := 0; i < len(s.sent); i += 2 {
				if s.sent[i] != unit {
					continue
				}
				place := slices.Index(ids, s.sent[i+1])
				if place >= 0 && place < at {
					t.Errorf("%s came to %s before an earlier one of its sender", s.sent[i+1], unit)
				}
				at = max(at, place)
			}
		}
		s.mu.Unlock()
	}
}
