package cooperate

import (
	"go/ast"
	"testing"
)

// TestWeights checks the weights of single statements. For loops it checks the weight of a turn.
func TestWeights(t *testing.T) {
	const head = `package p

import (
	"math"
	"unsafe"
)

type point struct{ x, y int }

func (p point) method() {}

const constant = 5

var _, _ = math.Pi, unsafe.Pointer(nil)

func f(i, j int, b bool, s []int, m map[int]int, c chan int, p *point, any any, g func(int) int) (r int) {
`
	w := newWorld(t).again()
	for code, want := range map[string]int{
		``:                                      0,
		`i = j`:                                 1,
		`i, j = j, i`:                           2,
		`i++`:                                   1,
		`i = 1 + 2*constant`:                    1,
		`i = j + 2*i`:                           3,
		`i = -j`:                                2,
		`i = s[j]`:                              2,
		`s[i] = j`:                              2,
		`i = p.x`:                               2,
		`*p = point{1, 2}`:                      4,
		`s = s[i:j]`:                            2,
		`i = len(s) + cap(s)`:                   4,
		`r = int(uint8(i))`:                     3,
		`r = int(unsafe.Sizeof(p))`:             1,
		`i = min(i, j)`:                         2,
		`s = append(s, i)`:                      11,
		`i = g(j + 1)`:                          12,
		`p.method()`:                            11,
		`_ = math.Sqrt(2)`:                      11,
		`c <- i`:                                10,
		`i = <-c`:                               11,
		`go g(1)`:                               20,
		`defer g(1)`:                            11,
		`return i + j`:                          2,
		`var k int; _ = k`:                      2,
		`const k = 1`:                           0,
		`type k int`:                            0,
		`_ = any.(int)`:                         2,
		`_ = func() { g(g(1)) }`:                2,
		`func() { g(g(1)) }()`:                  11,
		`if b { i++ }`:                          2,
		`if b { i++ } else { g(1) }`:            11,
		`if b { g(1) } else { i++ }`:            11,
		`if i = 1; i > j { } else if b { i++ }`: 5,
		`switch i { case 1, j: i++; case 3: g(1) }`:              14,
		`switch { case i > j: i++; fallthrough; default: g(1) }`: 15,
		`switch any.(type) { case int: i++ }`:                    4,
		`select { case i = <-c: i++; default: g(1) }`:            31,
		`for i < j { g(1) }`:                                     2,
		`for k := range s { g(k) }`:                              1,
		`label: for { g(1); break label }`:                       1,
		`{ i++; { j++ } }`:                                       2,
		`i = m[1]`:                                               2,
		`i += j`:                                                 1,
		`_ = []int{1, 2, i}`:                                     4,
		`_ = &point{x: i}`:                                       3,
		`b = !b && i < j || i == 2`:                              6,
		`for i = 0; i < j; i++ { g(1); for { g(2) } } // turn`:   14,
		`for i = range s { } // turn`:                            2,
		`for range m { i++ } // turn`:                            12,
		`for k, v := range m { i = k + v } // turn`:              15,
		`for i = range c { if b { continue }; i++ } // turn`:     15,
		`for range func(func() bool) {} { i++ } // turn`:         12,
	} {
		pkg, err := w.check("p", map[string]string{"p.go": head + code + "\nreturn }\n"})
		if err != nil {
			t.Errorf("%s: %v", code, err)
			continue
		}
		list := pkg.Files[0].Decls[len(pkg.Files[0].Decls)-1].(*ast.FuncDecl).Body.List
		list = list[:len(list)-1]
		weigher := weigher{pkg.Info}
		got := weigher.list(list)
		if len(pkg.Files[0].Comments) > 0 {
			got = weigher.turn(list[0])
		}
		if got != want {
			t.Errorf("%s weighs %d, want %d", code, got, want)
		}
	}
}
