package jet

import (
	"errors"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// TestMake holds that nobody opens a store before it is whole that a copy makes, and that it is
// removed without a trace if it is given up.
func TestMake(t *testing.T) {
	t.Parallel()
	s := serve(t, 1)
	nc := s.connect(t)
	o := Options{Program: "p", Partitions: 4, Pairs: 3}
	refused := func(what, says string, is error, open func() (*Engine, error)) {
		t.Helper()
		e, err := open()
		if err == nil {
			e.Close()
		}
		if !errors.Is(err, is) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; want %q", what, err, says)
		}
	}
	e, err := Make(t.Context(), nc, o)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	opens := func() (*Engine, error) { return Open(t.Context(), nc, o) }
	creates := func() (*Engine, error) {
		return Open(t.Context(), nc, Options{Program: "p", Partitions: 4, Create: true})
	}
	makes := func() (*Engine, error) { return Make(t.Context(), nc, o) }
	refused("a part of a copy", "part of a copy", engine.ErrStateLost, opens)
	refused("a first start at a part of a copy", "part of a copy", engine.ErrStateLost, creates)
	refused("another copy", "part of a copy", ErrMismatch, makes)

	before, err := e.Moment(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	swapped := make(chan error, 1)
	e.Swap(1, []engine.Write{{Key: []byte("a"), Value: []byte("1")}}, 0, func(_ uint64, err error) { swapped <- err })
	if err := <-swapped; err != nil {
		t.Fatal(err)
	}
	if now, err := e.Moment(t.Context()); err != nil || now.Entries == before.Entries || now.Logs != before.Logs {
		t.Errorf("a write moves the streams from %v to %v, %v", before, now, err)
	}
	if err := e.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	refused("what was given up", "the first start asks for them", engine.ErrStateLost, opens)

	again, err := makes()
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := e.Finish(t.Context()); !errors.Is(err, ErrMismatch) {
		t.Errorf("the end of a copy whose streams are those of another one: %v", err)
	}
	if err := e.Remove(t.Context()); err != nil { // which are not its own
		t.Fatal(err)
	}
	appended := make(chan error, 1)
	again.Append(2, []byte("entry"), func(_ uint64, err error) { appended <- err })
	if err := <-appended; err != nil {
		t.Fatal(err)
	}
	if err := again.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	refused("a copy to a store", "the server has a stream", ErrMismatch, makes)
	whole, err := Open(t.Context(), nc, Options{Program: "p"})
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	last := make(chan uint64, 1)
	whole.Last(2, func(seq uint64, err error) {
		if err != nil {
			t.Error(err)
		}
		last <- seq
	})
	if whole.Partitions() != 4 || whole.Pairs() != 3 || whole.ID() != again.ID() || <-last != 1 {
		t.Errorf("the store has %d partitions on %d pairs of streams, and identity %x, want %x", whole.Partitions(), whole.Pairs(), whole.ID(), again.ID())
	}
}
