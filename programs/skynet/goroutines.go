package skynet

import (
	"strconv"

	"github.com/freerun-go/freerun/programs"
)

func runGoroutines(cfg programs.Config) (programs.Result, error) {
	size := cfg.Values.Get(programs.Size)
	meter := programs.StartMeter()
	answer := make(chan int64)
	go skynet(answer, span{leaves: int32(size)})
	sum := <-answer
	r := meter.Stop(uint64(size))
	r.Checksum = strconv.FormatInt(sum, 10)
	return r, nil
}

// skynet answers with the sum of the leaves' ordinals. As in the original, the children of a node
// share an unbuffered channel.
func skynet(answer chan<- int64, s span) {
	if s.leaves == 1 {
		answer <- int64(s.first)
		return
	}
	children := make(chan int64)
	for i := range s.children() {
		go skynet(children, s.child(i))
	}
	var sum int64
	for range s.children() {
		sum += <-children
	}
	answer <- sum
}
