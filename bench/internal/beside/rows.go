//go:build linux

package main

import (
	"encoding/csv"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// row is a load, and the name by which the command line chooses it.
type row struct {
	name     string
	test     string // of redis-benchmark
	clients  int
	pipeline int
	size     int // bytes of a value
	keys     int // 0 for as many as -keys says
	requests int
	memory   bool // keys are loaded and nothing else is sent
	open     bool // requests come at 60% of what Redis can answer
}

// Long values have fewer keys, as a million of 64 KiB are 64 GiB.
var rows = []row{
	{name: "get", test: "get", clients: 50, pipeline: 16, size: 3, requests: 1_200_000},
	{name: "set", test: "set", clients: 50, pipeline: 16, size: 3, requests: 1_200_000},
	{name: "mset", test: "mset", clients: 50, pipeline: 16, size: 3, requests: 160_000},
	{name: "get-1", test: "get", clients: 50, pipeline: 1, size: 3, requests: 120_000},
	{name: "set-1", test: "set", clients: 50, pipeline: 1, size: 3, requests: 120_000},
	{name: "get-500", test: "get", clients: 500, pipeline: 1, size: 3, requests: 120_000},
	{name: "set-500", test: "set", clients: 500, pipeline: 1, size: 3, requests: 120_000},
	{name: "get-64k", test: "get", clients: 50, pipeline: 1, size: 64 << 10, keys: 1000, requests: 40_000},
	{name: "set-64k", test: "set", clients: 50, pipeline: 1, size: 64 << 10, keys: 1000, requests: 40_000},
	{name: "p99", clients: 50, pipeline: 1, size: 3, requests: 100_000, open: true},
	{name: "memory-3", size: 3, memory: true},
	{name: "memory-64", size: 64, memory: true},
	{name: "memory-1024", size: 1024, memory: true},
	{name: "memory-1025", size: 1025, memory: true},
}

func rowNames() (names []string) {
	for i := range rows {
		names = append(names, rows[i].name)
	}
	return names
}

func (r *row) keysOf(standard int) int {
	if r.keys > 0 {
		return r.keys
	}
	return standard
}

// sample has the figures of one run by their names.
type sample map[string]float64

// once runs the load once. rate is what the first server of a round could answer: the others of a
// row below saturation are asked for 60% of the same.
func (r *row) once(o *options, s *server, rate *float64) (sample, error) {
	requests := int(float64(r.requests) * o.scale)
	if r.open {
		if *rate == 0 {
			saturated, err := benchmark(s, "get", r.clients, 1, r.size, r.keysOf(o.keys), requests)
			if err != nil {
				return nil, err
			}
			*rate = 0.6 * saturated["a second"]
		}
		return measured(s, requests, func() (sample, error) {
			return offer(s.addr, r.clients, *rate, requests, r.keysOf(o.keys))
		})
	}
	return measured(s, requests, func() (sample, error) {
		return benchmark(s, r.test, r.clients, r.pipeline, r.size, r.keysOf(o.keys), requests)
	})
}

// measured adds the server's processor time to the figures of a run.
func measured(s *server, requests int, run func() (sample, error)) (sample, error) {
	before, err := s.processorTime()
	if err != nil {
		return nil, err
	}
	result, err := run()
	if err != nil {
		return nil, err
	}
	after, err := s.processorTime()
	if err != nil {
		return nil, err
	}
	result["CPU µs a request"] = float64((after - before).Microseconds()) / float64(requests)
	return result, nil
}

// benchmark runs redis-benchmark.
func benchmark(s *server, test string, clients, pipeline, size, keys, requests int) (sample, error) {
	client := exec.Command("redis-benchmark", "-p", s.port, "-t", test, "-c", strconv.Itoa(clients),
		"-P", strconv.Itoa(pipeline), "-d", strconv.Itoa(size), "-r", strconv.Itoa(keys),
		"-n", strconv.Itoa(requests), "--csv")
	out, err := client.Output()
	if err != nil {
		return nil, fmt.Errorf("redis-benchmark: %w", err)
	}
	result, err := readCSV(string(out))
	if err == nil {
		used := client.ProcessState.UserTime() + client.ProcessState.SystemTime()
		result["client's CPU µs"] = float64(used.Nanoseconds()) / 1e3 / float64(requests)
	}
	return result, err
}

// readCSV reads what redis-benchmark prints: a line of names, and a line of figures.
func readCSV(text string) (sample, error) {
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) != 2 {
		return nil, fmt.Errorf("redis-benchmark printed %d lines, not 2: %.200q", len(lines), text)
	}
	result := sample{}
	for column, as := range map[string]string{"rps": "a second", "p99_latency_ms": "p99 ms"} {
		for i, name := range lines[0] {
			if name == column {
				if result[as], err = strconv.ParseFloat(lines[1][i], 64); err != nil {
					return nil, err
				}
			}
		}
		if result[as] == 0 {
			return nil, fmt.Errorf("redis-benchmark printed no %s: %.200q", column, text)
		}
	}
	return result, nil
}
