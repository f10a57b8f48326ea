//go:build !wasm

package filestore

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/child"
	"github.com/freerun-go/freerun/cluster/internal/engine"
)

func init() {
	child.Role("writer", func() {
		interval, err := time.ParseDuration(os.Getenv("FREERUN_SYNC"))
		if err != nil {
			panic(err)
		}
		s, err := Open(os.Getenv("FREERUN_DIR"), Options{Create: true, Sync: interval})
		if err != nil {
			fmt.Println("failed", err)
			return
		}
		first, err := strconv.Atoi(os.Getenv("FREERUN_FIRST"))
		if err != nil {
			panic(err)
		}
		room := make(chan struct{}, 200)
		var mu sync.Mutex
		for n := first; ; n++ {
			room <- struct{}{}
			s.Put(numbered(n), func(err error) {
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					fmt.Println("failed", err)
				} else {
					fmt.Println(n)
				}
				<-room
			})
		}
	})
}

// numbered are the writes of call n: an entry of its own, and two that change with each.
func numbered(n int) []engine.Write {
	number := binary.BigEndian.AppendUint64(nil, uint64(n))
	return []engine.Write{
		{Key: []byte("first"), Value: number},
		{Key: append([]byte("n/"), number...), Value: append(make([]byte, 100), number...)},
		{Key: []byte("last"), Value: number},
	}
}

// TestWhatIsDoneOutlivesTheProcess kills a process that puts numbered entries, and opens its store:
// what was done is there, and what is there is what the first calls put, and no others.
// FREERUN_KILLS says how often.
func TestWhatIsDoneOutlivesTheProcess(t *testing.T) {
	kills := 10
	if n, err := strconv.Atoi(os.Getenv("FREERUN_KILLS")); err == nil {
		kills = n
	}
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	first, total := 0, 0
	for kill := range kills {
		if kill%10 == 9 {
			dir, first = t.TempDir(), 0
		}
		interval := []string{"0", "1ms", "-1ns"}[kill%3]
		done := untilKilled(t, dir, interval, first, random.IntN(2000))
		s := mustOpen(t, dir, Options{Create: true})
		n := 0
		err := s.Scan([]byte("n/"), nil, func(key, _ []byte) error {
			if got := binary.BigEndian.Uint64(key[2:]); got != uint64(n) {
				return fmt.Errorf("entry %d after %d", got, n-1)
			}
			n++
			return nil
		})
		if err != nil {
			t.Fatalf("seed %d, Sync %s: %v", seed, interval, err)
		}
		if n <= done {
			t.Fatalf("seed %d, Sync %s: %d entries, but %d was done", seed, interval, n, done)
		}
		for _, key := range []string{"first", "last"} {
			got, err := read(s, []byte(key))
			if err != nil || n > 0 && binary.BigEndian.Uint64(got) != uint64(n-1) {
				t.Fatalf("seed %d, Sync %s: %s is %x, want %d: %v", seed, interval, key, got, n-1, err)
			}
		}
		mustClose(t, s)
		total += n - first
		first = n
	}
	t.Logf("%d kills, %d entries", kills, total)
}

// untilKilled runs the writer, kills it when it has told a number of entries, and tells the largest
// that was done.
func untilKilled(t *testing.T, dir, interval string, first, count int) (done int) {
	t.Helper()
	writer := child.Command(t.Context(), "writer", "FREERUN_DIR="+dir, "FREERUN_SYNC="+interval, "FREERUN_FIRST="+fmt.Sprint(first))
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	done = first - 1
	lines := bufio.NewScanner(out)
	for told := 0; lines.Scan(); told++ {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Errorf("the writer says %q", lines.Text())
		} else if n != done+1 {
			t.Errorf("%d was done after %d", n, done)
		}
		done = max(done, n)
		if told == count {
			writer.Process.Kill() // what it has told is still in the pipe
		}
	}
	writer.Wait()
	return done
}
