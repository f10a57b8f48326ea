package cluster_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

var (
	idsSeen sync.Map // string → *[]string: the identities that an operation with a name has had
	seeIDs  = freerun.Op("seeIDs", func(c *freerun.Context, _ *account, name string) (int, error) {
		id, err := cluster.ID(c)
		if err != nil {
			return 0, err
		}
		second, err := cluster.ID(c)
		if err != nil || second != id {
			return 0, errors.New("it changes")
		}
		all, _ := idsSeen.LoadOrStore(name, new([]string))
		list := all.(*[]string)
		if *list = append(*list, id); len(*list) < 3 {
			panic("again")
		}
		return len(*list), nil
	})
	tellIDs = freerun.Op("tellIDs", func(c *freerun.Context, _ *account, to string) (int, error) {
		return 0, seeIDs.Tell(c, accounts.At(c, to), "told")
	})
)

// TestID holds that an operation has one identity each time it is tried, and that no two have the
// same one.
func TestID(t *testing.T) {
	rt, _, _ := start(t, t.TempDir())
	c := rt.Context()
	if _, err := cluster.ID(c); !errors.Is(err, cluster.ErrOutside) {
		t.Error(err)
	}
	must(t, seeIDs.Send(c, accounts.At(c, "ada"), "sent"))
	must(t, seeIDs.Send(cluster.Once(c, "x"), accounts.At(c, "ada"), "once"))
	must(t, tellIDs.Send(c, accounts.At(c, "ada"), "bob"))
	settle(t, rt)
	different := map[string]bool{}
	for name, all := range idsSeen.Range {
		list := *all.(*[]string)
		if len(list) != 3 || list[0] == "" || list[0] != list[1] || list[0] != list[2] || different[list[0]] {
			t.Errorf("%s: %q", name, list)
		}
		different[list[0]] = true
	}
	if len(different) != 3 {
		t.Errorf("%d identities", len(different))
	}
}

// TestBackup has a copy made while units go on, which opens as the store it was at one instant.
func TestBackup(t *testing.T) {
	rt, n, stop := start(t, t.TempDir())
	c := rt.Context()
	for range 50 {
		must(t, pay.Send(c, accounts.At(c, "ada"), transfer{"bob", 1}))
	}
	copied := t.TempDir()
	f, err := os.Create(filepath.Join(copied, "freerun.store"))
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		pay.Tell(c, accounts.At(c, "ada"), transfer{"bob", 1})
	}
	size, err := n.Backup(f)
	if info, statErr := f.Stat(); err != nil || statErr != nil || info.Size() != size {
		t.Fatal(size, err, statErr)
	}
	f.Close()
	must(t, deposit.Send(c, accounts.At(c, "ada"), 1000))
	stop()
	if _, err := n.Backup(f); !errors.Is(err, cluster.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}

	rt, _, _ = start(t, copied)
	c = rt.Context()
	settle(t, rt)
	a, b := must(t, balance.Send(c, accounts.At(c, "ada"), struct{}{})), must(t, balance.Send(c, accounts.At(c, "bob"), struct{}{}))
	if a+b != 200 || a > 50 {
		t.Errorf("%d and %d", a, b)
	}
}
