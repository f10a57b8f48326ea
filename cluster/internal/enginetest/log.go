// Package enginetest holds engines against what package engine promises: one suite for all.
package enginetest

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Opened is an engine that was opened, and how it is closed.
type Opened struct {
	engine.Log
	Close func()
}

// Log holds a log against its promises. open opens a store that is new for each name, and the same
// one for the same name, as often as it is called.
func Log(t *testing.T, open func(t *testing.T, name string) Opened) {
	for name, test := range map[string]func(t *testing.T, s *suite){
		"append":  appends,
		"follow":  follows,
		"trim":    trims,
		"swap":    swaps,
		"several": severals,
		"fences":  fences,
		"scan":    scans,
		"writers": writers,
		"keys":    keys,
		"again":   again,
		"close":   closes,
	} {
		t.Run(name, func(t *testing.T) {
			s := &suite{t: t, open: func() Opened { return open(t, name) }}
			s.log = s.open()
			defer func() { s.log.Close() }()
			test(t, s)
		})
	}
}

// appends holds that entries get rising numbers, in each partition, in the order of the calls.
func appends(t *testing.T, s *suite) {
	last := uint64(0)
	for i := range 20 {
		seq := s.append(here, fmt.Sprint(i))
		if seq <= last {
			t.Errorf("entry %d has number %d, behind %d", i, seq, last)
		}
		last = seq
	}
	const n = 500
	done := make(chan [2]uint64, n)
	for i := range uint64(n) {
		s.log.Append(beside, fmt.Append(nil, i), func(seq uint64, err error) {
			if err != nil {
				t.Error(err)
			}
			done <- [2]uint64{i, seq}
		})
	}
	places := make([]uint64, n)
	for range n {
		d := wait(t, done)
		places[d[0]] = d[1]
	}
	for i := 1; i < n; i++ {
		if places[i] <= places[i-1] {
			t.Errorf("entry %d has place %d, behind %d", i, places[i], places[i-1])
		}
	}
}

// follows holds that followers get all entries of their partition behind a number, in their order,
// those that are there and those that come.
func follows(t *testing.T, s *suite) {
	var seqs []uint64
	const there, come = 1500, 1500
	done := make(chan uint64, there)
	for i := range there {
		s.log.Append(eitherOf(i), fmt.Append(nil, i), func(seq uint64, err error) {
			if err != nil {
				t.Error(err)
			}
			if i%2 == 0 {
				done <- seq
			}
		})
	}
	for range there / 2 {
		seqs = append(seqs, wait(t, done))
	}
	all, lostAll, stopAll := s.follow(here, 0)
	half, lostHalf, stopHalf := s.follow(here, seqs[there/4])
	for i := range come {
		s.log.Append(eitherOf(i), fmt.Append(nil, there+i), func(_ uint64, err error) {
			if err != nil {
				t.Error(err)
			}
		})
	}
	for i := 0; i < there+come; i += 2 {
		if f := wait(t, all); f.entry != fmt.Sprint(i) || i < there && f.seq != seqs[i/2] {
			t.Fatalf("entry %d is %+v", i, f)
		}
		if i/2 > there/4 {
			if f := wait(t, half); f.entry != fmt.Sprint(i) {
				t.Fatalf("entry %d is %+v for the second follower", i, f)
			}
		}
	}
	stopAll()
	stopAll()
	s.append(here, "behind the end of the first follower")
	if f := wait(t, half); f.entry != "behind the end of the first follower" {
		t.Errorf("the last entry is %+v", f)
	}
	stopHalf()
	for _, lost := range []<-chan error{lostAll, lostHalf} {
		select {
		case err := <-lost:
			t.Errorf("a follower is lost: %v", err)
		default:
		}
	}
	if len(all) > 0 {
		t.Errorf("a follower that was stopped was handed %+v", <-all)
	}
}

