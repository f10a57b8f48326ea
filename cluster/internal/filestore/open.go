//go:build !wasm

package filestore

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	bolt "go.etcd.io/bbolt"
	boltErrors "go.etcd.io/bbolt/errors"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

const (
	fileName      = "freerun.store"
	formatVersion = "1"

	// newestOfNew is the transaction that makes a store; bbolt makes a file with 0 and 1.
	newestOfNew = 2
	// growth is by how much the file grows, with a sync of its own.
	growth = 1 << 20
	// reserved is how much of the address space is mapped ahead. bbolt maps the file anew when it
	// outgrows that, and then waits for all that read.
	reserved int64 = 64 << 30
	// readers serve Gets. More than that find the lock of bbolt's meta pages taken.
	readers = 4
)

var (
	aboutBucket = []byte("about")
	dataBucket  = []byte("data")
	indexBucket = []byte("index")
	versionKey  = []byte("version")
	idKey       = []byte("id")
)

// Open opens the store of a folder, for which it reads the structure of the whole file: about a
// second for some gigabytes. It fails with
//
//	engine.ErrStateLost  there is no store, and Create is not set, or there are other files; or it
//	                     is damaged, or another program's
//	engine.ErrInUse      another process, or another Store of this one, has it
//	engine.ErrNoSpace    there is no room to make it
//
// or with another error, for a folder that may not be written, or a store of another version.
func Open(dir string, o Options) (*Store, error) {
	s, err := open(dir, o)
	if err != nil {
		return nil, fmt.Errorf("opening the store in %s: %w", dir, err)
	}
	s.start(min(readers, runtime.GOMAXPROCS(0)))
	return s, nil
}

func open(dir string, o Options) (*Store, error) {
	create := o.Create && !o.ReadOnly
	there, err := lookInto(dir, create, o.ReadOnly)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, fileName)
	if !there {
		if err := makeStore(dir, path); err != nil {
			return nil, err
		}
	}
	if err := checkFile(path); err != nil {
		return nil, err
	}
	s, err := openStore(dir, path, o, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	if err := s.prepare(); err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	return s, nil
}

// makeStore makes the file of a new store. A draft gets the file's name when it is whole and
// durable, so a process that is killed, or a loss of power, leaves a whole store or none. If
// another process is faster, the store is that one's.
func makeStore(dir, path string) error {
	draft := path + draftMark + rand.Text()
	s, err := openStore(dir, draft, Options{}, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	if err = errors.Join(s.makeBuckets(), s.db.Close()); err == nil {
		err = name(draft, path)
	}
	if removed := os.Remove(draft); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}

// name gives a draft the name of the store, unless that is taken.
func name(draft, path string) error {
	err := os.Link(draft, path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, fs.ErrNotExist): // a process that has the store open has removed the draft
		return nil
	case err != nil && saysFull(err):
		return fmt.Errorf("%w: %s: %w", engine.ErrNoSpace, path, err)
	case err != nil:
		return fmt.Errorf("giving the new store its name, by a hard link: %w", err)
	}
	return nil
}

// openStore opens the file by bbolt.
func openStore(dir, path string, o Options, flags int) (*Store, error) {
	s := &Store{path: path, dir: dir, sync: o.Sync, read: o.ReadOnly}
	s.quit, s.ended, s.gathered = make(chan struct{}), make(chan struct{}), make(chan struct{}, 1)
	s.disk = disk{commit: (*bolt.Tx).Commit, sync: (*bolt.DB).Sync}
	var err error
	s.db, s.file, err = openBolt(path, flags, bolt.Options{ReadOnly: o.ReadOnly, NoSync: o.Sync != 0})
	if err != nil {
		return nil, err
	}
	s.db.AllocSize = growth
	s.pageSize = int64(s.db.Info().PageSize)
	return s, nil
}

// openBolt opens a file by bbolt, and waits for no lock. flags are those for a file to be written.
func openBolt(path string, flags int, o bolt.Options) (db *bolt.DB, file *os.File, err error) {
	o.Timeout = 1 // the shortest: bbolt waits for ever with 0
	o.FreelistType = bolt.FreelistMapType
	o.NoStatistics = true
	o.OpenFile = func(path string, _ int, mode os.FileMode) (_ *os.File, err error) {
		if o.ReadOnly {
			flags = os.O_RDONLY
		}
		file, err = os.OpenFile(path, flags, mode)
		return file, err
	}
	o.InitialMmapSize = mapAhead()
	made := flags&os.O_EXCL != 0
	for {
		err = guarded(nil, func() (err error) {
			db, err = bolt.Open(path, 0o600, &o)
			return err
		})
		if err == nil || o.InitialMmapSize == 0 || !refusedToMap(err) {
			break
		}
		o.InitialMmapSize = 0
		flags &^= os.O_EXCL
	}
	if err == nil {
		return db, file, nil
	}
	if file != nil {
		_ = file.Close() // bbolt has, unless it panicked
		if made {
			_ = os.Remove(path)
		}
	}
	if o.ReadOnly && errors.Is(err, fs.ErrPermission) {
		return nil, nil, fmt.Errorf("%s may not be read: give this user the right: %w", path, err)
	}
	return nil, nil, openError(path, err)
}

