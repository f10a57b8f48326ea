package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"time"
)

// child is the variable of the environment of processes that another one has started.
const child = "FREERUN_MACHINES_CHILD"

// request is a task of a process: a line of JSON of its input.
type request struct {
	Do      string
	Variant string        `json:",omitempty"`
	Place   place         `json:",omitzero"`
	For     time.Duration `json:",omitempty"`
	Most    time.Duration `json:",omitempty"`
	Path    string        `json:",omitempty"`
	Name    string        `json:",omitempty"`
}

// answer is the process's answer to a request: a line of JSON.
type answer struct {
	Error   string  `json:",omitempty"`
	URL     string  `json:",omitempty"`
	Has     bool    `json:",omitempty"` // there is what was asked for
	Count   int64   `json:",omitempty"`
	Used    used    `json:",omitzero"`
	Measure measure `json:",omitzero"`
	Name    string  `json:",omitempty"`
	Found   found   `json:",omitzero"`
}

// process is a process that this one has started. It ends with its input.
type process struct {
	cmd   *exec.Cmd
	input io.WriteCloser
	from  *os.File
	read  *json.Decoder
	write *json.Encoder
}

// start starts a process. What it prints goes to the errors of this one.
func start() (*process, error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer to.Close()
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path)
	cmd.Env = append(os.Environ(), child+"=1")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.ExtraFiles = []*os.File{to}
	input, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(err, from.Close())
	}
	return &process{cmd, input, from, json.NewDecoder(from), json.NewEncoder(input)}, nil
}

// ask has the process do something. One goroutine at a time may.
func (p *process) ask(r request) (a answer, err error) {
	if err := p.write.Encode(r); err != nil {
		return a, fmt.Errorf("%s: %w", r.Do, err)
	}
	if err := p.read.Decode(&a); err != nil {
		return a, fmt.Errorf("%s: the process has ended: %w", r.Do, err)
	}
	if a.Error != "" {
		return a, fmt.Errorf("%s: %s", r.Do, a.Error)
	}
	return a, nil
}

// end has the process end by itself; after some seconds it is killed.
func (p *process) end() {
	_ = p.input.Close()
	late := time.AfterFunc(2*mostEnd, func() { _ = p.cmd.Process.Kill() })
	_ = p.cmd.Wait() // how it ends does not matter
	late.Stop()
	_ = p.from.Close()
}

// ports returns ports at which nothing listens.
func ports(n int) (free []int, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		free = append(free, l.Addr().(*net.TCPAddr).Port)
	}
	return free, nil
}
