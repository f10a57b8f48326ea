package freerun_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// reportServed does one request after another. It reports how long they take, in milliseconds, and
// how many operations of units run beside them in a second.
func reportServed(b *testing.B, ran func() int64, request func() error) {
	b.Helper()
	var took []float64
	b.ResetTimer()
	before, begin := ran(), time.Now()
	for b.Loop() {
		sent := time.Now()
		if err := request(); err != nil {
			b.Fatal(err)
		}
		took = append(took, float64(time.Since(sent))/float64(time.Millisecond))
	}
	seconds := time.Since(begin).Seconds()
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2], "p50-ms")
	b.ReportMetric(took[len(took)*99/100], "p99-ms")
	b.ReportMetric(float64(ran()-before)/seconds/1e3, "kops/s")
}

func none() int64 { return 0 }

// BenchmarkEcho has a byte go over TCP on the loopback and come back, from one ordinary goroutine
// to another, and reports how long that takes: alone, and beside units that keep all processors
// busy. The last row is of the units alone.
//
//	go test -run '^$' -bench 'Echo|HTTP' -benchtime 3s .
func BenchmarkEcho(b *testing.B) {
	for _, procs := range []int{1, 2} {
		for _, how := range []string{"alone", "beside", "units"} {
			b.Run(fmt.Sprintf("procs=%d/%s", procs, how), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				rt := freerun.New()
				defer rt.Close()
				ran, stop := none, func() {}
				if how != "alone" {
					ran, stop = runtimetest.KeepBusy(rt, freerun.Normal)
				}
				defer stop()
				if how == "units" {
					reportServed(b, ran, func() error { time.Sleep(time.Millisecond); return nil })
					return
				}
				conn := runtimetest.EchoServer(b)
				buffer := make([]byte, 1)
				reportServed(b, ran, func() error {
					if _, err := conn.Write(buffer); err != nil {
						return err
					}
					_, err := conn.Read(buffer)
					return err
				})
			})
		}
	}
}

// BenchmarkHTTP has one client do requests to net/http, whose handler asks a unit, alone and beside
// units of priority Idle that keep all processors busy.
func BenchmarkHTTP(b *testing.B) {
	for _, procs := range []int{1, 2} {
		for _, how := range []string{"alone", "beside"} {
			b.Run(fmt.Sprintf("procs=%d/%s", procs, how), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				rt := freerun.New()
				defer rt.Close()
				ran, stop := none, func() {}
				if how == "beside" {
					ran, stop = runtimetest.KeepBusy(rt, freerun.Idle)
				}
				defer stop()
				u := freerun.NewUnit(rt, 0)
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					n, err := runtimetest.AddOne.Send(rt.Context(), u, 1).Wait(r.Context())
					if err != nil {
						http.Error(w, err.Error(), http.StatusServiceUnavailable)
						return
					}
					fmt.Fprintln(w, n)
				}))
				defer server.Close()
				client := server.Client()
				reportServed(b, ran, func() error {
					r, err := client.Get(server.URL)
					if err != nil {
						return err
					}
					_, err = io.Copy(io.Discard, r.Body)
					r.Body.Close()
					return err
				})
			})
		}
	}
}
