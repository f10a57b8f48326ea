package cluster

import (
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/partition"
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
