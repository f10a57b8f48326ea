package programs

import (
	"fmt"
	"time"

	"github.com/freerun-go/freerun"
)

// Kind tells whose way of writing a variant is.
type Kind int

const (
	// Baseline is the program without any concurrency. It shows what the work itself costs and is nobody's rival.
	Baseline Kind = iota
	// Freerun is the program written with freerun.
	Freerun
	// PlainGo is the program written with goroutines, channels and locks only.
	PlainGo
	// Rival is the program written with a library that a user might pick instead.
	Rival
)

// Compared reports whether a variant of this kind is what freerun's are measured against.
func (k Kind) Compared() bool { return k == PlainGo || k == Rival }

// String returns the word that tables use for the kind.
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

// Program is one program in all its variants. It is immutable once made; any goroutine may read and run it, though runs
// that are to be measured should not overlap.
type Program struct {
	// Name is what a user types.
	Name string
	// Doc says in one line what the program does.
	Doc string
	// Source names the paper, section and figures, or says what the program isolates.
	Source string
	// Operation says what is counted as one operation, in the singular.
	Operation string
	// Params are the parameters; the first is called "size".
	Params []Param
	// Points are the combinations of parameters that are measured one after another, those of them that agree with what a
	// user has set; nil for the default values alone.
	Points []map[string]int
	// Variants are the ways in which the program is written, the baseline first, then freerun's, then plain Go's, then rivals.
	Variants []Variant
	// Expected returns the checksum that every variant must arrive at.
	Expected func(Values) string
}

// Variant is one way of writing a program.
type Variant struct {
	// Name is one of the names fixed for the whole project, such as "futures" or "channels".
	Name string
	// Kind says whose way it is.
	Kind Kind
	// Doc says in one line how it is written.
	Doc string
	// Fits reports whether the variant can run with these values; nil means that it always can.
	Fits func(Values) bool
	// Simulable says that the variant can be run on a [Machine]: what it measures happens in operations, and one goroutine waits for that.
	Simulable bool
	// Run sets up, runs the measured part, tears down, and returns what it measured. It may wait, runs to completion,
	// and leaves no goroutine behind. Its checksum is not checked yet: call [Program.Run].
	Run func(Config) (Result, error)
}

// Config is what a run is told.
type Config struct {
	// Processors is how many processors a freerun runtime is given; at least 1. Setting GOMAXPROCS, which is what
	// plain Go goes by, is the caller's part, since it concerns the whole process.
	Processors int
	// Values are the values of the program's parameters, as made by [Program.Values].
	Values Values
	// Runtime makes the runtimes that freerun's variants measure with, given their options; nil stands for [freerun.New]. Whoever traces a run, or
	// drives it in another way, adds options here and sees what was made. Variants call [Config.NewRuntime].
	Runtime func(options ...freerun.Option) *freerun.Runtime
	// Machine is what the run is measured on, nil for this one. Only variants that are Simulable may be given one.
	Machine Machine
}

// Result is what one run measured.
type Result struct {
	// Operations is how many operations were done.
	Operations uint64
	// Elapsed is the time of the measured part alone.
	Elapsed time.Duration
	// CPU is the CPU time of the measured part, of the whole process, its garbage collector included; 0 if the system does not tell.
	CPU time.Duration
	// Allocs is how many heap objects were allocated in the measured part, by the whole process.
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
	// Doc says in a few words what the figure is, for tables.
	Doc string
	// Value is a number or a slice of numbers.
	Value any
	// Labels name the numbers of a slice if they are not alike, in a word or two each; tables then show them instead
	// of Doc. Otherwise it is nil.
	Labels []string
}

// NsPerOp returns the nanoseconds that one operation took, or 0 if there were none.
func (r Result) NsPerOp() float64 {
	if r.Operations == 0 {
		return 0
	}
	return float64(r.Elapsed.Nanoseconds()) / float64(r.Operations)
}

// CPUNsPerOp returns the nanoseconds of CPU time that one operation took, or 0 if there were none or the system does not tell.
func (r Result) CPUNsPerOp() float64 {
	if r.Operations == 0 {
		return 0
	}
	return float64(r.CPU.Nanoseconds()) / float64(r.Operations)
}

// AllocsPerOp returns the heap objects allocated per operation, or 0 if there were no operations.
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

// WrongResultError says that a variant ran to its end and arrived at something else than what was due.
type WrongResultError struct {
	Program string // the program's name
	Variant string // the variant's name
	Got     string // what it arrived at
	Want    string // what was due
}

// Error implements error.
func (e *WrongResultError) Error() string {
	return fmt.Sprintf("%s/%s: wrong result: got %s, want %s", e.Program, e.Variant, e.Got, e.Want)
}

// Variant returns the variant of that name and whether the program has one.
func (p *Program) Variant(name string) (Variant, bool) {
	for _, v := range p.Variants {
		if v.Name == name {
			return v, true
		}
	}
	return Variant{}, false
}

// Run runs a variant of the program once and checks its result: a wrong one is a [*WrongResultError]. It waits for the
// run to end.
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
