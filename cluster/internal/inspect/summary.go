//go:build !wasm

package inspect

import (
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/freerun-go/freerun/cluster/internal/filestore"
)

// summary says what a store has. The fields are those of the first line of -json.
type summary struct {
	Type     string         `json:"type"` // store
	Path     string         `json:"path"`
	ID       string         `json:"id"`
	Format   string         `json:"format"`
	Size     int64          `json:"size"`
	Units    map[string]int `json:"units"` // by their kinds
	Sent     int            `json:"sent"`
	Failures int            `json:"failures"`
	Timers   int            `json:"timers"`
	Outcomes int            `json:"outcomes"` // of operations with an identity
	Damaged  int            `json:"damaged"`

	named map[string]bool // the kinds of units and messages
}

// summarize reads the whole store. After an error the summary has what was read before.
func summarize(s *filestore.Store, types Types) (*summary, error) {
	id := s.ID()
	sum := &summary{
		Type: "store", Path: s.Path(), ID: hex.EncodeToString(id[:]), Format: s.Version(), Size: s.Stats().FileSize,
		Units: map[string]int{}, named: map[string]bool{},
	}
	err := s.ScanLost(nil, func(key, value []byte, lost error) error {
		sum.count(read(key, value, lost, types))
		return nil
	})
	return sum, err
}

func (s *summary) count(e entry) {
	if e.Kind != "" {
		s.named[e.Kind] = true
	}
	switch {
	case e.Error != "":
		s.Damaged++
	case e.Type == unit:
		s.Units[e.Kind]++
		s.Timers += len(e.Timers)
	case e.Type == sent:
		s.Sent++
	case e.Type == failure:
		s.Failures++
	case e.Type == outcome:
		s.Outcomes++
	}
}

// kinds returns the names of the kinds that the store has something of.
func (s *summary) kinds() []string { return slices.Sorted(maps.Keys(s.named)) }

func (s *summary) print(w io.Writer) {
	fmt.Fprintf(w, "store      %s\nid         %s\nformat     %s\nsize       %d bytes\n", s.Path, s.ID, s.Format, s.Size)
	head := "units"
	for _, kind := range slices.Sorted(maps.Keys(s.Units)) {
		fmt.Fprintf(w, "%-9s  %d of kind %s\n", head, s.Units[kind], shown(kind))
		head = ""
	}
	if len(s.Units) == 0 {
		fmt.Fprintf(w, "%-9s  none\n", head)
	}
	fmt.Fprintf(w, "under way  %s\nfailures   %d\n", counted(s.Sent, "message"), s.Failures)
	if s.Timers > 0 {
		fmt.Fprintf(w, "timers     %d\n", s.Timers)
	}
	if s.Outcomes > 0 {
		fmt.Fprintf(w, "outcomes   %d of operations with an identity\n", s.Outcomes)
	}
	if s.Damaged > 0 {
		fmt.Fprintf(w, "damaged    %s\n", entries(s.Damaged))
	}
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// counted returns a number and what it counts.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
