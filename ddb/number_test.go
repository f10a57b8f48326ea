package ddb

import (
	"math"
	"strconv"
	"testing"
)

func TestParseInteger(t *testing.T) {
	for _, s := range []string{
		"0", "1", "-1", "10", "9223372036854775807", "-9223372036854775808", "1234567890",
	} {
		want, _ := strconv.ParseInt(s, 10, 64)
		if got, ok := parseInteger([]byte(s)); !ok || got != want {
			t.Errorf("%q: %d, %v", s, got, ok)
		}
	}
	for _, s := range []string{
		"", "-", "+1", "01", "-0", "-01", " 1", "1 ", "1.0", "1e3", "x", "9223372036854775808", "-9223372036854775809",
		"18446744073709551616", "18446744073709551617", "99999999999999999999", "999999999999999999999999", "0x1", "1_0",
	} {
		if got, ok := parseInteger([]byte(s)); ok {
			t.Errorf("%q was taken for %d", s, got)
		}
	}
}

// FuzzParseInteger: the accepted texts are exactly those that print back as themselves.
func FuzzParseInteger(f *testing.F) {
	f.Add("12")
	f.Add("-9223372036854775808")
	f.Fuzz(func(t *testing.T, s string) {
		want, err := strconv.ParseInt(s, 10, 64)
		valid := err == nil && strconv.FormatInt(want, 10) == s
		if got, ok := parseInteger([]byte(s)); ok != valid || (ok && got != want) {
			t.Errorf("%q: %d, %v", s, got, ok)
		}
	})
}

func TestAddOverflows(t *testing.T) {
	for _, test := range []struct {
		a, b int64
		want bool
	}{
		{math.MaxInt64, 1, true},
		{math.MaxInt64, 0, false},
		{math.MaxInt64 - 1, 1, false},
		{math.MinInt64, -1, true},
		{math.MinInt64, math.MaxInt64, false},
		{math.MinInt64, math.MinInt64, true},
		{-1, math.MinInt64, true},
		{0, math.MinInt64, false},
	} {
		if got := addOverflows(test.a, test.b); got != test.want {
			t.Errorf("%d + %d: %v", test.a, test.b, got)
		}
	}
}
