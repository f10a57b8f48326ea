//go:build linux

package main

import (
	"strings"
	"testing"
)

func TestFlags(t *testing.T) {
	o, err := parse([]string{"-freerun", "x", "-rows", "get,p99", "-rounds", "9", "-flags", "--shards 4"})
	if err != nil || len(o.rows) != 2 || o.rows[1].name != "p99" || o.rounds != 9 || len(o.extra) != 2 {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err = parse([]string{"-freerun", "x"}); err != nil || len(o.rows) != len(rows) {
		t.Errorf("without names %d of %d rows, %v", len(o.rows), len(rows), err)
	}
	for _, wrong := range []string{"", "-freerun x -rows got", "-freerun x -rounds 0", "-freerun x -scale 0", "-freerun x more"} {
		if _, err := parse(strings.Fields(wrong)); err == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
}

// TestReadCSV reads what redis-benchmark 7 prints.
func TestReadCSV(t *testing.T) {
	const text = `"test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms","p99_latency_ms","max_latency_ms"
"GET","31771.25","1.405","0.016","0.391","5.383","9.671","18.351"
`
	got, err := readCSV(text)
	if err != nil || got["a second"] != 31771.25 || got["p99 ms"] != 9.671 {
		t.Errorf("%v, %v", got, err)
	}
	for _, wrong := range []string{"", text[:130], strings.Replace(text, "p99", "p98", 1), strings.Replace(text, "9.671", "?", 1)} {
		if got, err := readCSV(wrong); err == nil {
			t.Errorf("%q is %v", wrong, got)
		}
	}
}

// TestReplies counts replies however the network splits them.
func TestReplies(t *testing.T) {
	const text = "+OK\r\n$3\r\nabc\r\n$3\r\n+OK\r\n+OK\r\n"
	for portion := 1; portion <= len(text); portion++ {
		var c offered
		n := 0
		for rest := []byte(text); len(rest) > 0; {
			took := min(portion, len(rest))
			n += c.replies(rest[:took])
			rest = rest[took:]
		}
		if n != 4 || c.left != 0 {
			t.Errorf("in portions of %d: %d replies, and %d bytes are to come", portion, n, c.left)
		}
	}
}

func TestMedian(t *testing.T) {
	samples := []sample{{"x": 3}, {"x": 1}, {"x": 10}}
	if m := median(figures(samples, "x")); m != 3 {
		t.Errorf("%v", m)
	}
	if m := median(figures(append(samples, sample{"x": 5}), "x")); m != 4 {
		t.Errorf("%v", m)
	}
}
