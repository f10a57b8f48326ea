package cluster

import (
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/cluster/internal/codec"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// endingError is an error whose text ends the goroutine.
type endingError struct{}

func (endingError) Error() string {
	runtime.Goexit()
	return ""
}

// TestMigrationEnds holds that a migration that calls runtime.Goexit fails, and one whose error
// does so.
func TestMigrationEnds(t *testing.T) {
	for what, migrate := range map[string]func(old int) (string, error){
		"it": func(int) (string, error) {
			runtime.Goexit()
			return "", nil
		},
		"its error": func(int) (string, error) { return "", endingError{} },
	} {
		s, err := shapeOf(reflect.TypeFor[string](), inherit("Durable", []StoredOption{Migrate(migrate)}))
		if err != nil {
			t.Fatal(err)
		}
		ints, err := codec.Of(reflect.TypeFor[int]())
		if err != nil {
			t.Fatal(err)
		}
		old, n, read := layout.AppendVersion(nil, 0), 7, ""
		if old, err = ints.Append(old, &n); err != nil {
			t.Fatal(err)
		}
		if err := s.decode(old, &read); err == nil || !strings.Contains(err.Error(), "called runtime.Goexit") {
			t.Errorf("%s: %q, %v", what, read, err)
		}
	}
}
