package main

import (
	"fmt"
	"path/filepath"
	"time"
)

// session is the processes of a variant, in one round.
type session struct {
	variant  variant
	each     time.Duration // how long a measurement takes
	profiles string        // a folder; empty for none

	processes map[string]*process
}

// row has the results of a variant in a round.
type row struct {
	Variant  string
	Round    int
	Measures map[string]measure // by how
	Answered int64              // calls
	Counted  int64              // by the units
}

// run starts the processes, measures, and ends them.
func (s *session) run() (r row, err error) {
	defer func() {
		for _, name := range []string{"caller", "units", "server"} {
			if p := s.processes[name]; p != nil {
				p.end()
			}
		}
	}()
	if err := s.start(); err != nil {
		return r, err
	}
	caller := s.processes["caller"]
	if _, err := caller.ask(request{Do: "warm"}); err != nil {
		return r, err
	}
	r = row{Variant: s.variant.name, Measures: map[string]measure{}, Answered: units}
	for _, how := range []string{"one", "goroutines", "futures"} {
		m, has, err := s.measure(how)
		if err != nil {
			return r, err
		}
		if has {
			r.Measures[how] = m
			r.Answered += m.Calls
		}
	}
	a, err := caller.ask(request{Do: "count"})
	if r.Counted = a.Count; err == nil && r.Counted != r.Answered {
		err = fmt.Errorf("%d calls were answered, and the units have counted %d", r.Answered, r.Counted)
	}
	return r, err
}

// start starts the processes, one after another.
func (s *session) start() error {
	s.processes = map[string]*process{}
	free, err := ports(2 * s.variant.ports)
	if err != nil {
		return err
	}
	p := place{Ports: free[:s.variant.ports], Others: free[s.variant.ports:]}
	if s.variant.server {
		a, err := s.begin(request{Do: "server"})
		if err != nil {
			return err
		}
		p.URL = a.URL
	}
	if s.variant.units != nil {
		if _, err := s.begin(request{Do: "units", Variant: s.variant.name, Place: p}); err != nil {
			return err
		}
	}
	p.Ports, p.Others = p.Others, p.Ports
	_, err = s.begin(request{Do: "caller", Variant: s.variant.name, Place: p})
	return err
}

// begin starts a process, which has its role as its name.
func (s *session) begin(q request) (a answer, err error) {
	p, err := start()
	if err != nil {
		return a, err
	}
	s.processes[q.Do] = p
	return p.ask(q)
}

// measure has calls be made.
func (s *session) measure(how string) (m measure, has bool, err error) {
	if err := s.profile(how, "profile"); err != nil {
		return m, false, err
	}
	before, err := s.usage()
	if err != nil {
		return m, false, err
	}
	a, err := s.processes["caller"].ask(request{Do: how, For: s.each})
	if err != nil {
		return m, false, err
	}
	m = a.Measure
	if m.Used, err = s.usage(); err != nil {
		return m, false, err
	}
	for name, u := range m.Used {
		m.Used[name] = u.minus(before[name])
	}
	return m, a.Has, s.profile(how, "profiled")
}

// profile begins or ends profiles, if they are asked for.
func (s *session) profile(how, do string) error {
	if s.profiles == "" {
		return nil
	}
	for name, p := range s.processes {
		if _, err := p.ask(request{Do: do, Path: filepath.Join(s.profiles, s.variant.name+"-"+how+"-"+name)}); err != nil {
			return err
		}
	}
	return nil
}

// usage returns what each process has used.
func (s *session) usage() (of map[string]used, err error) {
	of = map[string]used{}
	for name, p := range s.processes {
		a, err := p.ask(request{Do: "usage"})
		if err != nil {
			return nil, err
		}
		of[name] = a.Used
	}
	return of, nil
}
