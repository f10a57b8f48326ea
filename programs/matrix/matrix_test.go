package matrix

import (
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestVariants(t *testing.T) {
	for _, v := range []programs.Values{
		{programs.Size: 1, paramTasks: 1},
		{programs.Size: 20, paramTasks: 3},
		{programs.Size: 33, paramTasks: 33},
		{programs.Size: 10, paramTasks: 25},
		{programs.Size: tile + 7, paramTasks: 2},
	} {
		for name, r := range programtest.Run(t, Program, v) {
			if n := uint64(v[programs.Size]); r.Operations != n*n*n {
				t.Errorf("%s: %d operations, want %d", name, r.Operations, n*n*n)
			}
			if !strings.HasPrefix(name, "serial") {
				programtest.Figure[uint64](t, r, "speedup_percent")
			}
		}
	}
}

// TestProduct checks a product that can be computed by hand: two rows, two columns.
func TestProduct(t *testing.T) {
	p := newProblem(2)
	p.multiply(0, 2) // (0 5, 3 8) times (0 2, 7 9)
	if p.c[0][0] != 35 || p.c[0][1] != 45 || p.c[1][0] != 56 || p.c[1][1] != 78 {
		t.Errorf("the product is %v", p.c)
	}
}

// TestAloneForgets: the tasks find nothing of the product that was computed before them.
func TestAloneForgets(t *testing.T) {
	p := newProblem(5)
	p.alone()
	for _, row := range p.c {
		for _, x := range row {
			if x != 0 {
				t.Fatalf("%v is left", p.c)
			}
		}
	}
	if f := speedup(30, 20); f[0].Value != uint64(150) {
		t.Errorf("30 alone, 20 with tasks: %v, want 150%%", f[0].Value)
	}
}

// TestChecksumSeesEveryElement changes one element after another.
func TestChecksumSeesEveryElement(t *testing.T) {
	p := newProblem(9)
	p.multiply(0, 9)
	if p.checksum() != p.due() {
		t.Fatalf("checksum %s, due %s", p.checksum(), p.due())
	}
	for i := range p.c {
		for j := range p.c[i] {
			p.c[i][j]++
			if p.checksum() == p.due() {
				t.Errorf("element %d, %d is wrong, and the checksum does not show it", i, j)
			}
			p.c[i][j]--
		}
	}
}

// TestShares: one task computes each row, and no task has two rows more than another.
func TestShares(t *testing.T) {
	for n := 1; n < 40; n++ {
		p := &problem{n: n}
		for tasks := 1; tasks < 50; tasks++ {
			next := 0
			for i := range tasks {
				from, to := p.share(i, tasks)
				if from != next || to-from < n/tasks || to-from > n/tasks+1 {
					t.Fatalf("task %d of %d has rows %d to %d of %d", i, tasks, from, to, n)
				}
				next = to
			}
			if next != n {
				t.Fatalf("%d tasks compute %d of %d rows", tasks, next, n)
			}
		}
	}
}

// TestTiles: the tiles are all of the product, whether they divide it evenly or not, and pauses
// count each multiplication once.
func TestTiles(t *testing.T) {
	for _, n := range []int{1, tile - 1, tile, tile + 1, 2*tile + 5} {
		p, done := newProblem(n), 0
		for i := range 3 {
			from, to := p.share(i, 3)
			p.multiplyTiled(from, to, func(some int) { done += some })
		}
		if p.checksum() != p.due() || done != n*n*n {
			t.Errorf("%d rows: checksum %s, due %s; %d multiplications", n, p.checksum(), p.due(), done)
		}
	}
}
