package main

import (
	"encoding/binary"
	"path/filepath"
	"slices"
	"sync"

	bolt "go.etcd.io/bbolt"

	"github.com/freerun-go/freerun/programs"
)

// mostCommands is how many commands are one commit at most.
const mostCommands = 4096

var statesBucket = []byte("states")

// byHand is a program for these commands alone: a goroutine has the states, takes what waits, and
// commits that. Reads are transactions of their own, by some goroutines.
//
// It has all that makes such a program fast: the states are in memory, commands to one key are one
// entry of a transaction, entries come in the order of the keys, and each command is answered by a
// call on the goroutine that has written. It has not what others need besides: a checksum and a
// second entry for each key, without which a flipped bit may make a state wrong or absent unseen;
// an answer with the result; a command that fails, or panics, alone; another kind of state or
// command; a bound for the memory of the states.
type byHand struct {
	db       *bolt.DB
	commands chan command
	reads    *readers
	ended    sync.WaitGroup
}

type command struct {
	key  uint64
	done func(error)
}

func openBbolt(dir string, cfg programs.Config) (contestant, error) {
	db, err := bolt.Open(filepath.Join(dir, "states"), 0o600, nil)
	if err != nil {
		return nil, err
	}
	err = db.Update(func(tx *bolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(statesBucket)
		return err
	})
	if err != nil {
		return nil, err
	}
	h := &byHand{db: db, commands: make(chan command, mostCommands)}
	h.reads = newReaders(cfg.Processors, h.read)
	h.ended.Go(h.run)
	return h, nil
}

func keyOf(key uint64) []byte { return binary.BigEndian.AppendUint64(nil, key) }

func (h *byHand) fill(n int) error {
	return h.db.Update(func(tx *bolt.Tx) error {
		bucket, fresh := tx.Bucket(statesBucket), new(state).encoded()
		for key := range n {
			if err := bucket.Put(keyOf(uint64(key)), fresh); err != nil {
				return err
			}
		}
		return nil
	})
}

func (h *byHand) add(key uint64, done func(error)) { h.commands <- command{key, done} }

func (h *byHand) run() {
	states := map[uint64]*state{}
	for first := range h.commands {
		batch := []command{first}
		for more := true; more && len(batch) < mostCommands; {
			select {
			case c, open := <-h.commands:
				if more = open; open {
					batch = append(batch, c)
				}
			default:
				more = false
			}
		}
		err := h.db.Update(func(tx *bolt.Tx) error { return commit(tx.Bucket(statesBucket), states, batch) })
		if err != nil {
			clear(states) // what is in memory is not what is stored
		}
		for _, c := range batch {
			c.done(err)
		}
	}
}

// commit carries out commands, and puts what they have changed, in the order of the keys.
func commit(bucket *bolt.Bucket, states map[uint64]*state, batch []command) error {
	var changed []uint64
	for _, c := range batch {
		s := states[c.key]
		if s == nil {
			s = new(state)
			if err := s.UnmarshalBinary(bucket.Get(keyOf(c.key))); err != nil {
				return err
			}
			states[c.key] = s
		}
		s.words[0]++
		changed = append(changed, c.key)
	}
	slices.Sort(changed)
	for _, key := range slices.Compact(changed) {
		if err := bucket.Put(keyOf(key), states[key].encoded()); err != nil {
			return err
		}
	}
	return nil
}

func (h *byHand) count(key uint64, done func(int64, error)) { h.reads.ask(key, done) }

func (h *byHand) read(key uint64) (n int64, err error) {
	err = h.db.View(func(tx *bolt.Tx) error {
		n, err = countOf(tx.Bucket(statesBucket).Get(keyOf(key)))
		return err
	})
	return n, err
}

func (h *byHand) close() error {
	close(h.commands)
	h.ended.Wait()
	h.reads.close()
	return h.db.Close()
}
