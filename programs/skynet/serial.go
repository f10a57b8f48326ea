package skynet

import (
	"strconv"

	"github.com/freerun-go/freerun/programs"
)

func runSerial(cfg programs.Config) (programs.Result, error) {
	size := cfg.Values.Get(programs.Size)
	meter := programs.StartMeter()
	sum := serial(span{leaves: int32(size)})
	r := meter.Stop(uint64(size))
	r.Checksum = strconv.FormatInt(sum, 10)
	return r, nil
}

func serial(s span) (sum int64) {
	if s.leaves == 1 {
		return int64(s.first)
	}
	for i := range s.children() {
		sum += serial(s.child(i))
	}
	return sum
}
