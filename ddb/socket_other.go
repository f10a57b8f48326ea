//go:build !linux

package ddb

import "net"

// rawSocket exists on Linux only.
type rawSocket struct{}

func newRawSocket(net.Conn) *rawSocket { return nil }

func (*rawSocket) read([]byte) (int, error) { panic("ddb: there is no raw socket") }

func (*rawSocket) write(pieces) (int, error) { panic("ddb: there is no raw socket") }
