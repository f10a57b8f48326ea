//go:build !wasm

package filestore

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Make makes a store with what fill puts into it: the whole of it, or none, wherever that is cut
// short. The folder must be empty; it is made if create is set. It returns the identity of the
// store.
func Make(dir string, create bool, fill func(put func(writes []engine.Write) error) error) (id [16]byte, err error) {
	if id, err = makeFilled(dir, create, fill); err != nil {
		err = fmt.Errorf("making a store in %s: %w", dir, err)
	}
	return id, err
}

func makeFilled(dir string, create bool, fill func(put func(writes []engine.Write) error) error) (id [16]byte, err error) {
	if info, err := os.Stat(dir); !create && (err != nil || !info.IsDir()) {
		return id, errors.Join(errors.New("there is no such folder; it is made with -create"), err)
	}
	switch there, err := lookInto(dir, true, false); {
	case err != nil:
		return id, err
	case there:
		return id, fmt.Errorf("%w: the folder has a store already; give a folder without one", engine.ErrInUse)
	}
	path := filepath.Join(dir, fileName)
	draft := path + draftMark + rand.Text()
	s, err := openStore(dir, draft, Options{}, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return id, err
	}
	s.db.NoSync = true
	if err = s.makeBuckets(); err == nil {
		err = fill(s.fill)
	}
	if err == nil {
		err = errors.Join(s.readAbout(), s.disk.sync(s.db))
	}
	if err = errors.Join(err, s.db.Close()); err == nil {
		err = link(draft, path)
	}
	if removed := os.Remove(draft); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	if err == nil {
		err = syncNames(dir)
	}
	return s.id, err
}

// link gives a draft the name of the store. It must not be taken.
func link(draft, path string) error {
	err := name(draft, path)
	if err != nil {
		return err
	}
	mine, err := os.Stat(draft)
	if err != nil {
		return fmt.Errorf("%w: another process has the folder", engine.ErrInUse)
	}
	its, err := os.Stat(path)
	if err == nil && !os.SameFile(mine, its) {
		err = fmt.Errorf("%w: another process has made a store meanwhile", engine.ErrInUse)
	}
	return err
}

// fill puts entries into a store that is being made, in one transaction.
func (s *Store) fill(writes []engine.Write) error {
	b := batch{writes: writes}
	err := guarded(nil, func() error {
		return s.db.Update(func(tx *bolt.Tx) error {
			_, err := b.apply(tx)
			return err
		})
	})
	return s.noRoomToOpen(err)
}
