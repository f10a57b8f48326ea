package ddb

import (
	"io"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/programs"
)

// BenchmarkRecording runs the variants on units with and without a recorder, in turns within an
// iteration, so that the ratios mean something on a busy machine, too. It reports the median time
// of a request without a recorder, and the growth with each recorder.
func BenchmarkRecording(b *testing.B) {
	for _, v := range Program.Variants {
		if v.Kind != programs.Freerun {
			continue
		}
		b.Run(v.Name, func(b *testing.B) {
			times := make([][]float64, len(recorders))
			b.ResetTimer()
			for b.Loop() {
				for i, r := range recorders {
					times[i] = append(times[i], nsRecorded(b, v, r.runtime))
				}
			}
			for i, r := range recorders {
				slices.Sort(times[i])
				median := times[i][len(times[i])/2]
				if i == 0 {
					b.ReportMetric(median, "ns/request")
					continue
				}
				b.ReportMetric(100*(median/times[0][len(times[0])/2]-1), r.name+"-%")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

var recorders = []struct {
	name    string
	runtime func(options []freerun.Option) (rt *freerun.Runtime, stop func() error)
}{
	{"off", func(options []freerun.Option) (*freerun.Runtime, func() error) { return freerun.New(options...), nil }},
	{"flight", func(options []freerun.Option) (*freerun.Runtime, func() error) {
		return freerun.New(append(options, freerun.FlightRecorder(1<<20))...), nil
	}},
	{"streamed", func(options []freerun.Option) (*freerun.Runtime, func() error) {
		rt := freerun.New(options...)
		stop, err := rt.StartTrace(io.Discard)
		if err != nil {
			panic(err)
		}
		return rt, stop
	}},
}

// nsRecorded returns the time of a request on a runtime made in this way.
func nsRecorded(b *testing.B, v programs.Variant, create func([]freerun.Option) (*freerun.Runtime, func() error)) float64 {
	values, err := Program.Values(true, nil)
	if err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	var stop func() error
	result, err := v.Run(programs.Config{
		Processors: runtime.GOMAXPROCS(0), Values: values,
		Runtime: func(options ...freerun.Option) (rt *freerun.Runtime) {
			rt, stop = create(options)
			return rt
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	if stop != nil {
		if err := stop(); err != nil {
			b.Fatal(err)
		}
	}
	return float64(result.Elapsed) / float64(time.Nanosecond) / float64(result.Operations)
}
