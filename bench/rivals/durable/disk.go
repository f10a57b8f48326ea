package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/freerun-go/freerun/programs"
)

// rounds is how often the disk is asked. It is odd, so that there is a median.
const rounds = 51

// measureDisk returns what the disk of a folder can do at the moment: how long a write of a page
// and its sync take, and an empty commit of bbolt, on which durable units stand.
func measureDisk(dir string) ([]programs.Figure, error) {
	sync, err := medianSync(filepath.Join(dir, "page"))
	if err != nil {
		return nil, err
	}
	commit, err := medianCommit(filepath.Join(dir, "empty"))
	return []programs.Figure{
		{Name: "sync_ns", Doc: "a write of 4,096 bytes and its fsync, ns, p50", Value: sync},
		{Name: "commit_ns", Doc: "an empty commit of bbolt, ns, p50", Value: commit},
	}, err
}

func medianSync(name string) (ns uint64, err error) {
	f, err := os.Create(name)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(name)) }()
	page := make([]byte, 4096)
	return median(func() error {
		_, err := f.WriteAt(page, 0)
		return errors.Join(err, f.Sync())
	})
}

func medianCommit(name string) (ns uint64, err error) {
	db, err := bolt.Open(name, 0o600, nil)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close(), os.Remove(name)) }()
	return median(func() error { return db.Update(func(*bolt.Tx) error { return nil }) })
}

// median returns the median time of f, in nanoseconds.
func median(f func() error) (ns uint64, err error) {
	took := make([]time.Duration, rounds)
	for i := range took {
		began := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	return quantile(took, 500), nil
}
