package jet

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestMachines runs the protocol on goroutines over a server: machines come, are killed in the
// middle, and leave, and the server is started again, while others send.
func TestMachines(t *testing.T) {
	t.Parallel()
	server := serve(t, 1)
	url := server.url()
	var all told
	var loads []*load
	var processes []*process
	for _, name := range []string{"first", "last", "killed"} {
		p := newProcess(t, url, "p", name)
		processes = append(processes, p)
		loads = append(loads, startLoad(p, time.Millisecond, 200, all.hear))
	}
	time.Sleep(2*time.Second + time.Duration(rand.IntN(500))*time.Millisecond)
	processes[2].kill()
	loads[2].end()
	server.restart(0)
	third := newProcess(t, url, "p", "third")
	time.Sleep(2 * time.Second)
	third.leave()
	third.kill()
	for _, l := range loads[:2] {
		l.end()
	}
	report(t, all.check(t, processes[0].engine))
	for _, p := range processes[:2] {
		p.End()
		p.kill()
	}
}