// trims holds that entries up to a number go, that a follower behind it is told, and that one that
// is further goes on.
func trims(t *testing.T, s *suite) {
	var seqs []uint64
	for i := range 10 {
		seqs = append(seqs, s.append(here, fmt.Sprint(i)))
		s.append(beside, fmt.Sprint(i))
	}
	each, lost, stop := s.follow(here, 0)
	for range 10 {
		wait(t, each)
	}
	s.log.Trim(here, seqs[5])
	end := time.Now().Add(mostWait)
	for {
		_, lost, stop := s.follow(here, seqs[2])
		err := error(nil)
		select {
		case err = <-lost:
		case <-time.After(200 * time.Millisecond):
		}
		stop()
		if errors.Is(err, engine.ErrTrimmed) {
			break
		}
		if err != nil || time.Now().After(end) {
			t.Fatalf("a follower from behind the trimmed entries: %v", err)
		}
	}
	next, _, stopNext := s.follow(here, seqs[5])
	for i := 6; i < 10; i++ {
		if f := wait(t, next); f.seq != seqs[i] || f.entry != fmt.Sprint(i) {
			t.Errorf("entry %d is %+v after trimming", i, f)
		}
	}
	s.append(here, "more")
	for _, f := range []<-chan followed{each, next} {
		if f := wait(t, f); f.entry != "more" {
			t.Errorf("a follower that is further was handed %+v", f)
		}
	}
	select {
	case err := <-lost:
		t.Errorf("a follower that is further is lost: %v", err)
	default:
	}
	stop()
	stopNext()
	other, _, stopOther := s.follow(beside, 0)
	for i := range 10 {
		if f := wait(t, other); f.entry != fmt.Sprint(i) {
			t.Errorf("entry %d of another partition is %+v", i, f)
		}
	}
	stopOther()
}

// swaps holds that an entry is written if its revision is as expected, and otherwise is not.
func swaps(t *testing.T, s *suite) {
	if value, revision := s.read("k"); value != nil || revision != 0 {
		t.Errorf("an entry that is not there: %q, %d", value, revision)
	}
	first, err := s.swap(0, write("k", "one"))
	if err != nil || first == 0 {
		t.Fatalf("%d, %v", first, err)
	}
	for _, wrong := range []uint64{0, first + 1} {
		if _, err := s.swap(wrong, write("k", "wrong")); !errors.Is(err, engine.ErrConflict) {
			t.Errorf("revision %d: %v", wrong, err)
		}
	}
	if value, revision := s.read("k"); string(value) != "one" || revision != first {
		t.Errorf("%q, %d", value, revision)
	}
	second, err := s.swap(first, write("k", ""))
	if err != nil || second <= first {
		t.Errorf("%d, %v", second, err)
	}
	if value, revision := s.read("k"); value == nil || len(value) > 0 || revision != second {
		t.Errorf("an empty value is %q, %d", value, revision)
	}
	if _, err := s.swap(second, removal("k")); err != nil {
		t.Error(err)
	}
	value, revision := s.read("k")
	if value != nil {
		t.Errorf("a removed entry is %q", value)
	}
	if _, err := s.swap(revision, write("k", "again")); err != nil {
		t.Error(err)
	}
	if value, _ := s.read("k"); string(value) != "again" {
		t.Errorf("%q", value)
	}
	if _, err := s.swap(first, write("k", "wrong")); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("a revision of before: %v", err)
	}
}

// severals holds that several writes are made together or not at all.
func severals(t *testing.T, s *suite) {
	first, err := s.swap(0, write("a", "1"), write("b", "1"), write("c", "1"))
	if err != nil {
		t.Fatal(err)
	}
	if value, revision := s.read("a"); string(value) != "1" || revision != first {
		t.Errorf("a: %q, %d; its revision was told as %d", value, revision, first)
	}
	if _, err := s.swap(0, write("a", "2"), write("b", "2")); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("a wrong revision: %v", err)
	}
	for _, key := range []string{"a", "b", "c"} {
		if value, _ := s.read(key); string(value) != "1" {
			t.Errorf("%s: %q", key, value)
		}
	}
	if _, err := s.swap(first, write("a", "3"), removal("b"), write("d", "3")); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"a": "3", "b": "", "c": "1", "d": "3"} {
		if value, _ := s.read(key); string(value) != want || (value == nil) != (want == "") {
			t.Errorf("%s: %q, want %q", key, value, want)
		}
	}
}

