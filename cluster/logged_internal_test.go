package cluster

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/partition"
	"github.com/freerun-go/freerun/internal/route"
)

// TestPartNote holds that a note comes back, and that no part of one does.
func TestPartNote(t *testing.T) {
	for _, want := range []partNote{{1, 0, 0}, {300, 301, 299}, {1<<64 - 1, 1<<64 - 1, 1<<64 - 1}} {
		b := want.encode()
		if got, err := decodeNote(b); err != nil || got != want {
			t.Errorf("%+v, %v", got, err)
		}
		for n := range b {
			if _, err := decodeNote(b[:n]); err == nil {
				t.Errorf("%d bytes of %+v are taken", n, want)
			}
		}
	}
	if got, err := decodeNote(nil); err != nil || got != (partNote{}) {
		t.Errorf("none: %+v, %v", got, err)
	}
}

// TestStoredRecord holds that a record comes back, with and without a state.
func TestStoredRecord(t *testing.T) {
	for _, state := range []string{"", "state"} {
		want := storedRecord{Record: partition.Record{Last: 7, Write: "m/1"}, wake: time.Unix(5, 0).UTC()}
		got, rest, err := decodeStored(append(want.append(nil), state...))
		if err != nil || string(rest) != state || got.state != (state != "") || got.Last != 7 || got.Write != "m/1" || !got.wake.Equal(want.wake) {
			t.Errorf("%+v, %q, %v", got, rest, err)
		}
	}
	whole := (&storedRecord{}).append(nil)
	for n := range whole {
		if _, _, err := decodeStored(whole[:n]); err == nil {
			t.Errorf("%d bytes of a record are taken", n)
		}
	}
}

// TestAskedEnds holds that the outcome of a request is uncertain if the machine that runs it ends
// meanwhile: its write may be made.
func TestAskedEnds(t *testing.T) {
	for _, why := range []error{ErrClosed, freerun.ErrClosed, engine.ErrUncertain} {
		replies := 0
		q := &asked{part: &part{of: &shared{}}, request: &partition.Request{Reply: func(value []byte, err error) {
			if replies++; value != nil || !errors.Is(err, ErrUncertain) {
				t.Errorf("%v: %q, %v", why, value, err)
			}
		}}}
		q.ended(nil, fmt.Errorf("the write: %w", why))
		if replies != 1 {
			t.Errorf("%v: %d replies", why, replies)
		}
	}
}

// TestNameSeveral holds that operations on several units may have one name if the kinds of their
// first units differ, and that it is an error if they could be confused.
func TestNameSeveral(t *testing.T) {
	type books struct{ Pages int }
	type bikes struct{ Wheels int }
	n, kinds := &Node{kinds: map[string]*kind{}}, []route.Declared(nil)
	declare := func(name string, state reflect.Type) {
		given := name[strings.LastIndex(name, ".")+1:]
		n.kinds[name] = &kind{keying: keying{given: given}}
		kinds = append(kinds, route.Declared{Name: name, Given: given, State: state, Store: durable{&heritage{tagged: true}}})
	}
	operation := func(name string, state reflect.Type) route.Declared {
		return route.Declared{Name: name, Given: name[strings.LastIndex(name, ".")+1:], State: state, Arg: reflect.TypeFor[int](), Result: reflect.TypeFor[int](), Form: route.Several}
	}
	declare("shop.book", reflect.TypeFor[books]())
	declare("shop.diary", reflect.TypeFor[books]())
	declare("ride.bike", reflect.TypeFor[bikes]())
	swap, other := operation("shop.swap", reflect.TypeFor[books]()), operation("ride.swap", reflect.TypeFor[bikes]())
	s, err := n.nameSeveral(kinds, []route.Declared{swap, other})
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]string{"shop.book": swap.Name, "shop.diary": swap.Name, "ride.bike": other.Name} {
		if o := s.stored[severalName{n.kinds[kind], "swap"}]; o == nil || o != s.named[want] {
			t.Errorf("swap of %s is %+v", kind, o)
		}
	}
	_, err = n.nameSeveral(kinds, []route.Declared{swap, other, operation("sale.swap", reflect.TypeFor[books]())})
	if err == nil || !strings.Contains(err.Error(), "shop.swap and sale.swap") {
		t.Errorf("two of one name: %v", err)
	}
}
