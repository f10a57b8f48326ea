package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/clustertest"
)

// The process that is killed is this test, with the folder of its store in childDir. With
// childForgets it has the wallets in memory: the control.
const childDir, childForgets = "EXCHANGE_DIR", "EXCHANGE_FORGETS"

const killedMarkets, killedTraders, everything = 10, 5, 1 << 30

// child trades until it is killed, and prints each trade that is acknowledged.
func child() {
	dir := os.Getenv(childDir)
	if dir == "" {
		return
	}
	remembered = everything
	x := newExchange(freerun.New(), killedMarkets, killedTraders)
	if _, err := join(context.Background(), x, dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if os.Getenv(childForgets) != "" {
		x.wallets = inMemory
	}
	x.traded = func(t Trade) {
		text, _ := json.Marshal(t)
		os.Stdout.Write(append(text, '\n'))
	}
	for i := range 4 * killedMarkets {
		activity.Go(x.rt, func(a *activity.Activity) { x.trade(a, i%killedMarkets, 0) })
	}
	select {}
}

func join(ctx context.Context, x *exchange, dir string) (*cluster.Node, error) {
	node, err := cluster.Join(x.rt, cluster.Local(dir, cluster.Create()))
	if err != nil {
		return nil, err
	}
	return node, x.goOn(ctx, node)
}

// tradeAndKill has a process trade, kills it once it has acknowledged some trades, and returns
// these.
func tradeAndKill(t *testing.T, dir string, count int, env ...string) (acknowledged []Trade) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(append(os.Environ(), childDir+"="+dir), env...)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer c.Process.Kill()
	for r := bufio.NewReader(out); ; {
		line, err := r.ReadString('\n')
		if err != nil { // the end; what is left of a line is no acknowledgement
			break
		}
		var trade Trade
		if err := json.Unmarshal([]byte(line), &trade); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if acknowledged = append(acknowledged, trade); len(acknowledged) == count {
			c.Process.Kill() // goes on with what is still in the pipe
		}
	}
	if len(acknowledged) < count {
		t.Fatalf("the process has ended with %d trades", len(acknowledged))
	}
	return acknowledged
}

// compare starts an exchange in this process, checks its sums and its books, and returns what is
// wrong with the trades that its wallets have, beside those that were acknowledged.
func compare(t *testing.T, dir string, acknowledged []Trade) (problems []error) {
	t.Helper()
	defer func(before int) { remembered = before }(remembered)
	remembered = everything
	rt := freerun.New()
	x := newExchange(rt, killedMarkets, killedTraders)
	node, err := join(t.Context(), x, dir)
	if err != nil {
		t.Fatal(err)
	}
	checkSums(t, x)
	for market := range x.books {
		checkBook(t, x, market)
	}
	problems = missing(t, x, acknowledged)
	if err := errors.Join(rt.Shutdown(t.Context()), node.Close()); err != nil {
		t.Fatal(err)
	}
	return problems
}

// missing returns what is wrong with the trades of the wallets, beside those acknowledged.
func missing(t testing.TB, x *exchange, acknowledged []Trade) (problems []error) {
	t.Helper()
	bought, sold := map[Trade]int{}, map[Trade]int{}
	for market := range x.books {
		for trader := range x.traders {
			w, err := statement.Send(x.rt.Context(), x.wallet(x.rt.Context(), market, trader), struct{}{}).Wait(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, trade := range w.Trades {
				if trade.Buyer == trader {
					bought[trade]++
				}
				if trade.Seller == trader {
					sold[trade]++
				}
			}
		}
	}
	for trade, n := range bought {
		if n != 1 || sold[trade] != 1 {
			problems = append(problems, fmt.Errorf("%+v was bought %d times, and sold %d times", trade, n, sold[trade]))
		}
	}
	if len(bought) != len(sold) {
		problems = append(problems, fmt.Errorf("%d trades were bought, and %d sold", len(bought), len(sold)))
	}
	for _, trade := range acknowledged {
		if bought[trade] == 0 {
			problems = append(problems, fmt.Errorf("%+v was acknowledged, and is not there", trade))
		}
	}
	return problems
}

// TestKilled kills an exchange again and again in the middle of trading. Each trade that it has
// acknowledged is in both wallets, once; no share and no cash is lost or made; the books are again
// what the wallets say.
func TestKilled(t *testing.T) {
	noFiles(t)
	dir := t.TempDir()
	var all []Trade
	for i := range 4 {
		all = append(all, tradeAndKill(t, dir, 300+200*i)...)
		if problems := compare(t, dir, all); len(problems) > 0 {
			t.Fatalf("%d problems after %d trades; the first: %v", len(problems), len(all), problems[0])
		}
	}
	t.Logf("%d trades acknowledged", len(all))
}

// TestKilledControl holds that the test above finds trades that are not stored.
func TestKilledControl(t *testing.T) {
	noFiles(t)
	dir := t.TempDir()
	problems := compare(t, dir, tradeAndKill(t, dir, 100, childForgets+"=1"))
	if len(problems) < 100 || !strings.Contains(problems[0].Error(), "was acknowledged, and is not there") {
		t.Errorf("lost trades are not found: %v", problems)
	}
}

// TestSimulated has an exchange live and crash on a simulated disk under 500 schedules: late, full
// or broken. Orders of one life come into the books of the next one.
func TestSimulated(t *testing.T) {
	defer func(before int) { remembered = before }(remembered)
	remembered = everything
	clustertest.Run(t, clustertest.Options{}, func(s *clustertest.Sim) {
		var acknowledged []Trade
		for rt, node := range s.Lives() {
			x := newExchange(rt, 2, 3)
			x.traded = func(t Trade) { acknowledged = append(acknowledged, t) }
			if x.goOn(s.Context(), node) != nil {
				continue
			}
			var sent []freerun.Future[Placed]
			for range s.Count(15) {
				o := Order{Market: s.Random().IntN(2), Trader: s.Random().IntN(3), Buy: s.Random().IntN(2) == 0}
				o.Price, o.Left = 95+s.Random().IntN(10), 1+s.Random().IntN(500)
				sent = append(sent, x.order(rt.Context(), o))
			}
			for _, f := range sent {
				if p, err := f.Wait(s.Context()); err == nil {
					x.count(p)
				}
			}
		}
		rt, node := s.Last()
		x := newExchange(rt, 2, 3)
		if err := x.goOn(s.Context(), node); err != nil {
			s.Fatal(err)
		}
		checkSums(s, x)
		checkBook(s, x, 0)
		checkBook(s, x, 1)
		for _, err := range missing(s, x, acknowledged) {
			s.Error(err)
		}
	})
}

func noFiles(t *testing.T) {
	if slices.Contains([]string{"js", "wasip1"}, runtime.GOOS) {
		t.Skip("no stores on WebAssembly")
	}
}
