//go:build !wasm

package filestore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// draftMark is between the name of the store's file and the rest of the name of a draft: a file
// that is to become a new store.
const draftMark = ".new-"

// markName is the file that stands beside a store which is open and not synced at each transaction.
const markName = "unsynced"

// lookInto tells whether the folder has a store. It makes the folder if create is set; read says
// that the store is to be read only.
func lookInto(dir string, create, read bool) (there bool, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) && create {
		return false, os.MkdirAll(dir, 0o700)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	other := ""
	for _, e := range entries {
		switch e.Name() {
		case fileName:
			return true, nil
		case "lost+found": // of the root of a file system
		default:
			if !isDraft(e.Name()) {
				other = e.Name()
			}
		}
	}
	switch {
	case read:
		return false, lost("no store in %s: is it the store's folder, and is its file system mounted?", dir)
	case !create:
		return false, lost("no store in %s: a file system that is not mounted looks like this; set Create for the first start", dir)
	case other != "":
		return false, lost("no store in %s, but %s and maybe other files: give the store a folder of its own", dir, other)
	}
	return false, nil
}

// isThere returns an error if the store's file is not where it was: another process would find no
// store there, or another one, and what is put would be lost with this one.
func (s *Store) isThere() error {
	at, err := os.Stat(s.path)
	mine, err2 := s.file.Stat()
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && err2 == nil && !os.SameFile(at, mine):
		return lost("%s was moved, removed or replaced while the store was open: put it back, or a backup in its place", s.path)
	}
	return nil // what cannot be looked at may be there
}

func isDraft(name string) bool { return strings.HasPrefix(name, fileName+draftMark) }

// removeDrafts removes the drafts that processes have left when they were killed. A process that
// makes a store at this moment finds the one that is there. A draft that stays does no harm.
func removeDrafts(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if isDraft(e.Name()) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// syncNames makes the names durable by which a new store is found: its own, that of its folder, and
// those of the folders above, which this process, the program, or one that was killed, may have
// made and not synced. It passes over a folder above that this user may not read.
func syncNames(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := syncFolder(dir); err != nil {
		return err
	}
	for above := filepath.Dir(dir); above != dir; dir, above = above, filepath.Dir(above) {
		if err := syncFolder(above); err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EINVAL) {
			return err
		}
	}
	return nil
}

// syncFolder makes the names in a folder durable. EINVAL says that its file system has no such
// call.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // which has no such call
	}
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// bootID tells one run of the kernel from another; empty where it does not say.
func bootID() []byte {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return nil
	}
	return bytes.TrimSpace(id)
}

// readMark tells whether a store was not closed, and might not have been synced, and whether that
// was under the kernel that still runs.
func readMark(dir string) (marked, sameBoot bool, err error) {
	mark, err := os.ReadFile(filepath.Join(dir, markName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	return true, len(mark) > 0 && bytes.Equal(mark, bootID()), nil
}

func writeMark(dir string) error {
	mark, err := os.OpenFile(filepath.Join(dir, markName), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("noting that the store is not synced: %w", err)
	}
	_, err = mark.Write(bootID())
	return errors.Join(err, mark.Sync(), mark.Close(), syncFolder(dir))
}

func removeMark(dir string) error {
	err := os.Remove(filepath.Join(dir, markName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, syncFolder(dir))
}
