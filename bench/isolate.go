package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime"

	"github.com/freerun-go/freerun/programs"
)

// Runner carries out one measurement: it runs the variant of the program with cfg and returns the
// result. [Plan.Run] calls it with GOMAXPROCS set to cfg.Processors.
type Runner func(ctx context.Context, p *programs.Program, v programs.Variant, cfg programs.Config) (programs.Result, error)

// InProcess is the [Runner] that runs the variant in this process. The heap that one variant leaves
// behind burdens the next: Go keeps tens of thousands of dead goroutines for ever, and they make
// every later collection slower, of whatever variant.
func InProcess(_ context.Context, p *programs.Program, v programs.Variant, cfg programs.Config) (programs.Result, error) {
	return p.Run(v, cfg)
}

// Isolated returns a [Runner] that carries out each measurement in a process of its own, and waits
// for its end. The process runs the command with args, which must call [ServeMeasurement].
func Isolated(command string, args ...string) Runner {
	return func(_ context.Context, p *programs.Program, v programs.Variant, cfg programs.Config) (programs.Result, error) {
		m := measurement{p.Name, v.Name, cfg.Processors, cfg.Values}
		a, child, err := m.apart(command, args)
		if err != nil && interruptedAtBirth(child) {
			a, _, err = m.apart(command, args)
		}
		if err != nil {
			return programs.Result{}, err
		}
		return a.outcome()
	}
}

// apart carries out the measurement in a child process, and returns its answer and how it ended.
func (m measurement) apart(command string, args []string) (a answer, child *os.ProcessState, err error) {
	order, err := json.Marshal(m)
	if err != nil {
		return a, nil, err
	}
	// The child ends by itself; an interrupt waits for it.
	c := exec.Command(command, args...)
	setApart(c)
	// The pipe stays open until the child has ended: the child ends when it closes earlier.
	in, err := c.StdinPipe()
	if err != nil {
		return a, nil, err
	}
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Start(); err != nil {
		return a, nil, err
	}
	_, written := in.Write(append(order, '\n'))
	failed := c.Wait()
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		return a, c.ProcessState, fmt.Errorf("%s/%s: the process that measured it gave no answer: %w; %s",
			m.Program, m.Variant, errors.Join(written, failed), bytes.TrimSpace(errs.Bytes()))
	}
	return a, c.ProcessState, nil
}

// measurement is the order that the parent writes to the child.
type measurement struct {
	Program    string          `json:"program"`
	Variant    string          `json:"variant"`
	Processors int             `json:"processors"`
	Values     programs.Values `json:"values"`
}

// answer is the outcome that the child writes to the parent.
type answer struct {
	Result programs.Result            `json:"result"`
	Wrong  *programs.WrongResultError `json:"wrong,omitempty"`
	Error  string                     `json:"error,omitempty"`
}

func (a *answer) outcome() (programs.Result, error) {
	switch {
	case a.Wrong != nil:
		return a.Result, a.Wrong
	case a.Error != "":
		return a.Result, errors.New(a.Error)
	}
	for i := range a.Result.Figures {
		a.Result.Figures[i].Value = wholeNumbers(a.Result.Figures[i].Value)
	}
	return a.Result, nil
}

// wholeNumbers turns a number or a slice of numbers as JSON decodes them into uint64, the type that
// programs give figures.
func wholeNumbers(v any) any {
	switch v := v.(type) {
	case []any:
		whole := make([]uint64, len(v))
		for i, n := range v {
			f, _ := n.(float64)
			whole[i] = uint64(f)
		}
		return whole
	case float64:
		if v >= 0 && v == float64(uint64(v)) {
			return uint64(v)
		}
	}
	return v
}

// ServeMeasurement reads one measurement from in, carries it out in this process, and writes the
// outcome to out. It is the child's side of [Isolated]. It waits until the program has run twice:
// once at its reduced size to warm up, and once to be measured. It returns early, with an error,
// when in ends: then the parent has ended.
func ServeMeasurement(catalogue []*programs.Program, in io.Reader, out io.Writer) error {
	var m measurement
	orders := json.NewDecoder(in)
	if err := orders.Decode(&m); err != nil {
		return err
	}
	abandoned, done := make(chan error, 1), make(chan error, 1)
	// There is no second measurement: Decode returns when in ends.
	go func() { abandoned <- orders.Decode(new(measurement)) }()
	go func() { done <- m.serve(catalogue, out) }()
	select {
	case err := <-done:
		return err
	case err := <-abandoned:
		return fmt.Errorf("the command that asked for the measurement has ended: %w", err)
	}
}

func (m *measurement) serve(catalogue []*programs.Program, out io.Writer) error {
	var a answer
	r, err := m.run(catalogue)
	switch {
	case errors.As(err, &a.Wrong):
	case err != nil:
		a.Error = err.Error()
	}
	a.Result = r
	return json.NewEncoder(out).Encode(&a)
}

func (m *measurement) run(catalogue []*programs.Program) (programs.Result, error) {
	for _, p := range catalogue {
		if p.Name != m.Program {
			continue
		}
		v, ok := p.Variant(m.Variant)
		if !ok {
			break
		}
		runtime.GOMAXPROCS(m.Processors)
		quick, err := p.Values(true, nil)
		if err != nil {
			return programs.Result{}, err
		}
		// All values but the size: a queue for one producer must not be warmed up by four.
		warm := maps.Clone(m.Values)
		warm[programs.Size] = min(quick[programs.Size], m.Values[programs.Size])
		if _, err := p.Run(v, programs.Config{Processors: m.Processors, Values: warm}); err != nil {
			return programs.Result{}, err
		}
		return p.Run(v, programs.Config{Processors: m.Processors, Values: m.Values})
	}
	return programs.Result{}, fmt.Errorf("there is no %s/%s", m.Program, m.Variant)
}
