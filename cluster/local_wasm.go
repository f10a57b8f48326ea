package cluster

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// Local is not there on this platform: Join fails with an error that wraps [errors.ErrUnsupported].
func Local(dir string, _ ...LocalOption) Store { return local(dir) }

// LocalOption is a setting of [Local].
type LocalOption struct{}

// Create is as on other platforms.
func Create() LocalOption { return LocalOption{} }

// SyncEvery is as on other platforms.
func SyncEvery(time.Duration) LocalOption { return LocalOption{} }

// SyncNever is as on other platforms.
func SyncNever() LocalOption { return LocalOption{} }

// Inspect is not there on this platform: it says so, and returns 1.
func Inspect(_ []string, _, stderr io.Writer) int {
	fmt.Fprintln(stderr, "cluster: stores are not there on WebAssembly")
	return 1
}

type local string

func (l local) open(*Node) error {
	return fmt.Errorf("cluster: the store in %s: bbolt, which stores need, is not there on WebAssembly: %w", string(l), errors.ErrUnsupported)
}
