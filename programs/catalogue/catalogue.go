// Package catalogue lists the programs, in freerun and in plain Go. The list with rivals, which are
// written with other libraries, is bench/catalogue.
package catalogue

import (
	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/alloc"
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
	"github.com/freerun-go/freerun/programs/queues"
	"github.com/freerun-go/freerun/programs/records"
	"github.com/freerun-go/freerun/programs/skynet"
	"github.com/freerun-go/freerun/programs/submit"
	switching "github.com/freerun-go/freerun/programs/switch"
	"github.com/freerun-go/freerun/programs/tick"
	"github.com/freerun-go/freerun/programs/tokenring"
	"github.com/freerun-go/freerun/programs/trees"
)

// Programs returns all programs, those of the papers that freerun implements (docs/papers.md)
// first. The slice is the caller's own.
func Programs() []*programs.Program {
	return []*programs.Program{
		fib.Program, ddb.Program,
		create.Program, switching.Program, lock.Program, matrix.Program,
		city.Program, eratosthenes.Program, mandelbrot.Program, news.Program, producer.Program, tokenring.Program,
		pingpong.Program, fanin.Program, submit.Program, skynet.Program, bank.Program, hot.Program, tick.Program,
		cas.Program, queues.Program, locks.Program,
		alloc.Program, trees.Program, records.Program,
	}
}
