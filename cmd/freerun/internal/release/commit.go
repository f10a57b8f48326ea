package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
)

// tags returns the names by which the go command finds the release of each module.
func (r *repository) tags() []string {
	var tags []string
	for _, m := range r.modules {
		tags = append(tags, path.Join(m.dir, r.version))
	}
	return tags
}

// mayCommit returns an error if there is uncommitted work that a release would include, or if a tag
// exists already.
func (r *repository) mayCommit() error {
	status, err := r.git("status", "--porcelain")
	if err != nil {
		return err
	}
	if status != "" {
		return errors.New("the working tree has changes; commit them first:\n" + strings.TrimRight(status, "\n"))
	}
	for _, tag := range r.tags() {
		found, err := r.git("tag", "--list", tag)
		if err != nil {
			return err
		}
		if found != "" {
			return fmt.Errorf("the tag %s is there already; a version that was released never changes: take the next one", tag)
		}
	}
	return nil
}

// commit writes the changed files of the release, commits them, and tags the commit once for each
// module.
func (r *repository) commit() ([]string, error) {
	r.changed["go.work"] = r.work
	for name, text := range r.changed {
		if err := os.WriteFile(r.file(name), text, 0o644); err != nil {
			return nil, err
		}
		if _, err := r.git("add", "--", name); err != nil {
			return nil, err
		}
	}
	if _, err := r.git("commit", "--quiet", "--allow-empty", "--message", "release "+r.version); err != nil {
		return nil, err
	}
	for _, tag := range r.tags() {
		if _, err := r.git("tag", "--annotate", tag, "--message", tag); err != nil {
			return nil, err
		}
	}
	return r.tags(), nil
}
