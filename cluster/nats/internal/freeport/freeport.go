// Package freeport finds ports for the servers of tests.
package freeport

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// Ports are taken from below those that systems give to connections, 32768 and up on Linux: one of
// these may be in use by the time the server listens.
const first, last = 12_000, 32_000

// Take returns ports at which no server listens.
func Take(t testing.TB, n int) (ports []int) {
	t.Helper()
	for tries := 0; len(ports) < n; tries++ {
		port := first + rand.IntN(last-first)
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port))
		if err != nil {
			if tries == 1000 {
				t.Fatal(err)
			}
			continue
		}
		defer l.Close()
		ports = append(ports, port)
	}
	return ports
}
