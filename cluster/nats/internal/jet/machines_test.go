package jet

import (
	"testing"
	"time"
)

// TestMachines has nodes on goroutines over a server: one is killed in the middle, two come and one
// of them leaves, and the server is started again, while the others send.
func TestMachines(t *testing.T) {
	t.Parallel()
	server := serve(t, 1)
	url := server.url()
	var all told
	var loads []*load
	var processes []*process
	begin := func(name string) *process {
		p := newProcess(t, url, "p", name)
		processes = append(processes, p)
		loads = append(loads, startLoad(p, time.Millisecond, 200, all.hear))
		return p
	}
	begin("first")
	begin("last")
	killed := begin("killed")
	time.Sleep(2500 * time.Millisecond)
	killed.kill()
	loads[2].end()
	server.restart(0)
	third := begin("third")
	time.Sleep(2 * time.Second)
	loads[3].end()
	third.leave()
	time.Sleep(time.Second)
	for _, l := range loads[:2] {
		l.end()
	}
	e := open(t, connect(t, url), Options{Program: "p"})
	defer e.Close()
	report(t, all.check(t, e))
	for _, p := range processes[:2] {
		p.leave()
	}
}
