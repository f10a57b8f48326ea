package cluster_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// The declarations of one program in three versions. A process has one of them: kinds are declared
// for all runtimes of a process.

// purse1 is the state in the first version, in cents as a number of euros; purse2 has cents; purse
// has them by currency.
type (
	purse1 struct{ Euros float64 }
	purse2 struct {
		Cents    int
		Answered []int // in cents
	}
	purse struct{ Cents map[string]int }
	gift1 struct{ Euros int }
	gift2 struct{ Cents int }
)

func migrate1(p purse1) (purse2, error) {
	if p.Euros < 0 {
		panic("a negative purse")
	}
	return purse2{Cents: int(p.Euros*100 + 0.5)}, nil
}

func migrate2(p purse2) (purse, error) { return purse{Cents: map[string]int{"EUR": p.Cents}}, nil }

// ledgers is a program whose kind has a name, and had others: no timers and no messages are under
// way. It returns what a unit has after one more.
func ledgers(dir, name string, was ...string) (n int, err error) {
	rt := freerun.New()
	defer rt.Close()
	var options []cluster.StoredOption
	for _, w := range was {
		options = append(options, cluster.Was(w))
	}
	kind := freerun.NewKind(name, func(*freerun.Context, string) (int, error) { return 0, nil }, cluster.Durable(options...))
	enter := freerun.Op("enter", func(_ *freerun.Context, n *int, _ struct{}) (int, error) { *n++; return *n, nil })
	node, err := cluster.Join(rt, cluster.Local(dir, cluster.Create()))
	if err != nil {
		return 0, err
	}
	n, err = enter.Call(rt.Context(), kind.At(rt.Context(), "a"), struct{}{})
	for _, w := range was {
		if _, there := node.Stats().Active[w]; there {
			err = fmt.Errorf("units are counted under the name %s, too", w)
		}
	}
	return n, errors.Join(err, node.Close())
}

// TestRenamedBack holds that an older program does not begin anew where a newer one has given its
// kind another name, and that a newer one may give the earlier name back.
func TestRenamedBack(t *testing.T) {
	if names := os.Getenv("FREERUN_LEDGERS"); names != "" {
		all := strings.Fields(names)
		n, err := ledgers(os.Getenv("FREERUN_DIR"), all[0], all[1:]...)
		fmt.Println("entries:", n, err)
		return
	}
	dir := t.TempDir()
	for _, c := range []struct{ names, want string }{
		{"ledger-1", "entries: 1 <nil>"},
		{"ledger-2 ledger-1", "entries: 2 <nil>"},
		{"ledger-1", "kind ledger-1 has the name ledger-2 there"},
		{"ledger-2 ledger-1", "entries: 3 <nil>"},
		{"ledger-2", "entries: 4 <nil>"},
		{"ledger-3 ledger-2", "entries: 5 <nil>"},
		{"ledger-1", "kind ledger-1 has the name ledger-3 there"},
		{"ledger-2 ledger-1", "kind ledger-2 has the name ledger-3 there"},
		{"ledger-1 ledger-3", "entries: 6 <nil>"},
		{"ledger-1", "entries: 7 <nil>"},
		{"ledger-3 ledger-2", "kind ledger-3 has the name ledger-1 there"},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestRenamedBack$")
		cmd.Env = append(os.Environ(), "FREERUN_LEDGERS="+c.names, "FREERUN_DIR="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v, %s; want %s", c.names, err, out, c.want)
		}
	}
}

