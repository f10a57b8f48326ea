//go:build !wasm

package cluster

import (
	"fmt"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/filestore"
)

// Local is the store of one process, in one file of a folder. Nobody else may have the folder open.
//
// Opening it fails with
//   - [ErrStateLost] if the folder has no store, as the folder of a lost mount has none; the first
//     start asks for one with [Create]. And if the file is of something else, or damaged;
//   - [ErrInUse] if another process has it, or this one.
//
// Later, a damaged record fails with [ErrStateLost] when its unit becomes active, and the others
// go on. A full disk fails what is to be stored, with [ErrNoSpace], until there is room. After a
// failed fsync, and after any other failed write, the store takes no more writes ([ErrStopped]).
func Local(dir string, options ...LocalOption) Store {
	s := &local{dir: dir}
	for i, o := range options {
		if o.set == nil {
			panic(fmt.Sprintf("cluster: a zero LocalOption, the one with index %d", i))
		}
		o.set(&s.options)
	}
	return s
}

// LocalOption is a setting of [Local].
type LocalOption struct{ set func(o *filestore.Options) }

// Create makes the folder and the store if there are none. A folder with other things is refused.
func Create() LocalOption { return LocalOption{func(o *filestore.Options) { o.Create = true }} }

// SyncEvery has outcomes be known before what they stand for is synced, which it is within d. A
// process that is killed loses nothing. When the power fails, what the last d has stored may be
// lost, and the file may be damaged: the next start finds most such damage, and fails with
// [ErrStateLost]; a backup is needed then. Without the option each write is synced first, and
// nothing is lost. It panics if d is not positive.
func SyncEvery(d time.Duration) LocalOption {
	if d <= 0 {
		panic(fmt.Sprintf("cluster: SyncEvery %v; it needs a positive time", d))
	}
	return LocalOption{func(o *filestore.Options) { o.Sync = d }}
}

type local struct {
	dir     string
	options filestore.Options
}

func (l *local) open() (engine.Engine, error) { return filestore.Open(l.dir, l.options) }
