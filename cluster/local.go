//go:build !wasm

package cluster

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/filestore"
	"github.com/freerun-go/freerun/cluster/internal/inspect"
)

// Local is the store of one process, in one file of a folder. No other process may have the folder
// open.
//
// Opening it fails with
//   - [ErrStateLost] if the folder has no store, as the folder of a lost mount has none; the first
//     start asks for one with [Create]. And if the file is of something else, or damaged;
//   - [ErrInUse] if another process has it, or this one.
//
// Later, a damaged record fails with [ErrStateLost] when its unit becomes active, and the others
// go on. A full disk fails what is to be stored, with [ErrNoSpace], until there is room. After a
// failed fsync, after any other failed write, and when its file was moved, removed or replaced, the
// store takes no more writes ([ErrStopped]).
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
// If the power fails meanwhile, or the process is killed, there is a whole store or none. The file
// system must have hard links.
func Create() LocalOption { return LocalOption{func(o *filestore.Options) { o.Create = true }} }

// SyncEvery has outcomes be known before what they stand for is synced, which it is within d. A
// process that is killed loses nothing. When the power fails, what was stored after the last sync
// had begun may be lost: that of the last d, and of the time that a sync takes. If the kernel had
// written a part of that, the file may be damaged: the next start then fails with [ErrStateLost],
// and a backup is needed. A store that opens has all from before the last sync, and nothing that
// comes after something that is missing. Without the option each write is synced first, and nothing
// is lost. It panics if d is not positive.
func SyncEvery(d time.Duration) LocalOption {
	if d <= 0 {
		panic(fmt.Sprintf("cluster: SyncEvery %v; it needs a positive time", d))
	}
	return LocalOption{func(o *filestore.Options) { o.Sync = d }}
}

// SyncNever has outcomes be known before what they stand for is synced, which the system does when
// it likes. A process that is killed loses nothing. When the power fails, all may be lost that was
// stored since the store was opened; mostly that of some seconds. As with [SyncEvery] the file may
// be damaged then, so that the next start fails with [ErrStateLost]; a store that opens has what
// was stored up to some write, and nothing behind that. It is for tests, and for states that can be
// made anew.
func SyncNever() LocalOption { return LocalOption{func(o *filestore.Options) { o.Sync = -1 }} }

type local struct {
	dir     string
	options filestore.Options
}

func (l *local) open(n *Node) (err error) {
	if l.dir == "" {
		return errors.New("cluster: Local has no folder: its name is empty")
	}
	n.engine, err = filestore.Open(l.dir, l.options)
	return err
}

// Inspect shows what is in a store whose program is stopped, as the command
// github.com/freerun-go/freerun/cluster/cmd/inspect does, with the types of this program: states
// and arguments that are not stored as JSON are printed as fmt prints them with %+v, and not in
// hex. It repairs nothing. args are those of a command line, -help shows them; it returns the exit
// status:
//
//	if len(os.Args) > 1 && os.Args[1] == "inspect" {
//		os.Exit(cluster.Inspect(os.Args[2:], os.Stdout, os.Stderr))
//	}
//
// All kinds must be declared before. It waits for the disk.
func Inspect(args []string, stdout, stderr io.Writer) int {
	n := &Node{}
	if err := n.names(); err != nil {
		fmt.Fprintln(stderr, err)
		return inspect.Failed
	}
	return inspect.Run(args, stdout, stderr, types{n})
}
