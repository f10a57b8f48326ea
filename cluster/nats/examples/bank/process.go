//go:build !wasm

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/nats"
)

// process is one of those that share the accounts.
type process struct {
	servers string
	create  int // make the streams, on so many servers; 0: do not
	flight  int
	say     func(s state)

	rt                        *freerun.Runtime
	node                      *cluster.Node
	acknowledged, poor, again atomic.Int64
}

// state is what a process says of itself.
type state struct {
	Process                   int // the number that the system has given it
	Machines                  cluster.Machines
	Owned                     int    // partitions
	Taken, Conflicts          uint64 // hand-overs, and writes that met another machine's
	Acknowledged, Poor, Again int64  // transfers; and how often one was sent again
	UnderWay                  int    // what its units have been told and has had no effect
	Failures                  int
}

func (s state) String() string {
	return fmt.Sprintf("%d machines, %d partitions are here; %d transfers acknowledged, %d sent again, %d messages under way",
		len(s.Machines.Partitions), s.Owned, s.Acknowledged, s.Again, s.UnderWay)
}

// run makes transfers until ctx is done.
func (p *process) run(ctx context.Context) error {
	p.rt = freerun.New()
	var options []nats.Option
	if p.create > 0 {
		options = append(options, nats.Create(p.create))
	}
	var err error
	if p.node, err = cluster.Join(p.rt, nats.Servers("bank", p.servers, options...)); err != nil {
		return errors.Join(err, p.rt.Close())
	}
	problems := make(chan error, p.flight)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	for i := range p.flight {
		all.Go(func() {
			if err := p.pays(ctx, i); err != nil {
				problems <- err
				stop()
			}
		})
	}
	for ticks := time.NewTicker(pause); ctx.Err() == nil; {
		select {
		case <-ctx.Done():
			ticks.Stop()
		case <-ticks.C:
			p.say(p.state())
		}
	}
	all.Wait()
	p.say(p.state())
	close(problems)
	// The node first: what this machine has goes on at the others while this one shuts down.
	return errors.Join(<-problems, p.node.Close(), p.rt.Shutdown(context.Background()))
}

// pays makes one transfer after another.
func (p *process) pays(ctx context.Context, payer int) error {
	for n := 0; ctx.Err() == nil; n++ {
		from := rand.IntN(mostAccounts)
		t := transfer{To: (from + 1 + rand.IntN(mostAccounts-1)) % mostAccounts, Amount: 1 + rand.IntN(100)}
		// The identity has a transfer that is sent again find that it was made.
		c := cluster.Once(p.rt.Context(), fmt.Sprint(p.node.Machines().Self, "/", payer, "/", n))
		if err := p.transfer(c, from, t); err != nil {
			return err
		}
	}
	return nil
}

// transfer makes a transfer, until it is known that it was made, or refused.
func (p *process) transfer(c *freerun.Context, from int, t transfer) error {
	for {
		_, err := pay.Send(c, accounts.At(c, from), t).Wait(context.Background())
		switch {
		case err == nil:
			p.acknowledged.Add(1)
		case errors.Is(err, errPoor):
			p.poor.Add(1)
		case errors.Is(err, cluster.ErrUncertain), errors.Is(err, cluster.ErrNotRun):
			p.again.Add(1)
			time.Sleep(pause / 5)
			continue
		default:
			return err
		}
		return nil
	}
}

func (p *process) state() state {
	of := p.node.Stats()
	return state{
		Process: os.Getpid(), Machines: p.node.Machines(), Failures: of.Failures, UnderWay: of.Deliveries,
		Owned: of.Partitions, Taken: of.HandOvers, Conflicts: of.Conflicts,
		Acknowledged: p.acknowledged.Load(), Poor: p.poor.Load(), Again: p.again.Load(),
	}
}

// sayJSON says states to another process.
func sayJSON(w io.Writer) func(s state) {
	out := json.NewEncoder(w)
	return func(s state) {
		if out.Encode(s) != nil {
			os.Exit(1) // it has ended
		}
	}
}

// untilEnd returns a context that is done when the input ends, as it does with the process that has
// started this one.
func untilEnd(ctx context.Context, in io.Reader) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		for s := bufio.NewScanner(in); s.Scan(); {
		}
		cancel()
	}()
	return ctx
}
