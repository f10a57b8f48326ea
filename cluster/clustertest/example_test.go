package clustertest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/clustertest"
)

// purse is the state of the units of a bank.
type purse struct{ Coins int }

// payment is told by a purse to another one.
type payment struct {
	To    string
	Coins int
}

var (
	purses = freerun.NewKind("purse", func(*freerun.Context, string) (purse, error) { return purse{Coins: 100}, nil }, cluster.Durable())
	get    = freerun.Op("get", func(_ *freerun.Context, p *purse, coins int) (int, error) {
		p.Coins += coins
		return p.Coins, nil
	})
	pay = freerun.Op("pay", func(c *freerun.Context, p *purse, to payment) (int, error) {
		if p.Coins < to.Coins {
			return p.Coins, errors.New("too poor")
		}
		p.Coins -= to.Coins
		return p.Coins, get.Tell(c, purses.At(c, to.To), to.Coins)
	})
	count = freerun.ReadOp("count", func(_ *freerun.Context, p *purse, _ struct{}) (int, error) { return p.Coins, nil })
)

// Whatever happens to the process and to its disk, no coin is lost and none is made. A test passes
// its *testing.T where this example passes example.
func ExampleRun() {
	t, names := &example{}, []string{"ada", "bob", "cyd"}
	clustertest.Run(t, clustertest.Options{Seeds: 50}, func(s *clustertest.Sim) {
		for rt := range s.Lives() {
			for range s.Count(20) {
				from, to := names[s.Random().IntN(3)], names[s.Random().IntN(3)]
				pay.Send(rt.Context(), purses.At(rt.Context(), from), payment{to, s.Random().IntN(50)})
			}
		}
		rt, node := s.Last()
		sum := 0
		for f, err := range node.Failures() { // two processes have ended while these were delivered
			var coins int
			if err := errors.Join(err, json.Unmarshal(f.Arg, &coins)); err != nil {
				s.Fatal(err)
			}
			sum += coins
		}
		for _, name := range names {
			coins, err := count.Call(s.Context(), purses.At(rt.Context(), name), struct{}{})
			if err != nil {
				s.Fatal(err)
			}
			sum += coins
		}
		if sum != 300 {
			s.Errorf("there are %d coins", sum)
		}
	})
	fmt.Println("failed:", t.failed)
	// Output:
	// failed: false
}

// example stands for a test's *testing.T.
type example struct {
	testing.TB
	failed bool
	said   []string
}

func (e *example) Context() context.Context  { return context.Background() }
func (e *example) Failed() bool              { return e.failed }
func (e *example) Helper()                   {}
func (e *example) Log(a ...any)              { e.said = append(e.said, fmt.Sprint(a...)) }
func (e *example) Logf(s string, a ...any)   { e.said = append(e.said, fmt.Sprintf(s, a...)) }
func (e *example) Name() string              { return "Test" }
func (e *example) Errorf(s string, a ...any) { e.failed = true; e.Logf(s, a...) }
func (e *example) Fatalf(s string, a ...any) { e.Errorf(s, a...); panic(e) }
func (e *example) text() string              { return strings.Join(e.said, "\n") }
