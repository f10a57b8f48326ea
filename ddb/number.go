package ddb

import "math"

// parseInteger reads a decimal 64-bit integer as Redis does (string2ll): an optional minus sign and
// digits; no leading zero, no "-0", no space, no plus sign. An accepted number prints back as the
// same bytes, so a value can be a number and a string in turn.
func parseInteger(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) > 20 {
		return 0, false
	}
	if len(b) == 1 && b[0] == '0' {
		return 0, true
	}
	negative := b[0] == '-'
	if negative {
		b = b[1:]
	}
	if len(b) == 0 || b[0] < '1' || b[0] > '9' {
		return 0, false
	}
	var n uint64
	for _, d := range b {
		if d < '0' || d > '9' {
			return 0, false
		}
		if n > (math.MaxUint64-uint64(d-'0'))/10 {
			return 0, false
		}
		n = n*10 + uint64(d-'0')
	}
	switch {
	case negative && n <= -math.MinInt64:
		return -int64(n), true
	case !negative && n <= math.MaxInt64:
		return int64(n), true
	}
	return 0, false
}

// addOverflows reports whether a+b leaves the range of int64.
func addOverflows(a, b int64) bool {
	return (b > 0 && a > math.MaxInt64-b) || (b < 0 && a < math.MinInt64-b)
}
