//go:build !wasm

package clustertest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/freerun-go/freerun/cluster/internal/logsim"
	stores "github.com/freerun-go/freerun/cluster/internal/transfer"
)

// copied copies the store of machines, of which none lives, into one with another number of
// partitions, and has those to come go on with that; now and then by way of a folder.
func copied(s *machines, dir string, flaw copyFlaw) {
	n := 1 + s.random.IntN(2*machineParts)
	faults := s.faults
	faults.Full = 0 // a copy is whole, or refused
	to := logsim.New(s, faults, n)
	byFolder := s.random.IntN(8) == 0 // which syncs a disk
	counts, err := s.copyTo(to, dir, byFolder, flaw)
	s.logf("%12v the store is copied to %d partitions, by way of a folder: %v: %+v, %v", s.Now(), n, byFolder, counts, err)
	switch {
	case errors.Is(err, stores.ErrNoPlace) && byFolder:
		s.sum["refused"]++
		return // what a folder has no place for is left where it is
	case err != nil:
		s.Errorf("copying the store: %v", err)
		return
	}
	s.store = to
	s.sum["copied"]++
	if byFolder {
		s.sum["by way of a folder"]++
	}
	s.sum["under way"] += counts.Sent
	s.sum["set aside"] += counts.Failures
}

func (s *machines) copyTo(to *logsim.Store, dir string, byFolder bool, flaw copyFlaw) (stores.Counts, error) {
	read, err := stores.OpenLogs(stillLogs{logsim.Still{Store: s.store}, s.largest})
	if err != nil {
		return stores.Counts{}, err
	}
	from := flawedCopy{read, flaw}
	target := &stores.LogsTarget{Logs: stillLogs{logsim.Still{Store: to}, s.largest}}
	if !byFolder {
		return stores.Copy(from, target, func(int, int) {}, func() error { return nil })
	}
	s.names++
	dir = filepath.Join(dir, fmt.Sprint(s.names))
	defer os.RemoveAll(dir)
	made := &stores.FolderTarget{Dir: dir, Create: true}
	counts, err := stores.Copy(from, made, func(int, int) {}, func() error { return nil })
	if err != nil {
		return counts, err
	}
	folder, err := stores.OpenFolder(dir)
	if err != nil {
		return counts, err
	}
	again, err := stores.Copy(folder, target, func(int, int) {}, func() error { return nil })
	if one, two := fmt.Sprint(counts), fmt.Sprint(again); err == nil && one != two {
		err = fmt.Errorf("a folder gets %s, and gives %s", one, two)
	}
	return again, errors.Join(err, folder.Close())
}

// copyFlaw is a fault of a copy: one of the controls.
type copyFlaw int

const (
	soundCopy copyFlaw = iota
	losesSent
	doublesSent
	forgetsOutcomes
	forgetsWakes
	forgetsFailures
)

var copyFlaws = map[string]copyFlaw{
	"loses what is under way": losesSent, "has what is under way twice": doublesSent,
	"forgets outcomes": forgetsOutcomes, "forgets when units are to be woken": forgetsWakes, "forgets failures": forgetsFailures,
}

// flawedCopy is a source with a flaw.
type flawedCopy struct {
	stores.Source
	is copyFlaw
}

// Each implements [stores.Source].
func (f flawedCopy) Each(each func(stores.Item) error) error {
	var sent []stores.Item
	err := f.Source.Each(func(i stores.Item) error {
		switch {
		case i.Sent != nil:
			sent = append(sent, i)
			return nil
		case i.Outcome != nil && f.is == forgetsOutcomes, i.Failure != nil && f.is == forgetsFailures:
			return nil
		case i.Unit != nil && f.is == forgetsWakes:
			i.Unit = &stores.Unit{Kind: i.Unit.Kind, Key: i.Unit.Key, Record: i.Unit.Record}
		}
		return each(i)
	})
	switch {
	case f.is == losesSent && len(sent) > 0:
		sent = sent[1:]
	case f.is == doublesSent && len(sent) > 0:
		sent = append(sent, sent[0])
	}
	for _, i := range sent {
		if err == nil {
			err = each(i)
		}
	}
	return err
}

// stillLogs is a simulated store as a copy has it.
type stillLogs struct {
	logsim.Still
	largest int
}

// Largest implements [stores.Logs].
func (s stillLogs) Largest() int { return s.largest }

// TestMachinesCopied has stores copied that machines have left in the middle of what they do. All
// programs of several machines find in the copy what they would find in the store.
func TestMachinesCopied(t *testing.T) {
	for i, name := range []string{"books", "errands", "vaults"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			wants := []string{"copied", "under way"}
			if name != "errands" { // each of which has an identity
				wants = append(wants, "by way of a folder")
			}
			runMachines(t, func(s *machines) machineProgram {
				s.longest = 3 * longestRun // what was delivered is not noted in a copy
				s.copies = func() { copied(s, dir, soundCopy) }
				return machinePrograms[i](s)
			}, wants...)
		})
	}
}

// TestMachinesCopiedControls holds that what is wrong with a copy is found by one of the programs.
func TestMachinesCopiedControls(t *testing.T) {
	for name, flaw := range copyFlaws {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for seed := range uint64(500) {
				for n, program := range machinePrograms {
					r := &recorder{TB: t}
					s := newMachines(r, seed, map[string]int{})
					s.of, s.longest = program(s), 3*longestRun
					s.copies = func() { copied(s, dir, flaw) }
					if s.run(); r.failed {
						t.Logf("seed %d of program %d: %s", seed, n, r.said[0])
						return
					}
				}
			}
			t.Error("it is not found")
		})
	}
}