// fences holds that several writes are made if each of the first entries has its revision, and that
// each of these has the revision then that follows from what is told.
func fences(t *testing.T, s *suite) {
	first, err := s.swapAll([]uint64{0, 0}, write("a", "1"), write("b", "1"), write("c", "1"))
	if err != nil {
		t.Fatal(err)
	}
	for i, key := range []string{"a", "b"} {
		if value, revision := s.read(key); string(value) != "1" || revision != first+uint64(i) {
			t.Errorf("%s: %q, %d; the first one was told as %d", key, value, revision, first)
		}
	}
	second, err := s.swap(first+1, write("b", "2"))
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range [][]uint64{{first, first + 1}, {first, 0}, {0, second}, {first + 1, second}} {
		if _, err := s.swapAll(wrong, write("a", "wrong"), write("b", "wrong"), write("c", "wrong")); !errors.Is(err, engine.ErrConflict) {
			t.Errorf("revisions %d, where they are %d and %d: %v", wrong, first, second, err)
		}
	}
	for key, want := range map[string]string{"a": "1", "b": "2", "c": "1"} {
		if value, _ := s.read(key); string(value) != want {
			t.Errorf("%s: %q, want %q", key, value, want)
		}
	}
	third, err := s.swapAll([]uint64{second, first}, removal("b"), write("a", "3"), write("d", "3"))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"a": "3", "b": "", "c": "1", "d": "3"} {
		value, revision := s.read(key)
		if string(value) != want || (value == nil) != (want == "") {
			t.Errorf("%s: %q, want %q", key, value, want)
		}
		if key == "a" && revision != third+1 {
			t.Errorf("the second entry has revision %d; the first one was told as %d", revision, third)
		}
	}
}

// writers holds that of 64 that write at once by what they have read each is told the truth.
func writers(t *testing.T, s *suite) {
	const each, all = 5, 64
	var ended sync.WaitGroup
	for range all {
		ended.Go(func() {
			for range each {
				for {
					value, revision := s.read("n")
					var n int
					if value != nil {
						if _, err := fmt.Sscan(string(value), &n); err != nil {
							t.Error(err)
							return
						}
					}
					_, err := s.swap(revision, write("n", fmt.Sprint(n+1)))
					if err == nil {
						break
					}
					if !errors.Is(err, engine.ErrConflict) {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	ended.Wait()
	if value, _ := s.read("n"); string(value) != fmt.Sprint(each*all) {
		t.Errorf("the sum is %q, of %d writes", value, each*all)
	}
}

// keys holds that keys of all bytes are told apart.
func keys(t *testing.T, s *suite) {
	all := []string{"a", "A", "a.b", "a b", "a*", ">", "=41", "\x00", "\xff", "a\x00b", "é", "a=b", "_", "-", string(bytes.Repeat([]byte("k."), 256))}
	for i, key := range all {
		if _, err := s.swap(0, write(key, fmt.Sprint(i))); err != nil {
			t.Errorf("%q: %v", key, err)
		}
	}
	for i, key := range all {
		if value, _ := s.read(key); string(value) != fmt.Sprint(i) {
			t.Errorf("%q is %q, want %d", key, value, i)
		}
	}
}

// again holds that what was done is there when the store is opened again, beside the one that has
// it, and after that was closed.
func again(t *testing.T, s *suite) {
	seq := s.append(here, "entry")
	revision, err := s.swap(0, write("k", "v"))
	if err != nil {
		t.Fatal(err)
	}
	look := func() {
		t.Helper()
		if value, now := s.read("k"); string(value) != "v" || now != revision {
			t.Errorf("%q, %d", value, now)
		}
		each, _, stop := s.follow(here, 0)
		if f := wait(t, each); f.seq != seq || f.entry != "entry" {
			t.Errorf("%+v", f)
		}
		stop()
	}
	first := s.log
	s.log = s.open()
	look()
	s.log.Close()
	first.Close()
	s.log = s.open()
	look()
}

// closes holds that each call ends when the engine is closed, and that later ones are refused.
func closes(t *testing.T, s *suite) {
	log := s.open()
	done := make(chan error, 1000)
	for i := range 100 {
		log.Append(here, []byte("x"), func(_ uint64, err error) { done <- err })
		log.Swap(here, []engine.Write{write(fmt.Sprint(i), "x")}, 0, func(_ uint64, err error) { done <- err })
		log.Read(here, []byte("x"), func(_ []byte, _ uint64, err error) { done <- err })
	}
	_, stop := make(chan struct{}), log.Follow(here, 0, func(uint64, []byte) {}, func(error) {})
	log.Close()
	stop()
	log.Append(here, []byte("x"), func(_ uint64, err error) { done <- err })
	log.Read(here, []byte("x"), func(_ []byte, _ uint64, err error) { done <- err })
	for range 302 {
		if err := wait(t, done); err != nil && !errors.Is(err, engine.ErrClosed) {
			t.Errorf("a call at the end: %v", err)
		}
	}
}
