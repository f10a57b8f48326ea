//go:build !wasm

package filestore

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

const benchKeys = 100_000

var benchValue = make([]byte, 112)

func benchKey(i int) []byte {
	return binary.BigEndian.AppendUint64([]byte("account/"), uint64(i)*0x9E3779B97F4A7C15)
}

// BenchmarkPut puts values of 112 bytes, with so many Puts in flight, over 100,000 keys that are
// there; synced.
func BenchmarkPut(b *testing.B) {
	for _, inFlight := range []int{1, 64, 4096} {
		b.Run(fmt.Sprintf("inflight=%d", inFlight), func(b *testing.B) {
			s := mustOpen(b, b.TempDir(), Options{Create: true})
			for first := 0; first < benchKeys; first += 10_000 {
				var writes []engine.Write
				for i := first; i < first+10_000; i++ {
					writes = append(writes, engine.Write{Key: benchKey(i), Value: benchValue})
				}
				mustPut(b, s, writes...)
			}
			room := make(chan struct{}, inFlight)
			done := func(err error) {
				if err != nil {
					b.Error(err)
				}
				<-room
			}
			random := rand.New(rand.NewPCG(1, 2))
			before := s.Stats()
			for b.Loop() {
				room <- struct{}{}
				s.Put([]engine.Write{{Key: benchKey(random.IntN(benchKeys)), Value: benchValue}}, done)
			}
			for range inFlight {
				room <- struct{}{}
			}
			after := s.Stats()
			b.ReportMetric(float64(after.Writes-before.Writes)/float64(after.Commits-before.Commits), "writes/commit")
		})
	}
}

// BenchmarkBolt is the limit: the same by bbolt alone, with batches that are as large, without
// checksums and without the second bucket.
func BenchmarkBolt(b *testing.B) {
	for _, batch := range []int{1, 32, 64, 2048, 4096} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			o := *bolt.DefaultOptions
			o.FreelistType, o.InitialMmapSize = bolt.FreelistMapType, mapAhead()
			db, err := bolt.Open(filepath.Join(b.TempDir(), "db"), 0o600, &o)
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			db.AllocSize = growth
			name := []byte("data")
			for first := 0; first < benchKeys; first += 10_000 {
				var keys []string
				for i := first; i < first+10_000; i++ {
					keys = append(keys, string(benchKey(i)))
				}
				slices.Sort(keys)
				err := db.Update(func(tx *bolt.Tx) error {
					bucket, err := tx.CreateBucketIfNotExists(name)
					for _, key := range keys {
						if err == nil {
							err = bucket.Put([]byte(key), benchValue)
						}
					}
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			random := rand.New(rand.NewPCG(1, 2))
			var keys []string
			commit := func() {
				slices.SortFunc(keys, strings.Compare)
				err := db.Update(func(tx *bolt.Tx) error {
					bucket := tx.Bucket(name)
					for _, key := range keys {
						if err := bucket.Put([]byte(key), benchValue); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
				keys = keys[:0]
			}
			for b.Loop() {
				if keys = append(keys, string(benchKey(random.IntN(benchKeys)))); len(keys) == batch {
					commit()
				}
			}
			commit()
		})
	}
}

// BenchmarkGet reads with 4,096 Gets in flight.
func BenchmarkGet(b *testing.B) {
	s := mustOpen(b, b.TempDir(), Options{Create: true, Sync: -1})
	for first := 0; first < benchKeys; first += 10_000 {
		var writes []engine.Write
		for i := first; i < first+10_000; i++ {
			writes = append(writes, engine.Write{Key: benchKey(i), Value: benchValue})
		}
		mustPut(b, s, writes...)
	}
	room := make(chan struct{}, 4096)
	done := func(v []byte, err error) {
		if err != nil || len(v) != len(benchValue) {
			b.Error(v, err)
		}
		<-room
	}
	random := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		room <- struct{}{}
		s.Get(benchKey(random.IntN(benchKeys)), done)
	}
	for range cap(room) {
		room <- struct{}{}
	}
}
