package ddb

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// memoryUnits are the units of Redis's configuration: with a b powers of 1024, without powers of
// 1000.
var memoryUnits = []struct {
	suffix string
	bytes  int64
}{
	{"kb", 1 << 10},
	{"mb", 1 << 20},
	{"gb", 1 << 30},
	{"k", 1e3},
	{"m", 1e6},
	{"g", 1e9},
	{"b", 1},
	{"", 1},
}

// ParseMemory reads a size in the notation of Redis's configuration, and returns it in bytes. 1gb
// is 1024³ bytes and 1g a thousand million; mb, m, kb and k follow the same rule; b, or no unit, is
// bytes. Upper and lower case are the same. The error says what would be right. Any goroutine may
// call it.
func ParseMemory(text string) (bytes int64, err error) {
	lower := strings.ToLower(text)
	for _, u := range memoryUnits {
		digits, ok := strings.CutSuffix(lower, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(digits, 10, 63)
		if err != nil || int64(n) > math.MaxInt64/u.bytes {
			break
		}
		return int64(n) * u.bytes, nil
	}
	return 0, fmt.Errorf("ddb: %q is no size of memory: it must be a whole number of bytes below 2⁶³, perhaps with a unit, such as 1073741824, 100mb or 1gb", text)
}
