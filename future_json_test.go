package freerun_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// purchase holds futures where programs have them.
type purchase struct {
	ID    int
	Price freerun.Future[int]
	Stock freerun.Future[map[string]int]
	Note  *freerun.Future[string]             `json:",omitempty"`
	Later freerun.Future[freerun.Future[int]] `json:"later"`
	List  []freerun.Future[uint64]
}

func TestFutureJSON(t *testing.T) {
	note := freerun.Resolved("gift")
	before := purchase{
		ID:    1,
		Price: freerun.Resolved(5),
		Stock: freerun.Failed[map[string]int](fmt.Errorf("warehouse: %w", freerun.ErrFull)),
		Note:  &note,
		Later: freerun.Resolved(freerun.Resolved(7)),
		List:  []freerun.Future[uint64]{freerun.Resolved(uint64(1<<64 - 1)), {}, freerun.Failed[uint64](io.EOF)},
	}
	text, err := json.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"ID":1,"Price":{"value":5},` +
		`"Stock":{"error":{"text":"warehouse: freerun: the unit's mailbox is full","is":["freerun.ErrFull"]}},` +
		`"Note":{"value":"gift"},"later":{"value":{"value":7}},` +
		`"List":[{"value":18446744073709551615},null,{"error":{"text":"EOF","is":["io.EOF"]}}]}`
	if string(text) != want {
		t.Errorf("encoded as\n%s, want\n%s", text, want)
	}
	// What was there before is forgotten.
	after := purchase{Price: freerun.Failed[int](io.EOF), Later: freerun.Failed[freerun.Future[int]](io.EOF)}
	if err := json.Unmarshal(text, &after); err != nil {
		t.Fatal(err)
	}
	if after.Price.Value() != 5 || after.Note.Value() != "gift" || after.Later.Value().Value() != 7 || after.List[0].Value() != 1<<64-1 {
		t.Errorf("%+v", after)
	}
	<-after.Price.Done()
	if _, err := after.Stock.Result(); !errors.Is(err, freerun.ErrFull) || err.Error() != "warehouse: freerun: the unit's mailbox is full" {
		t.Error(err)
	}
	if _, err := after.List[1].Result(); err != freerun.ErrNoFuture {
		t.Error(err)
	}
	if _, err := after.List[2].Result(); err != io.EOF {
		t.Error(err)
	}
	if again, err := json.Marshal(after); err != nil || string(again) != want {
		t.Errorf("encoded again as\n%s, want\n%s (%v)", again, want, err)
	}
}

// TestFutureJSONOfMessages holds that futures of messages are encoded once they have outcomes, also
// those that are the futures of others.
func TestFutureJSONOfMessages(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	g := runtimetest.NewGate()
	first := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { g.Pass(); return 9, nil })
	<-g.Entered
	boom := errors.New("boom")
	forwarded := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { return freerun.Forward(c, first) })
	failed := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { return 0, boom })
	crashed := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { panic(boom) })
	for _, open := range []freerun.Future[int]{first, forwarded} {
		_, err := json.Marshal(map[string]any{"price": open})
		if !errors.Is(err, freerun.ErrWouldBlock) || !strings.Contains(err.Error(), "only futures with an outcome") {
			t.Error(err)
		}
	}
	close(g.Opened)
	for _, f := range []freerun.Future[int]{first, forwarded, failed, crashed} {
		v, failure := f.Wait(runtimetest.Within(t))
		text, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		var after freerun.Future[int]
		if err := json.Unmarshal(text, &after); err != nil {
			t.Fatal(err)
		}
		w, got := after.Result()
		if v != w || fmt.Sprint(got) != fmt.Sprint(failure) {
			t.Errorf("%d, %v became %d, %v", v, failure, w, got)
		}
	}
}

// TestFutureJSONFailedOpen holds that a future which failed with ErrWouldBlock is not taken for one
// that is open.
func TestFutureJSONFailedOpen(t *testing.T) {
	text, err := json.Marshal(freerun.Failed[int](freerun.ErrWouldBlock))
	var after freerun.Future[int]
	if err != nil || json.Unmarshal(text, &after) != nil {
		t.Fatal(err)
	}
	if _, err := after.Result(); err != freerun.ErrWouldBlock {
		t.Error(err)
	}
}

func TestFutureJSONNull(t *testing.T) {
	var none freerun.Future[*int]
	if text, err := json.Marshal(none); err != nil || string(text) != "null" {
		t.Errorf("%s, %v", text, err)
	}
	f := freerun.Resolved(new(int))
	if err := json.Unmarshal([]byte("null"), &f); err != nil || f != none {
		t.Error(f, err)
	}
	text, err := json.Marshal(freerun.Resolved[*int](nil))
	if err != nil || string(text) != `{"value":null}` {
		t.Errorf("%s, %v", text, err)
	}
	if err := json.Unmarshal(text, &f); err != nil || f == none || f.Value() != nil {
		t.Error(f, err)
	}
}

// TestFutureJSONBroken holds that what is no outcome is an error, and leaves the future alone.
func TestFutureJSONBroken(t *testing.T) {
	for _, text := range []string{
		`{}`, `{"value":1,"error":{"text":"x"}}`, `{"error":null}`, `{"error":{}}`, `{"error":{"text":""}}`, `{"value":"x"}`, `5`, `[]`, `"x"`, `{"error":5}`, `{"value":1`, ``,
	} {
		f := freerun.Resolved(3)
		if err := json.Unmarshal([]byte(text), &f); err == nil {
			t.Errorf("%s is read as a future", text)
		}
		if f.Value() != 3 {
			t.Errorf("%s changed the future to %v", text, f)
		}
	}
}

// ring leads back to itself through futures.
type ring struct {
	Next freerun.Future[*ring]
}

func TestFutureJSONRing(t *testing.T) {
	r := &ring{}
	r.Next = freerun.Resolved(r)
	if _, err := json.Marshal(r); err == nil || !strings.Contains(err.Error(), "leads back to itself") || len(err.Error()) > 1000 {
		t.Errorf("%.1000v", err)
	}
	var chain *ring
	for range 200 {
		chain = &ring{freerun.Resolved(chain)}
	}
	text, err := json.Marshal(chain)
	if err != nil {
		t.Fatal(err)
	}
	var after *ring
	if err := json.Unmarshal(text, &after); err != nil || !reflect.DeepEqual(chain, after) {
		t.Errorf("a chain of 200 futures did not survive: %.1000v", err)
	}
}
