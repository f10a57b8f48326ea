package codec

import (
	"errors"
	"reflect"
	"sync"
)

// Methods of the user's may call runtime.Goexit, and nothing can stop the end of a goroutine. So
// they are called on a goroutine of their own, if the types that are stored have methods at all:
// what reads and writes goes on.

// Apart calls fn on a goroutine of its own, waits for it, and returns its error, or that it has
// called runtime.Goexit. That error is not freerun.ErrGoexit: no operation has ended so. A panic in
// fn ends the program.
//
// Cost: half a microsecond, and three allocations.
func Apart(fn func() error) error {
	err := errExits
	var ended sync.WaitGroup
	ended.Go(func() { err = fn() })
	ended.Wait()
	return err
}

var errExits = errors.New("a method has called runtime.Goexit")

// appendApart is append where the type, or one in it, has methods.
func (c *Codec) appendApart(dst []byte, value any) (longer []byte, err error) {
	err = Apart(func() (err error) {
		longer, err = c.append(dst, value)
		return err
	})
	if err == errExits {
		return dst, c.panicked("written", err)
	}
	return longer, err
}

// decodeApart is read where the type, or one in it, has methods.
func (c *Codec) decodeApart(src []byte, value any) error {
	err := Apart(func() error { return c.read(src, value) })
	if err == errExits {
		return c.panicked("read", err)
	}
	return err
}

// trusted reports whether the methods of a type are known not to end a goroutine: those of the
// standard library whose types are in states.
func trusted(t reflect.Type) bool {
	switch t.PkgPath() {
	case "time", "encoding/json", "math/big", "net", "net/netip", "net/url":
		return true
	}
	return false
}
