package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestQuiet holds that nothing is lost or doubled while all machines live.
func TestQuiet(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			k, err := strike(s, 1500*time.Millisecond, 5*time.Second, false)
			if err != nil {
				t.Fatal(err)
			}
			f := k.Found
			if f.Answered == 0 || k.Before+k.Since+f.Doubled+f.Unread+f.Open > 0 {
				t.Errorf("%d lost of before and %d of after; %+v", k.Before, k.Since, f)
			}
		})
	}
}

// TestKilled holds that the machine that is killed had the units, as states in memory are lost with
// it, and that durable units lose and double nothing.
func TestKilled(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			k, err := strike(s, 5*time.Second, 500*time.Millisecond, true)
			if err != nil {
				t.Fatal(err)
			}
			f := k.Found
			f.Attempts, f.Lost = nil, nil
			switch {
			case f.Answered == 0:
				t.Errorf("nothing was answered: %+v", f)
			case s.name == loggedLedgers.name && (k.Before+k.Since+f.Doubled+f.Unread > 0 || k.First < 0):
				t.Errorf("%d lost of before and %d of after, the first answer after %v; %+v", k.Before, k.Since, k.First, f)
			case s.name != loggedLedgers.name && k.Before == 0:
				t.Errorf("the machine had no units: %+v", f)
			}
		})
	}
}

// TestCompare holds what is lost and doubled.
func TestCompare(t *testing.T) {
	var f found
	f.compare(map[string]int64{"a": 1, "b": 2, "c": 3, "d": 4}, []string{"a", "c", "c", "c", "x", "x"})
	slices.Sort(f.Lost)
	if f.Answered != 4 || !slices.Equal(f.Lost, []int64{2, 4}) || f.Doubled != 2 {
		t.Errorf("%+v", f)
	}
}

// TestRecovery holds that calls count which began after the kill, and were answered.
func TestRecovery(t *testing.T) {
	f := found{Attempts: []attempt{{0, 90, 110, true}, {0, 105, 120, false}, {1, 100, 130, true}, {1, 131, 140, true}}}
	if first, last := f.recovery(100); first != 30 || last != -1 {
		t.Errorf("%d, %d", first, last)
	}
	for unit := range ledgers {
		f.Attempts = append(f.Attempts, attempt{unit, 200, int64(300 + unit), true})
	}
	if first, last := f.recovery(100); first != 30 || last != 200+ledgers-1 {
		t.Errorf("%d, %d", first, last)
	}
	if first, last := f.recovery(1000); first != -1 || last != -1 {
		t.Errorf("%d, %d", first, last)
	}
}

// TestKills holds that what never came is said so.
func TestKills(t *testing.T) {
	text := kills([]string{goaktLedgers.name}, []kill{
		{Scenario: goaktLedgers.name, Before: 3, Since: 4, First: time.Second, Last: -1},
		{Scenario: goaktLedgers.name, First: 2 * time.Second, Last: -1},
	})
	line := strings.Join(strings.Fields(strings.Split(text, "\n")[1]), " ")
	if line != "goakt-grains 2 0 3 4 0 0 0 1.50 2.00 never never" {
		t.Errorf("%s", line)
	}
}