// program is what a version does: it takes gifts, and tells others of them after a while.
func program(version int, dir string) error {
	rt := freerun.New()
	defer rt.Close()
	c := rt.Context()
	join := func() (*cluster.Node, error) { return cluster.Join(rt, cluster.Local(dir, cluster.Create())) }
	switch version {
	case 1:
		kind := freerun.NewKind("hoard", func(*freerun.Context, string) (purse1, error) { return purse1{1.25}, nil }, cluster.Durable())
		take := freerun.Op("take", func(c *freerun.Context, p *purse1, g gift1) (float64, error) {
			if g.Euros == question {
				os.Exit(0) // it is left to the next version
			}
			p.Euros += float64(g.Euros)
			return p.Euros, nil
		})
		hears := freerun.Op("hears", func(*freerun.Context, *purse1, cluster.Answer[gift1, float64]) (int, error) { return 0, nil })
		asks := freerun.Op("asks", func(c *freerun.Context, _ *purse1, _ struct{}) (int, error) {
			return 0, cluster.Ask(c, take, kind.At(c, "asked"), gift1{question}, hears)
		})
		later := freerun.Op[purse1, gift1, float64]("later", nil)
		freerun.Define(later, func(c *freerun.Context, p *purse1, g gift1) (float64, error) {
			p.Euros++
			if g.Euros < 0 {
				p.Euros = -1
				return 0, nil
			}
			return p.Euros, errors.Join(cluster.TellAfter(c, 0, "soon", take, g), cluster.TellAfter(c, time.Hour, "far", take, g))
		})
		node, err := join()
		if err != nil {
			return err
		}
		for i := range 10 {
			key := fmt.Sprint(i)
			if _, err := later.Call(c, kind.At(c, key), gift1{2}); err != nil {
				return err
			}
			if _, err := take.Send(cluster.Once(c, "once"), kind.At(c, key), gift1{1}).Wait(c); err != nil {
				return err
			}
		}
		if _, err := later.Call(c, kind.At(c, "negative"), gift1{-1}); err != nil {
			return err
		}
		_, err = asks.Call(c, kind.At(c, "asks"), struct{}{})
		return errors.Join(errors.New("the question did not end the process"), err, rt.Shutdown(c), node.Close())
	default:
		options := []cluster.StoredOption{cluster.Was("hoard"), cluster.Migrate(migrate1)}
		if version == 3 {
			options = append(options, cluster.Was("wallet"), cluster.Migrate(migrate2))
			return last(rt, join, options)
		}
		kind := freerun.NewKind("wallet", func(*freerun.Context, string) (purse2, error) { return purse2{}, nil }, cluster.Durable(options...))
		receive := cluster.Stored(freerun.Op("receive", func(c *freerun.Context, p *purse2, g gift2) (float64, error) {
			p.Cents += g.Cents
			return float64(p.Cents) / 100, nil
		}), cluster.Was("take"), cluster.Migrate(func(g gift1) (gift2, error) { return gift2{100 * g.Euros}, nil }))
		cluster.Stored(freerun.Op("listens", func(_ *freerun.Context, p *purse2, a cluster.Answer[gift2, float64]) (int, error) {
			p.Answered = append(p.Answered, a.Arg.Cents, int(100*a.Result))
			return 0, a.Err
		}), cluster.Was("hears"), cluster.Migrate(func(a cluster.Answer[gift1, float64]) (cluster.Answer[gift2, float64], error) {
			return cluster.Answer[gift2, float64]{Key: a.Key, Arg: gift2{100 * a.Arg.Euros}, Result: a.Result, Err: a.Err}, nil
		}))
		answers := freerun.ReadOp("answers", func(_ *freerun.Context, p *purse2, _ struct{}) ([]int, error) { return p.Answered, nil })
		node, err := join()
		if err != nil {
			return err
		}
		read := freerun.ReadOp("read", func(_ *freerun.Context, p *purse2, _ struct{}) (int, error) { return p.Cents, nil })
		for i := range 5 { // the others are migrated twice, later
			key := fmt.Sprint(i)
			v, err := receive.Send(cluster.Once(c, "once"), kind.At(c, key), gift2{1000}).Wait(c)
			if err != nil || v != 3.25 && v != 5.25 {
				return fmt.Errorf("the outcome of version 1: %v, %w", v, err)
			}
			for cents := 0; cents != 525; time.Sleep(time.Millisecond) {
				if cents, err = read.Call(c, kind.At(c, key), struct{}{}); err != nil || cents > 525 {
					return fmt.Errorf("purse %s: %d, %w", key, cents, err)
				}
			}
		}
		for {
			all, err := answers.Call(c, kind.At(c, "asks"), struct{}{})
			if len(all) == 2 && all[0] == 100*question && all[1] == 100*question {
				break
			}
			if err != nil || len(all) > 0 {
				return fmt.Errorf("the answer: %v, %w", all, err)
			}
			time.Sleep(time.Millisecond)
		}
		if _, err := read.Call(c, kind.At(c, "negative"), struct{}{}); err == nil || errors.Is(err, cluster.ErrStateLost) || !strings.Contains(err.Error(), "a negative purse") {
			return fmt.Errorf("a migration that panics: %v", err)
		}
		return errors.Join(rt.Shutdown(c), node.Close())
	}
}

// question is a gift under which a process of version 1 ends.
const question = 77

func last(rt *freerun.Runtime, join func() (*cluster.Node, error), options []cluster.StoredOption) error {
	c := rt.Context()
	kind := freerun.NewKind("pocket", func(*freerun.Context, string) (purse, error) { return purse{}, nil }, cluster.Durable(options...))
	cluster.Stored(freerun.Op("receive", func(c *freerun.Context, p *purse, g gift2) (float64, error) {
		p.Cents["EUR"] += g.Cents
		return 0, nil
	}), cluster.Was("take"), cluster.Migrate(func(g gift1) (gift2, error) { return gift2{100 * g.Euros}, nil }))
	node, err := join()
	if err != nil {
		return err
	}
	cancel := freerun.Op("cancel", func(c *freerun.Context, p *purse, name string) (bool, error) { return cluster.Cancel(c, name) })
	_ = cancel
	read := freerun.ReadOp("read", func(_ *freerun.Context, p *purse, _ struct{}) (int, error) { return p.Cents["EUR"], nil })
	n := 0
	for key, err := range cluster.Keys(node, kind, "") {
		if err != nil {
			return err
		}
		n++
		if key == "negative" || key == "asks" || key == "asked" {
			continue
		}
		for cents := 0; cents != 525; time.Sleep(time.Millisecond) {
			if cents, err = read.Call(c, kind.At(c, key), struct{}{}); err != nil || cents > 525 {
				return fmt.Errorf("pocket %s: %d, %w", key, cents, err)
			}
		}
	}
	if n != 13 {
		return fmt.Errorf("%d keys", n)
	}
	return errors.Join(rt.Shutdown(c), node.Close())
}

// TestVersions has three versions of a program, each with other names and other types, on one
// store, and then the oldest one again.
func TestVersions(t *testing.T) {
	if v := os.Getenv("FREERUN_VERSION"); v != "" {
		if err := program(int(v[0]-'0'), os.Getenv("FREERUN_DIR")); err != nil {
			fmt.Println(err)
			os.Exit(3)
		}
		return
	}
	dir := t.TempDir()
	runs := func(version int) (string, error) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestVersions$")
		cmd.Env = append(os.Environ(), fmt.Sprint("FREERUN_VERSION=", version), "FREERUN_DIR="+dir)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for v := 1; v <= 3; v++ {
		if out, err := runs(v); err != nil {
			t.Fatalf("version %d: %v\n%s", v, err, out)
		}
	}
	if out, err := runs(2); err == nil || !strings.Contains(out, "kind wallet has the name pocket there") {
		t.Errorf("version 2 after version 3: %v\n%s", err, out)
	}
}
