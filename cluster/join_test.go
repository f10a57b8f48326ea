package cluster_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// TestJoinRefused holds that a runtime that ends joins no store, and leaves it to others, and that
// a store has a folder with a name.
func TestJoinRefused(t *testing.T) {
	dir := t.TempDir()
	ended := freerun.New()
	ended.Close()
	if _, err := cluster.Join(ended, cluster.Local(dir, cluster.Create())); !errors.Is(err, freerun.ErrClosed) {
		t.Error("a runtime that has ended:", err)
	}
	rt, _, _ := start(t, dir)
	other := freerun.New()
	defer other.Close()
	if _, err := cluster.Join(other, cluster.Local("", cluster.Create())); err == nil || !strings.Contains(err.Error(), "its name is empty") {
		t.Error("no folder:", err)
	}
	c := rt.Context()
	_, err := freerun.When2(c, accounts.At(c, "a"), accounts.At(c, "b"), func(*freerun.Context, *account, *account) (int, error) { return 0, nil }).Wait(within(t))
	if err == nil || !strings.Contains(err.Error(), "declare an operation with freerun.Op2") {
		t.Error("two units:", err)
	}
}
