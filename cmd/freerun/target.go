package main

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/freerun-go/freerun/bench/commandline"
)

// target is a file that appears under its name when all of it is written. Until then the old file
// of that name stays. If the name is that of a device, writes go to the device at once.
type target struct {
	name string
	file *os.File
	out  *bufio.Writer
}

// openTarget returns a target for a file that can be written, or an error.
func openTarget(name string) (*target, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return nil, commandline.Usagef("-o is %q, which is a folder; name a file in it", name)
	case err == nil && !info.Mode().IsRegular():
		file, err := os.OpenFile(name, os.O_WRONLY, 0)
		return newTarget(name, file, err)
	case err == nil: // a file that is not writable must not be replaced either
		file, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err == nil {
			err = file.Close()
		}
		if err != nil {
			return newTarget(name, nil, err)
		}
	}
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*.part")
	if err == nil {
		err = file.Chmod(0o644)
	}
	return newTarget(name, file, err)
}

func newTarget(name string, file *os.File, err error) (*target, error) {
	if err != nil {
		var path *fs.PathError // its path is that of a temporary file, which the user does not know
		if errors.As(err, &path) {
			err = path.Err
		}
		return nil, commandline.Usagef("-o is %q, which cannot be written: %v", name, err)
	}
	return &target{name: name, file: file, out: bufio.NewWriterSize(file, 1<<16)}, nil
}

func (t *target) Write(p []byte) (int, error) { return t.out.Write(p) }

// commit completes the file and gives it its name.
func (t *target) commit() error {
	err := errors.Join(t.out.Flush(), t.file.Close())
	if err == nil && t.file.Name() != t.name {
		err = os.Rename(t.file.Name(), t.name)
	}
	return err
}

// discard removes a file that was not committed.
func (t *target) discard() {
	_ = t.file.Close()
	if t.file.Name() != t.name {
		_ = os.Remove(t.file.Name())
	}
}
