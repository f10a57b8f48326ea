package cluster

import (
	"errors"
	"fmt"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Local is not there on this platform: Join fails with an error that wraps [errors.ErrUnsupported].
func Local(dir string, _ ...LocalOption) Store { return local(dir) }

// LocalOption is a setting of [Local].
type LocalOption struct{}

// Create is as on other platforms.
func Create() LocalOption { return LocalOption{} }

// SyncEvery is as on other platforms.
func SyncEvery(time.Duration) LocalOption { return LocalOption{} }

type local string

func (l local) open() (engine.Engine, error) {
	return nil, fmt.Errorf("cluster: the store in %s: bbolt, which stores need, is not there on WebAssembly: %w", string(l), errors.ErrUnsupported)
}