// mapAhead is how much to map: 0 for no more than the file.
func mapAhead() int {
	// A mapping that is larger than the file enlarges it on Windows.
	if strconv.IntSize < 64 || runtime.GOOS == "windows" {
		return 0
	}
	ahead := reserved
	return int(ahead)
}

// refusedToMap tells whether an error may be that the address space is limited.
func refusedToMap(err error) bool {
	return strings.Contains(err.Error(), "cannot allocate memory")
}

// openError says what to do about an error of bbolt's Open.
func openError(path string, err error) error {
	switch {
	case errors.Is(err, boltErrors.ErrTimeout):
		return fmt.Errorf("%w: another process, or this one, has %s open", engine.ErrInUse, path)
	case errors.Is(err, fs.ErrExist), errors.Is(err, engine.ErrStateLost):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return lost("%s has gone: %w", path, err)
	case errors.Is(err, fs.ErrPermission), isReadOnlyFileSystem(err):
		return fmt.Errorf("%s may not be written: give this user the right; to look at it, the command inspect will do: %w", path, err)
	case noRoom(err):
		return fmt.Errorf("%w: %s: %w", engine.ErrNoSpace, path, err)
	case errors.Is(err, boltErrors.ErrInvalid), errors.Is(err, boltErrors.ErrChecksum), errors.Is(err, boltErrors.ErrVersionMismatch),
		strings.HasPrefix(err.Error(), "file size too small"):
		return lost("%s is damaged, or no store: %w", path, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// prepare reads what the store tells about itself, and sees to what a loss of power, or a process
// that was killed, may have left.
func (s *Store) prepare() error {
	if err := s.readAbout(); err != nil {
		return err
	}
	if !s.read {
		removeDrafts(s.dir)
	}
	// Until an Open has returned there is no Put.
	if !s.read && s.latest() <= newestOfNew {
		if err := syncNames(s.dir); err != nil {
			return err
		}
	}
	return s.seeToMark()
}

// makeBuckets makes the buckets of a new file.
func (s *Store) makeBuckets() error {
	err := guarded(nil, func() error {
		return s.db.Update(func(tx *bolt.Tx) error {
			for _, name := range [][]byte{aboutBucket, dataBucket, indexBucket} {
				if _, err := tx.CreateBucket(name); err != nil {
					return err
				}
			}
			var id [16]byte
			rand.Read(id[:])
			about := tx.Bucket(aboutBucket)
			return errors.Join(
				about.Put(versionKey, appendRecord(nil, versionKey, []byte(formatVersion))),
				about.Put(idKey, appendRecord(nil, idKey, id[:])))
		})
	})
	return s.noRoomToOpen(err)
}

// noRoomToOpen says so if an error is of that sort.
func (s *Store) noRoomToOpen(err error) error {
	if err != nil && !isPanic(err) && noRoom(err) {
		return fmt.Errorf("%w: %s: %w", engine.ErrNoSpace, s.path, err)
	}
	return err
}

// readAbout checks the version, and takes the id.
func (s *Store) readAbout() error {
	return s.view(nil, func(tx *bolt.Tx) error {
		about := tx.Bucket(aboutBucket)
		if about == nil {
			return lost("%s is another program's", s.path)
		}
		version, ok := openRecord(versionKey, about.Get(versionKey))
		if !ok {
			return lost("the version in %s is damaged", s.path)
		}
		if string(version) != formatVersion {
			return fmt.Errorf("%s is of version %q, and this program knows version %s: use a newer one",
				s.path, version, formatVersion)
		}
		id, ok := openRecord(idKey, about.Get(idKey))
		if !ok || copy(s.id[:], id) != len(s.id) {
			return lost("the identity in %s is damaged", s.path)
		}
		_, _, err := buckets(tx)
		return err
	})
}

// seeToMark checks each entry if power may have been lost while the store was not synced, and sets
// the mark anew, or removes it.
func (s *Store) seeToMark() error {
	marked, sameBoot, err := readMark(s.dir)
	if err != nil {
		return err
	}
	if marked && !sameBoot {
		if err := s.checkEntries(); err != nil {
			return fmt.Errorf("the machine has stopped while %s was not synced: restore a backup: %w", s.path, err)
		}
	}
	if s.read {
		return nil
	}
	// What was read so far may be with the kernel only: the last process may have been killed
	// before it had synced. The next transaction writes over pages of those before that one.
	if err := s.disk.sync(s.db); err != nil {
		return stoppedBy(err)
	}
	if s.sync != 0 {
		if err := s.beginSum(); err != nil {
			return s.noRoomToOpen(err)
		}
	}
	switch {
	case s.sync != 0:
		return writeMark(s.dir)
	case marked:
		return removeMark(s.dir)
	}
	return nil
}
