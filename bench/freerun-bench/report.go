package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/bench/commandline"
	"github.com/freerun-go/freerun/bench/commandline/companion"
	"github.com/freerun-go/freerun/programs"
)

// drawCommand links the libraries that plot. They, with their fonts, would make the heap of every
// measuring process twice as large before its program begins.
var drawCommand = companion.Command{Name: "freerun-draw", Folder: "bench/freerun-draw", Does: "the report and its figures"}

// drawing says where the figures of a bench are drawn. Its zero value draws nothing.
type drawing struct {
	page    *output
	svg     string // the folder of SVGs, or "" for none
	note    string // a remark for the page about the run
	command string // the file of freerun-draw
}

// openDrawing checks that a page and a folder of SVGs can be written, and that there is
// freerun-draw, before minutes are spent on measuring. An empty name requests none.
func openDrawing(page, svg, note string) (drawing, error) {
	d := drawing{svg: svg, note: note}
	if svg != "" {
		if err := writable(svg); err != nil {
			return d, commandline.Usagef("--svg: %v", err)
		}
	}
	if page != "" {
		out, err := openOutput(page)
		if err != nil {
			return d, commandline.Usagef("--report: %v", err)
		}
		d.page = out
	}
	if page == "" && svg == "" {
		return d, nil
	}
	var err error
	if d.command, err = drawCommand.Find(); err != nil {
		return d, errors.Join(err, d.abandon())
	}
	return d, nil
}

// writable makes the folder, and makes and removes a file in it.
func writable(folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	probe, err := os.CreateTemp(folder, ".freerun-*")
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// draw draws the rows, and tells where. partial says why rows are missing, or is "". If there are
// no rows, draw leaves all files as they were.
func (d drawing) draw(errs io.Writer, rows []bench.Row, partial string) error {
	if len(rows) == 0 {
		return d.abandon()
	}
	if d.page != nil {
		if err := d.page.write(func(w io.Writer) error {
			return d.run(w, rows, "--note", d.note, "--partial", partial)
		}); err != nil {
			return fmt.Errorf("--report: %w", err)
		}
		fmt.Fprintf(errs, "freerun: the report is %s\n", d.page.name)
	}
	if d.svg != "" {
		var names bytes.Buffer
		if err := d.run(&names, rows, "--svg", d.svg); err != nil {
			return fmt.Errorf("--svg: %w", err)
		}
		fmt.Fprintf(errs, "freerun: %d figures are in %s\n", bytes.Count(names.Bytes(), []byte("\n")), d.svg)
	}
	return nil
}

// run runs freerun-draw on the rows. The error is the line that freerun-draw writes.
func (d drawing) run(out io.Writer, rows []bench.Row, args ...string) error {
	var lines, errs bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, r := range rows {
		if err := encoder.Encode(r); err != nil {
			return err
		}
	}
	c := exec.Command(d.command, args...)
	c.Stdin, c.Stdout, c.Stderr = &lines, out, &errs
	err := c.Run()
	if said := strings.TrimPrefix(strings.TrimSpace(errs.String()), "freerun: "); err != nil && said != "" {
		return errors.New(said)
	}
	return err
}

// abandon gives up the page that has not been written.
func (d drawing) abandon() error {
	if d.page == nil {
		return nil
	}
	return d.page.abandon()
}

// output is a file that is written at the end of a long run, and that is known to be writable from
// the beginning. Its old content stays until then.
type output struct {
	name string
	file *os.File
	made bool // whether openOutput made the file
}

func openOutput(name string) (*output, error) {
	_, err := os.Stat(name)
	made := errors.Is(err, fs.ErrNotExist)
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	return &output{name, file, made}, nil
}

// write replaces the content of the file and closes it. If content fails before its first write,
// the file stays as it was.
func (o *output) write(content func(io.Writer) error) error {
	first := &firstWrite{o: o}
	if err := content(first); err != nil {
		if !first.begun {
			return errors.Join(err, o.abandon())
		}
		return errors.Join(err, o.file.Close())
	}
	return o.file.Close()
}

// firstWrite empties the file before the first write to it.
type firstWrite struct {
	o     *output
	begun bool
}

func (f *firstWrite) Write(p []byte) (int, error) {
	if !f.begun {
		f.begun = true
		if info, err := f.o.file.Stat(); err == nil && info.Mode().IsRegular() {
			if err := f.o.file.Truncate(0); err != nil {
				return 0, err
			}
		}
	}
	return f.o.file.Write(p)
}

// abandon closes the file, and removes it if openOutput made it.
func (o *output) abandon() error {
	err := o.file.Close()
	if o.made {
		err = errors.Join(err, os.Remove(o.name))
	}
	return err
}

// drawSaved draws the rows of files that an earlier bench or a simulation has written; "-" stands
// for standard input. Of a file with a fault it draws the rows before the fault, and returns the
// error.
func drawSaved(c *cobra.Command, catalogue []*programs.Program, names []string, d drawing) error {
	var all []bench.Row
	var failed error
	for _, name := range names {
		rows, err := readRows(c.InOrStdin(), catalogue, name)
		all = append(all, rows...)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("--from %s: %w", name, err))
		}
	}
	partial := ""
	if failed != nil {
		partial = "The saved rows could not be read to the end: " + failed.Error() + "."
	}
	return errors.Join(failed, d.draw(c.ErrOrStderr(), all, partial))
}

func readRows(in io.Reader, catalogue []*programs.Program, name string) ([]bench.Row, error) {
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	return bench.ReadRows(in, catalogue)
}

// forSaved refuses arguments and flags that have no meaning for rows that exist already.
func forSaved(c *cobra.Command, names []string, f benchFlags) error {
	if len(names) > 0 {
		return commandline.Usagef("--from draws what has been measured: %s cannot be measured beside it; leave out one of the two", names[0])
	}
	for _, flag := range []string{"processors", "variants", "rivals", "set", "runs", "quick", "json", "details", "in-process", "cpuprofile", "memprofile"} {
		if c.Flags().Changed(flag) {
			return commandline.Usagef("--from draws what has been measured: --%s has no meaning beside it", flag)
		}
	}
	for name := range f.params {
		if c.Flags().Changed(name) {
			return commandline.Usagef("--from draws what has been measured: --%s has no meaning beside it", name)
		}
	}
	if f.report == "" && f.svg == "" {
		return commandline.Usagef("--from needs --report FILE or --svg FOLDER: where to draw what it reads")
	}
	return nil
}
