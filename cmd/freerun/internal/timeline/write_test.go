package timeline

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/recording"
)

// TestWrite: the page is one file that asks for no other, with the figures and the recording in it.
func TestWrite(t *testing.T) {
	rec, a := known()
	rec.Program, rec.Operations[2] = "</title><script>alert(1)</script>", "</script><b>"
	var out bytes.Buffer
	if err := Write(&out, rec, a); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for _, want := range []string{"12.0 µs", "7.40 µs", "7 events lost", "0.90 – 1.62"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the page", want)
		}
	}
	if found := regexp.MustCompile(`(src|href)="[^d"]|https?:|@import|url\(`).FindString(page); found != "" {
		t.Errorf("%q is in the page: it asks for something else", found)
	}
	for _, raw := range []string{"<script>alert", "</script><b>"} {
		if strings.Contains(page, raw) {
			t.Errorf("%q is in the page as it is", raw)
		}
	}
	_, data, _ := strings.Cut(page, `<script id="data" type="text/plain">`)
	data, _, _ = strings.Cut(data, "</script>")
	columns, err := io.ReadAll(flate.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data))))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{500, 1500, 400} { // when the three messages were sent, as steps
		got, n := binary.Varint(columns)
		if columns = columns[n:]; got != want {
			t.Errorf("step %d of the sends is %d, want %d", i, got, want)
		}
	}
}

// full is a writer with room for a number of bytes.
type full struct{ room int }

var errFull = errors.New("no room is left")

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestErrorsOfTheWriter(t *testing.T) {
	rec, a := random(300_000, 4, 50)
	for _, room := range []int{0, 50_000, 1_000_000} {
		if err := Write(&full{room}, rec, a); !errors.Is(err, errFull) {
			t.Errorf("with room for %d bytes the error is %v, want %v", room, err, errFull)
		}
	}
}

// TestSpread: slices outside the processors may overlap, but not those of one row.
func TestSpread(t *testing.T) {
	all := []recording.Slice{
		{Begin: 0, End: 10, Processor: recording.Outside},
		{Begin: 3, End: 7, Processor: 1, Depth: 4},
		{Begin: 5, End: 20, Processor: recording.Outside},
		{Begin: 10, End: 12, Processor: recording.Outside},
		{Begin: 11, End: 12, Processor: recording.Outside},
	}
	spread(all)
	for i, want := range []int16{0, 4, 1, 0, 2} {
		if all[i].Depth != want {
			t.Errorf("slice %d is in row %d, want %d", i, all[i].Depth, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for ns, want := range map[int64]string{0: "0 ns", 999: "999 ns", 1000: "1.00 µs", 99_960: "100 µs", 1_234_567: "1.23 ms", 61_000_000_000: "61.0 s", 5_000_000_000_000: "5000 s"} {
		if got := Duration(ns); got != want {
			t.Errorf("%d nanoseconds are %q, want %q", ns, got, want)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1\u202f000", 1234567: "1\u202f234\u202f567"} {
		if got := count(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}
