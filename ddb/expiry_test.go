package ddb

import (
	"testing"
	"time"
)

// TestKeysDoNotExpireEarly: a key lives at least for its time to live, and less than a millisecond
// longer, in whichever part of a millisecond it was made. In its last millisecond PTTL is 0, as in
// Redis.
func TestKeysDoNotExpireEarly(t *testing.T) {
	for _, test := range [][]string{
		{"SET", "k", "v", "PX", "100"}, {"SET", "k", "v"}, {"SET", "k", "v", "PX", "100", "NX"},
	} {
		for within := time.Duration(0); within < time.Millisecond; within += 333 * time.Microsecond {
			clock := newTestClock()
			clock.advance(within)
			s, addr := serve(t, Config{Shards: 1, Clock: clock.now})
			c := dial(t, addr)
			c.expect("+OK\r\n", test...)
			if len(test) == 3 {
				c.expect(":1\r\n", "PEXPIRE", "k", "100")
			}
			clock.advance(100*time.Millisecond - time.Nanosecond)
			c.expect(bulk("v"), "GET", "k")
			clock.advance(time.Nanosecond)
			s.sweepDue()
			c.expect(":1\r\n", "DBSIZE")
			c.expect(":0\r\n", "PTTL", "k")
			c.expect(":0\r\n", "TTL", "k")
			clock.advance(time.Millisecond)
			c.expect("$-1\r\n", "GET", "k")
			c.expect(":-2\r\n", "PTTL", "k")
		}
	}
}
