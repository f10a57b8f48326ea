//go:build !wasm

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/nats/embedded"
)

// bank starts a server and processes that share it, shows them on a page, and counts the money when
// they have ended. It starts another process for each that ends.
type bank struct {
	dir, page string
	processes int
	say       func(format string, v ...any)
	another   func(servers string) *exec.Cmd

	mu       sync.Mutex
	children []*childProcess // all that were started, in order
}

// childProcess is a process that the bank has started.
type childProcess struct {
	Last  state // that it has said
	Ended bool
	Heard time.Time
}

// run runs processes until ctx is done, and returns what the accounts have then.
func (b *bank) run(ctx context.Context) (found audit, err error) {
	if b.dir == "" {
		dir, err := os.MkdirTemp("", "bank")
		if err != nil {
			return found, err
		}
		defer os.RemoveAll(dir)
		b.dir = dir
	}
	at, err := freeAddress()
	if err != nil {
		return found, err
	}
	rt := freerun.New()
	node, err := cluster.Join(rt, embedded.Server("bank", b.dir, embedded.Create(), embedded.Listen(at)))
	if err != nil {
		return found, errors.Join(err, rt.Close())
	}
	page, err := b.serve(node)
	if err == nil {
		defer page.Close()
		b.keep(ctx, "nats://"+at)
		counting, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		found, err = look(counting, rt)
	}
	return found, errors.Join(err, node.Close(), rt.Shutdown(context.Background()))
}

// serve serves the page.
func (b *bank) serve(node *cluster.Node) (*http.Server, error) {
	l, err := net.Listen("tcp", b.page)
	if err != nil {
		return nil, err
	}
	s := &http.Server{Handler: b.handler(node), ReadHeaderTimeout: time.Second}
	go func() { _ = s.Serve(l) }() // until it is closed
	b.say("bank: http://%s shows the processes; kill -9 any of them", l.Addr())
	return s, nil
}

// keep has so many processes run until ctx is done, and then waits until they have ended.
func (b *bank) keep(ctx context.Context, servers string) {
	var all sync.WaitGroup
	for range b.processes {
		all.Go(func() {
			for ctx.Err() == nil {
				if err := b.start(ctx, servers); err != nil {
					b.say("bank: a process has ended: %v; another one comes", err)
				}
				select {
				case <-ctx.Done():
				case <-time.After(2 * pause):
				}
			}
		})
	}
	all.Wait()
}

// start starts a process, hears what it says, and waits for its end. When ctx is done it has the
// process end.
func (b *bank) start(ctx context.Context, servers string) error {
	cmd := b.another(servers)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	c := &childProcess{Last: state{Process: cmd.Process.Pid}, Heard: time.Now()}
	b.mu.Lock()
	b.children = append(b.children, c)
	b.mu.Unlock()
	stop := context.AfterFunc(ctx, func() { in.Close() })
	defer stop()
	for said := json.NewDecoder(out); ; {
		var s state
		if said.Decode(&s) != nil {
			break
		}
		b.mu.Lock()
		c.Last, c.Heard = s, time.Now()
		b.mu.Unlock()
	}
	err = cmd.Wait()
	b.mu.Lock()
	c.Ended = true
	b.mu.Unlock()
	return err
}

// all returns what is known of the processes, those that run first.
func (b *bank) all() (all []childProcess) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.children {
		all = append(all, *c)
	}
	slices.SortStableFunc(all, func(a, b childProcess) int {
		switch {
		case a.Ended == b.Ended:
			return 0
		case a.Ended:
			return 1
		}
		return -1
	})
	return all
}

// freeAddress returns an address of this machine at which nobody listens.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("bank: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}
