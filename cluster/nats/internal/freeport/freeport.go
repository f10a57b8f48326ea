// Package freeport finds ports for the servers of tests.
package freeport

import (
	"net"
	"testing"
)

// Take returns ports at which no server listens.
func Take(t testing.TB, n int) (ports []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}
