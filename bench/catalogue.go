package bench

import (
	"slices"

	"github.com/freerun-go/freerun/bench/memory"
	"github.com/freerun-go/freerun/bench/pools"
	"github.com/freerun-go/freerun/bench/queues"
	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/bank"
	"github.com/freerun-go/freerun/programs/cas"
	"github.com/freerun-go/freerun/programs/city"
	"github.com/freerun-go/freerun/programs/create"
	"github.com/freerun-go/freerun/programs/ddb"
	"github.com/freerun-go/freerun/programs/eratosthenes"
	"github.com/freerun-go/freerun/programs/fanin"
	"github.com/freerun-go/freerun/programs/fib"
	"github.com/freerun-go/freerun/programs/hot"
	"github.com/freerun-go/freerun/programs/lock"
	"github.com/freerun-go/freerun/programs/locks"
	"github.com/freerun-go/freerun/programs/mandelbrot"
	"github.com/freerun-go/freerun/programs/matrix"
	"github.com/freerun-go/freerun/programs/news"
	"github.com/freerun-go/freerun/programs/pingpong"
	"github.com/freerun-go/freerun/programs/producer"
	"github.com/freerun-go/freerun/programs/records"
	"github.com/freerun-go/freerun/programs/skynet"
	switching "github.com/freerun-go/freerun/programs/switch"
	"github.com/freerun-go/freerun/programs/tick"
	"github.com/freerun-go/freerun/programs/tokenring"
	"github.com/freerun-go/freerun/programs/trees"
)

// Catalogue returns the programs that can be measured, those of the papers first. The slice is the
// caller's own.
func Catalogue() []*programs.Program {
	return []*programs.Program{
		fib.Program, ddb.Program,
		create.Program, switching.Program, lock.Program, matrix.Program,
		city.Program, eratosthenes.Program, mandelbrot.Program, news.Program, producer.Program, tokenring.Program,
		pingpong.Program, fanin.Program, pools.Program, skynet.Program, bank.Program, hot.Program, tick.Program,
		cas.Program, queues.Program, locks.Program,
		memory.Program, trees.Program, records.Program,
	}
}

// ProgramNames returns the names of the programs, in their order.
func ProgramNames(all []*programs.Program) []string {
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = p.Name
	}
	return names
}

// VariantNames returns the names of the variants of the programs, each once, in order of
// appearance.
func VariantNames(all []*programs.Program) []string {
	var names []string
	for _, p := range all {
		for _, v := range p.Variants {
			if !slices.Contains(names, v.Name) {
				names = append(names, v.Name)
			}
		}
	}
	return names
}
