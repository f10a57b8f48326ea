package archtest_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/archtest"
)

// TestInstances checks that generic types get no more methods, own ones and those of embedded
// types: testdata/instances.txt has what each has. After removing some, draw the table again:
//
//	go test ./internal/archtest -run Instances -update
func TestInstances(t *testing.T) {
	now, err := house(t).Instances(archtest.Public...)
	if err != nil {
		t.Fatal(err)
	}
	for _, known := range []string{"freerun.operation", "freerun.Future", "queue.MPSC"} {
		if now[known] == 0 {
			t.Errorf("%s is not among the generic types with methods", known)
		}
	}
	compare(t, "testdata/instances.txt", now, func(name, problem string) {
		t.Errorf("each instance of a generic type compiles all its methods; %s (%s). What needs no types belongs to a type that is not generic, "+
			"and a struct names a field instead of embedding it", problem, name)
	})
}

// TestInstancesPlanted counts the methods of generic types with and without embedded structs.
func TestInstancesPlanted(t *testing.T) {
	files := sound()
	files["internal/knot/a.go"] = `package knot

type plain struct{}
func (*plain) A() {}
func (plain) b() {}
type Named[T any] struct{ p plain; v T }
type Embeds[T any] struct{ plain; v T }
func (*Embeds[T]) Own() {}
type Twice[T any] struct{ Embeds[T] }
type Interface[T any] interface{ A(T) }
type Plain struct{ plain }
`
	now, err := planted(t, files).Instances("internal/knot")
	if err != nil {
		t.Fatal(err)
	}
	if len(now) != 2 || now["knot.Embeds"] != 3 || now["knot.Twice"] != 3 {
		t.Errorf("the counts are %v, want 3 for Embeds and for Twice, and no others", now)
	}
}
