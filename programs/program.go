package programs

import (
	"fmt"
	"time"

	"github.com/freerun-go/freerun"
)

// Kind is the way in which a variant is written.
type Kind int

const (
	// Baseline is the program without concurrency. It shows the cost of the work itself; freerun is
	// not compared with it.
	Baseline Kind = iota
	// Freerun is the program written with freerun.
	Freerun
	// PlainGo is the program written with goroutines, channels and locks only.
	PlainGo
	// Rival is the program written with a library that a user might pick instead.
	Rival
)

// Compared reports whether freerun's variants are compared with a variant of this kind.
func (k Kind) Compared() bool { return k == PlainGo || k == Rival }

// String returns the word for the kind in tables.
func (k Kind) String() string {
	switch k {
	case Baseline:
		return "baseline"
	case Freerun:
		return "freerun"
	case PlainGo:
		return "plain Go"
	case Rival:
		return "rival"
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// Program is one program with all its variants. It is immutable once made. Any goroutine may read
// and run it, but measured runs should not overlap.
type Program struct {
	// Name is the name that a user types.
	Name string
	// Doc says in one line what the program does.
	Doc string
	// Source names the paper, section and figures, or says what the program isolates.
	Source string
	// Operation says, in the singular, what counts as one operation.
	Operation string
	// Params are the parameters; the first is called "size".
	Params []Param
	// Points are the combinations of parameters that are measured one after another, except those
	// that contradict what a user has set. nil means the default values alone.
	Points []map[string]int
	// Variants are the ways in which the program is written: the baseline first, then freerun's,
	// plain Go's, and rivals.
	Variants []Variant
	// Expected returns the checksum that every variant must have.
	Expected func(Values) string
}

// Variant is one way of writing a program.
type Variant struct {
	// Name is one of the names fixed for the whole project, such as "futures" or "channels".
	Name string
	// Kind is the way in which it is written.
	Kind Kind
	// Doc says in one line how it is written.
	Doc string
	// Fits reports whether the variant can run with these values; nil means always.
	Fits func(Values) bool
	// Simulable says that the variant can run on a [Machine]: all that it measures happens in
	// operations, and one goroutine waits for their end.
	Simulable bool
	// Forks says that the variant is Simulable but for its forks and joins, which only the second
	// model of package simulate has.
	Forks bool
	// Outside says that it is Simulable but for goroutines outside that send and wait, of
	// [Config.Go], which only the second model has.
	Outside bool
	// Run sets up, runs the measured part, tears down, and returns the measurements. It may wait.
	// It runs to completion and leaves no goroutine behind. It does not check its checksum: call
	// [Program.Run].
	Run func(Config) (Result, error)
}

// Config configures a run.
type Config struct {
	// Processors is the number of processors of a freerun runtime, at least 1. The caller sets
	// GOMAXPROCS, which plain Go goes by, because it affects the whole process.
	Processors int
	// Values are the values of the program's parameters, from [Program.Values].
	Values Values
	// Runtime makes the runtimes of freerun's variants with these options; nil means [freerun.New].
	// A caller that records a run, or drives it in another way, adds options here and sees the
	// runtime. Variants call [Config.NewRuntime].
	Runtime func(options ...freerun.Option) *freerun.Runtime
	// Machine simulates the machine of the run; nil means this machine. Only Simulable variants
	// take one.
	Machine Machine
}

// Result has the measurements of one run.
type Result struct {
	// Operations is the number of operations done.
	Operations uint64
	// Elapsed is the time of the measured part alone.
	Elapsed time.Duration
	// CPU is the CPU time of the whole process in the measured part, with its garbage collector; 0
	// if the system does not tell.
	CPU time.Duration
	// Allocs is the number of heap objects that the whole process allocated in the measured part.
	Allocs uint64
	// Checksum is the program's result in a form that can be compared.
	Checksum string
	// Figures are further measurements, such as the messages that each processor ran.
	Figures []Figure
}

// Figure is a further measurement of a run, reported under its own name.
type Figure struct {
	// Name is the field's name in JSON: lower case with underscores.
	Name string
	// Doc describes the figure in a few words, for tables.
	Doc string
	// Value is a number or a slice of numbers.
	Value any
	// Labels name the numbers of a slice of unlike numbers, in a word or two each; tables show them
	// instead of Doc. Otherwise it is nil.
	Labels []string
}

// NsPerOp returns the nanoseconds per operation, or 0 without operations.
func (r Result) NsPerOp() float64 {
	if r.Operations == 0 {
		return 0
	}
	return float64(r.Elapsed.Nanoseconds()) / float64(r.Operations)
}

// CPUNsPerOp returns the nanoseconds of CPU time per operation, or 0 without operations or if the
// system does not tell.
func (r Result) CPUNsPerOp() float64 {
	if r.Operations == 0 {
		return 0
	}
	return float64(r.CPU.Nanoseconds()) / float64(r.Operations)
}

// AllocsPerOp returns the heap objects allocated per operation, or 0 without operations.
func (r Result) AllocsPerOp() float64 {
	if r.Operations == 0 {
		return 0
	}
	return float64(r.Allocs) / float64(r.Operations)
}

// OpsPerSecond returns the operations per second, or 0 if the run took no measurable time.
func (r Result) OpsPerSecond() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(r.Operations) / r.Elapsed.Seconds()
}

// WrongResultError says that a variant ran to its end with a wrong result.
type WrongResultError struct {
	Program string // the program's name
	Variant string // the variant's name
	Got     string // the checksum of the run
	Want    string // the expected checksum
}

// Error implements error.
func (e *WrongResultError) Error() string {
	return fmt.Sprintf("%s/%s: wrong result: got %s, want %s", e.Program, e.Variant, e.Got, e.Want)
}

// Variant returns the variant of that name, and whether the program has one.
func (p *Program) Variant(name string) (Variant, bool) {
	for _, v := range p.Variants {
		if v.Name == name {
			return v, true
		}
	}
	return Variant{}, false
}

// Run runs a variant once and checks its result: a wrong one is a [*WrongResultError]. It waits
// until the run has ended.
func (p *Program) Run(v Variant, cfg Config) (Result, error) {
	r, err := v.Run(cfg)
	if err != nil {
		return r, fmt.Errorf("%s/%s: %w", p.Name, v.Name, err)
	}
	if want := p.Expected(cfg.Values); r.Checksum != want {
		return r, &WrongResultError{Program: p.Name, Variant: v.Name, Got: r.Checksum, Want: want}
	}
	return r, nil
}
