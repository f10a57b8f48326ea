package powercut

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// Image is a file or a folder that a loss of power has left. It does not change.
type Image struct {
	folder  bool
	data    []byte
	entries map[string]*Image
}

// At returns what a path with slashes leads to, nil if that is nothing.
func (i *Image) At(path string) *Image {
	for name := range strings.SplitSeq(path, "/") {
		if i != nil {
			i = i.entries[name]
		}
	}
	return i
}

// Restore makes a file, or a folder, of the operating system that has what the image has. The path
// must lead to nothing.
func (i *Image) Restore(path string) error {
	if !i.folder {
		return restoreFile(path, i.data)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	for name, entry := range i.entries {
		if err := entry.Restore(filepath.Join(path, name)); err != nil {
			return err
		}
	}
	return nil
}

// restoreFile writes what is not zero: most of a store is, at first.
func restoreFile(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	const block = 4096
	var zero [block]byte
	for at := 0; at < len(data); at += block {
		part := data[at:min(len(data), at+block)]
		if bytes.Equal(part, zero[:len(part)]) {
			continue
		}
		if _, err := f.WriteAt(part, int64(at)); err != nil {
			return err
		}
	}
	if err := f.Truncate(int64(len(data))); err != nil {
		return err
	}
	return f.Close()
}
