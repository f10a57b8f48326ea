//go:build !wasm

package filestore

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/internal/verify/conformance"
)

// sample makes a store file of about 2 MB, with branch pages, free pages and pages that hold old
// copies; it tells the entries.
func sample(t testing.TB) (file []byte, entries map[string]string) {
	t.Helper()
	dir := t.TempDir()
	s := mustOpen(t, dir, Options{Create: true, Sync: -1})
	entries = map[string]string{}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var writes []engine.Write
		for range 600 {
			key := fmt.Sprintf("account/%05d", random.IntN(5000))
			value := fmt.Sprintf("%0112d", random.Uint64())
			if random.IntN(200) == 0 {
				value = fmt.Sprintf("%06000d", random.Uint64()) // takes pages of its own
			}
			writes = append(writes, set(key, value))
			entries[key] = value
		}
		mustPut(t, s, writes...)
	}
	mustClose(t, s)
	file, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	return file, entries
}

// outcome counts what became of damaged files.
type outcome struct{ refused, found, unnoticed int }

// use opens a file that may be damaged, and reads all of it: what is told must be right.
func (o *outcome) use(t testing.TB, dir, what string, entries map[string]string) {
	t.Helper()
	s, err := Open(dir, Options{})
	if err != nil {
		if !errors.Is(err, engine.ErrStateLost) {
			t.Errorf("%s: Open: %v, want ErrStateLost", what, err)
		}
		o.refused++
		return
	}
	found := false
	check := func(by string, err error) {
		if err == nil {
			return
		}
		found = true
		if !errors.Is(err, engine.ErrStateLost) {
			t.Errorf("%s: %s: %v, want ErrStateLost", what, by, err)
		}
	}
	type answer struct {
		key   string
		value []byte
		err   error
	}
	answers := make(chan answer, len(entries)+1)
	for key := range entries {
		s.Get([]byte(key), func(v []byte, err error) { answers <- answer{key, v, err} })
	}
	for range entries {
		a := <-answers
		check("Get", a.err)
		if a.err == nil && string(a.value) != entries[a.key] {
			t.Errorf("%s: Get(%q): %.40q, want %.40q", what, a.key, a.value, entries[a.key])
		}
	}
	n := 0
	err = s.Scan(nil, nil, func(key, value []byte) error {
		n++
		if entries[string(key)] != string(value) {
			t.Errorf("%s: Scan: %q has %.40q", what, key, value)
		}
		return nil
	})
	check("Scan", err)
	if err == nil && n != len(entries) {
		t.Errorf("%s: Scan: %d entries, want %d", what, n, len(entries))
	}
	if err := wait(s, set("new", "value")); err != nil {
		found = true
		if !errors.Is(err, engine.ErrStopped) {
			t.Errorf("%s: Put: %v, want ErrStopped", what, err)
		}
	} else if v, err := read(s, []byte("new")); err != nil || !bytes.Equal(v, []byte("value")) {
		t.Errorf("%s: Get of what was put: %q, %v", what, v, err)
	}
	if err := s.Close(); err != nil && !errors.Is(err, engine.ErrStopped) {
		t.Errorf("%s: Close: %v", what, err)
	}
	if found {
		o.found++
	} else {
		o.unnoticed++
	}
}

// flips is how many bits a test flips: a tenth of them under the race detector, which finds its
// races with few; FREERUN_FLIPS says more, or less.
func flips(normal int) int {
	if n, err := strconv.Atoi(os.Getenv("FREERUN_FLIPS")); err == nil {
		return n
	}
	if conformance.RaceDetector {
		return normal / 10
	}
	return normal
}

// TestAFlippedBitIsNeverReadAsAbsent flips a bit of a file and uses it: nothing is told as absent
// that was there, and nothing wrong; nothing panics, and nothing waits for ever.
// FREERUN_FLIPS=10000 flips so many.
func TestAFlippedBitIsNeverReadAsAbsent(t *testing.T) {
	file, entries := sample(t)
	var o outcome
	dir := t.TempDir()
	n := flips(300)
	for seed := range n {
		random := rand.New(rand.NewPCG(uint64(seed), 0))
		bit := random.IntN(8 * len(file))
		flipped := bytes.Clone(file)
		flipped[bit/8] ^= 1 << (bit % 8)
		write(t, dir, flipped)
		o.use(t, dir, fmt.Sprintf("seed %d, bit %d of byte %d", seed, bit%8, bit/8), entries)
	}
	t.Logf("%d bytes, %d flips: %d refused by Open, %d found later, %d unnoticed", len(file), n, o.refused, o.found, o.unnoticed)
	if n >= 300 && (o.refused == 0 || o.found == 0) {
		t.Error("the flips have found nothing: the test does not test")
	}
}

