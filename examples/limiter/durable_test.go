package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/clustertest"
)

// TestSimulated asks a limiter that lives and crashes, with its disk, under 500 schedules. What a
// key was allowed in one life counts in the next one; who is silent for long enough is forgotten.
func TestSimulated(t *testing.T) {
	clustertest.Run(t, clustertest.Options{}, func(s *clustertest.Sim) {
		c := client{t: s, random: s.Random(), allowed: map[string][]request{}}
		for rt := range s.Lives() {
			all := stored(rt)
			for range s.Count(20) {
				key := []string{"ada", "bob"}[s.Random().IntN(2)]
				sent := rt.Now()
				if wait, err := all.allow(s.Context(), key); err == nil && wait == 0 {
					c.allowed[key] = append(c.allowed[key], request{sent, rt.Now()})
				}
				freerun.After(rt.Context(), time.Duration(s.Random().IntN(3))*three.Each/4).Wait(s.Context())
			}
		}
		rt, node := s.Last()
		c.check()
		freerun.After(rt.Context(), 2*three.full()).Wait(s.Context())
		failed := map[string]bool{} // two processes have ended while these were to be forgotten
		for f := range node.Failures() {
			failed[f.Key] = true
		}
		for key, err := range cluster.Keys(node, onDisk, "") {
			if err != nil || !failed[key] {
				s.Errorf("the store has %q, %v", key, err)
			}
		}
	})
}

func stored(rt *freerun.Runtime) *units { return &units{three, rt, nil, onDisk, allowStored} }

// The process that is killed is this test, with the folder of its store in childDir.
const childDir, childCount = "LIMITER_DIR", "LIMITER_COUNT"

var hourly = limit{100, time.Hour}

// child allows one key some requests, prints a line for each, and waits for its end.
func child() {
	dir := os.Getenv(childDir)
	if dir == "" {
		return
	}
	if dir == "none" {
		dir = ""
	}
	all, err := newUnits(freerun.New(), hourly, dir)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	count, _ := strconv.Atoi(os.Getenv(childCount))
	for range count {
		wait, err := all.allow(context.Background(), "ada")
		fmt.Println("allowed", wait, err)
	}
	time.Sleep(time.Hour)
}

// askAndKill has a process allow some requests, and kills it.
func askAndKill(t *testing.T, dir string, count int) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), childDir+"="+dir, childCount+"="+strconv.Itoa(count))
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer c.Process.Kill()
	lines := bufio.NewScanner(out)
	for range count {
		if !lines.Scan() || lines.Text() != "allowed 0s <nil>" {
			t.Fatalf("the process says %q", lines.Text())
		}
	}
}

// left returns how many requests the key is allowed now.
func left(t *testing.T, dir string) (n int) {
	t.Helper()
	all, err := newUnits(freerun.New(), hourly, dir)
	if err != nil {
		t.Fatal(err)
	}
	for {
		wait, err := all.allow(t.Context(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		if wait > 0 {
			break
		}
		n++
	}
	if err := all.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestKilled holds that a killed process does not make its keys new, and the control that one
// without a store does.
func TestKilled(t *testing.T) {
	if slices.Contains([]string{"js", "wasip1"}, runtime.GOOS) {
		t.Skip("no stores on WebAssembly")
	}
	dir := t.TempDir()
	askAndKill(t, dir, 20)
	askAndKill(t, dir, 30)
	if n := left(t, dir); n != 50 {
		t.Errorf("%d requests are left of 100, and 50 were allowed", n)
	}
	askAndKill(t, "none", 50)
	if n := left(t, ""); n != 100 {
		t.Errorf("without a store %d requests are left of 100", n)
	}
}
