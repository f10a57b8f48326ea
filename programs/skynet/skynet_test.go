package skynet

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestVariants(t *testing.T) {
	for _, size := range []int{1, 2, 9, 10, 11, 99, 101, 1000, 12_345} {
		programtest.Run(t, Program, programs.Values{programs.Size: size})
	}
}

// TestChildrenShareTheLeaves: the children of a node follow one another without a gap, and differ
// by at most one leaf.
func TestChildrenShareTheLeaves(t *testing.T) {
	for leaves := int32(2); leaves < 500; leaves++ {
		s := span{first: 7, leaves: leaves}
		next := s.first
		for i := range s.children() {
			c := s.child(i)
			if c.first != next || c.leaves < leaves/int32(s.children()) || c.leaves > leaves/int32(s.children())+1 {
				t.Fatalf("child %d of %+v is %+v, want one that begins at %d", i, s, c, next)
			}
			next += c.leaves
		}
		if next != s.first+leaves {
			t.Fatalf("the children of %+v end at %d", s, next)
		}
	}
}
