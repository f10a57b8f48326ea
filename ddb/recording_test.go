package ddb

import (
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
)

// BenchmarkRecording has clients set keys in servers with and without a recorder, in turns, so that
// the ratios mean something on a busy machine, too. It reports the median time of a command without
// a recorder, and the growth with each recorder.
func BenchmarkRecording(b *testing.B) {
	for _, pipelined := range []int{1, 16} {
		b.Run("pipelined="+strconv.Itoa(pipelined), func(b *testing.B) {
			plain, _ := serve(b, Config{})
			flight, _ := serve(b, Config{Runtime: []freerun.Option{freerun.FlightRecorder(1 << 20)}})
			streamed, _ := serve(b, Config{})
			stop, err := streamed.Runtime().StartTrace(io.Discard)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() {
				if err := stop(); err != nil {
					b.Error(err)
				}
			})
			servers := []*Server{plain, flight, streamed}
			crowds := make([][]*client, len(servers))
			for i, s := range servers {
				for range 8 {
					c := dial(b, s.listener.Addr().String())
					if err := c.conn.SetDeadline(time.Time{}); err != nil {
						b.Fatal(err)
					}
					crowds[i] = append(crowds[i], c)
				}
			}
			times := make([][]float64, len(servers))
			for b.Loop() {
				for i, crowd := range crowds {
					times[i] = append(times[i], nsSetting(b, crowd, pipelined))
				}
			}
			for _, all := range times {
				slices.Sort(all)
			}
			off := times[0][len(times[0])/2]
			b.ReportMetric(off, "ns/command")
			b.ReportMetric(100*(times[1][len(times[1])/2]/off-1), "flight-%")
			b.ReportMetric(100*(times[2][len(times[2])/2]/off-1), "streamed-%")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// nsSetting returns the time of a command when all clients send this many at a time.
func nsSetting(b *testing.B, crowd []*client, pipelined int) float64 {
	const each = 8192
	runtime.GC()
	var all sync.WaitGroup
	begin := time.Now()
	for id, c := range crowd {
		all.Go(func() {
			burst := strings.Repeat(request("SET", "key:"+strconv.Itoa(id), "value"), pipelined)
			replies := make([]byte, pipelined*len("+OK\r\n"))
			for range each / pipelined {
				_, err := io.WriteString(c.conn, burst)
				if err == nil {
					_, err = io.ReadFull(c.in, replies)
				}
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	return float64(time.Since(begin)/time.Nanosecond) / float64(each*len(crowd))
}
