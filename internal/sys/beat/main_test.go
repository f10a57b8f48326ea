package beat_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/internal/sys/beat"
)

// TestMain fails if the tests leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(quiet{m}) }

// quiet has the beats end before goroutines are looked for.
type quiet struct{ *testing.M }

func (q quiet) Run() int {
	code := q.M.Run()
	for beat.Left() > 0 {
		beat.Hurry()
		time.Sleep(time.Millisecond)
	}
	return code
}
