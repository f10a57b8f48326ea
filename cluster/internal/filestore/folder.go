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
		return false, makeFolder(filepath.Clean(dir))
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

// makeFolder makes a folder, and those above it, durably.
func makeFolder(dir string) error {
	err := os.Mkdir(dir, 0o700)
	above := filepath.Dir(dir)
	if errors.Is(err, fs.ErrNotExist) && above != dir {
		if err := makeFolder(above); err != nil {
			return err
		}
		err = os.Mkdir(dir, 0o700)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(above)
}

// syncNames makes the name of the store durable, and that of its folder. The program that has made
// the folder may not have synced the one above, and the process that has made the store may have
// been killed. A folder above that this user may not read is passed over.
func syncNames(dir string) error {
	above := syncFolder(filepath.Dir(filepath.Clean(dir)))
	if errors.Is(above, fs.ErrPermission) {
		above = nil
	}
	return errors.Join(syncFolder(dir), above)
}

// syncFolder makes the names in a folder durable.
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