// TestAFlippedBitOfTheStructureIsFound flips bits where they do most: in the meta pages, the branch
// pages and the headers of pages.
func TestAFlippedBitOfTheStructureIsFound(t *testing.T) {
	file, entries := sample(t)
	size := os.Getpagesize()
	var places []int
	for page := 0; page < len(file)/size; page++ {
		start := page * size
		length := pageHeader + 2*elementSize
		switch order.Uint16(file[start+8:]) {
		case branchPage, freelistPage:
			length = 1024
		}
		if page < 2 {
			length = metaEnd
		}
		for at := start; at < start+length; at++ {
			places = append(places, at)
		}
	}
	var o outcome
	dir := t.TempDir()
	n := flips(300)
	for seed := range n {
		random := rand.New(rand.NewPCG(uint64(seed), 1))
		at := places[random.IntN(len(places))]
		if seed < 2*64*2 { // each field of both meta pages, some bits
			at = seed%2*size + pageHeader + seed/2%64
		}
		bit := random.IntN(8)
		flipped := bytes.Clone(file)
		flipped[at] ^= 1 << bit
		write(t, dir, flipped)
		o.use(t, dir, fmt.Sprintf("seed %d, bit %d of byte %d", seed, bit, at), entries)
		if seed < 2*64*2 && o.refused != seed+1 {
			t.Fatalf("byte %d of a meta page has changed unnoticed", at)
		}
	}
	t.Logf("%d flips: %d refused by Open, %d found later, %d unnoticed", n, o.refused, o.found, o.unnoticed)
}

// TestAFlippedBitInTheListOfFreePagesIsFound flips each bit of some entries: a page that is used
// must not be taken for a free one, nor one that lies outside.
func TestAFlippedBitInTheListOfFreePagesIsFound(t *testing.T) {
	file, entries := sample(t)
	size := os.Getpagesize()
	newest, _ := readMeta(file)
	if second, _ := readMeta(file[size:]); second.txid > newest.txid {
		newest = second
	}
	start := int(newest.freelist) * size
	count := int(order.Uint16(file[start+10:]))
	if count < 20 {
		t.Fatalf("%d free pages are too few", count)
	}
	used := &checker{r: bytes.NewReader(file), pageSize: uint64(size), high: newest.high, used: make([]uint64, newest.high/64+1)}
	if err := used.tree(newest.root, 0, true, nil, nil); err != nil {
		t.Fatal(err)
	}
	var o outcome
	dir := t.TempDir()
	wrong := 0
	for _, entry := range []int{0, count / 2, count - 1} {
		for bit := range 64 {
			at := start + pageHeader + 8*entry + bit/8
			file[at] ^= 1 << (bit % 8)
			write(t, dir, file)
			before := o.refused
			o.use(t, dir, fmt.Sprintf("bit %d of free page %d", bit, entry), entries)
			page := order.Uint64(file[start+pageHeader+8*entry:])
			if used.use(page, 1) == nil {
				used.used[page/64] &^= 1 << (page % 64)
			} else if wrong++; o.refused == before {
				t.Errorf("page %d, which is used or lies outside, was taken for a free one", page)
			}
			file[at] ^= 1 << (bit % 8)
		}
	}
	t.Logf("%d refused by Open, %d found later, %d unnoticed; %d were of pages that are not free",
		o.refused, o.found, o.unnoticed, wrong)
	if wrong < 3*48 {
		t.Error("the flips made too few pages free")
	}
}

// TestATruncatedFileIsFound cuts the file.
func TestATruncatedFileIsFound(t *testing.T) {
	file, entries := sample(t)
	var o outcome
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(3, 4))
	lengths := []int{0, 1, 1023, 4095, 4096, 8191, 8192, 16384}
	for range flips(100) / 5 {
		lengths = append(lengths, random.IntN(len(file)))
	}
	for _, length := range lengths {
		write(t, dir, file[:length])
		o.use(t, dir, fmt.Sprintf("cut to %d of %d bytes", length, len(file)), entries)
	}
	t.Logf("%d cuts: %d refused by Open, %d found later, %d unnoticed", len(lengths), o.refused, o.found, o.unnoticed)
	if o.refused == 0 {
		t.Error("no cut was found")
	}
}

func write(t testing.TB, dir string, file []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, fileName), file, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestScanLostGoesPastWhatIsLost damages entries in each way, and has all others still told.
func TestScanLostGoesPastWhatIsLost(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{Create: true})
	mustPut(t, s, set("a/0", "0"), set("a/1", "1"), set("a/2", "2"), set("a/3", "3"), set("a/4", "4"), set("a/5", "5"), set("b", "6"))
	err := s.db.Update(func(tx *bolt.Tx) error {
		data, index, err := buckets(tx)
		if err != nil {
			return err
		}
		inData := index.Delete([]byte("a/0"))
		otherSum := data.Put([]byte("a/2"), append([]byte("xxxx"), '2'))
		inIndex := data.Delete([]byte("a/3"))
		older := data.Put([]byte("a/5"), appendRecord(nil, []byte("a/5"), []byte{}))
		return errors.Join(inData, otherSum, inIndex, older)
	})
	if err != nil {
		t.Fatal(err)
	}
	told := ""
	err = s.ScanLost([]byte("a/"), func(key, value []byte, lost error) error {
		if lost != nil && (!errors.Is(lost, engine.ErrStateLost) || value != nil) {
			t.Errorf("%s: %q, %v", key, value, lost)
		}
		told += fmt.Sprintf("%s %s %t; ", key, value, lost != nil)
		return nil
	})
	if want := "a/0  true; a/1 1 false; a/2  true; a/3  true; a/4 4 false; a/5  true; "; err != nil || told != want {
		t.Errorf("told %s and %v, want %s", told, err, want)
	}
	first := errors.New("enough")
	if err := s.ScanLost(nil, func(_, _ []byte, _ error) error { return first }); err != first {
		t.Errorf("%v, want the error of each", err)
	}
	if err := s.Scan([]byte("a/"), nil, func(_, _ []byte) error { return nil }); !errors.Is(err, engine.ErrStateLost) {
		t.Errorf("Scan: %v", err)
	}
}
