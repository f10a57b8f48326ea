package jet

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Sketch:     each server has its folder on a disk of its own, which a process serves that knows
//             what is synced (package powercut). The power of a server fails: the process ends in
//             the middle, and of what was not synced the disk keeps nothing, or some. Then the
//             server starts again
//             what the senders were told is held against what is stored, as in the chaos
//             servers that sync every two minutes lose what they have acknowledged: the control

// power is how servers have theirs.
type power struct {
	t      testing.TB
	always bool             // they sync each write
	lasts  time.Duration    // a sync
	disks  map[string]*disk // by server
}

// disk is a process that serves one.
type disk struct {
	t   testing.TB
	at  string
	in  io.Writer
	out *bufio.Scanner
}

// diskProgram builds what serves a disk, which is of another module: users of this one need no
// FUSE library. It skips the test without the module.
func diskProgram(t testing.TB) string {
	t.Helper()
	if work, err := exec.Command("go", "env", "GOWORK").Output(); err != nil || strings.TrimSpace(string(work)) == "" {
		t.Skipf("no loss of power is tested: it needs the go command, and the project's go.work: %v", err)
	}
	program := filepath.Join(t.TempDir(), "powerdisk")
	out, err := exec.Command("go", "build", "-o", program, "github.com/freerun-go/freerun/cluster/internal/powercut/powerdisk").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// startDisk serves a disk until the test ends. A sync lasts for a while. It skips the test without
// FUSE.
func startDisk(t testing.TB, program string, lasts time.Duration) *disk {
	t.Helper()
	d := &disk{t: t, at: t.TempDir()}
	cmd := exec.Command(program, "-journaled", "-lasts", lasts.String(), d.at)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	d.in, d.out = in, bufio.NewScanner(out)
	skipped := false
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil && !skipped {
			t.Errorf("the disk: %v: %s", err, said.String())
		}
	})
	if !d.out.Scan() {
		_ = cmd.Wait()
		if skipped = cmd.ProcessState.ExitCode() == 3; skipped {
			t.Skipf("no loss of power is tested: %s", said.String())
		}
		t.Fatal("the disk is not there")
	}
	return d
}

// ask gives the disk a command, and returns what it says.
func (d *disk) ask(format string, args ...any) string {
	d.t.Helper()
	if _, err := fmt.Fprintf(d.in, format+"\n", args...); err != nil {
		d.t.Fatal(err)
	}
	if !d.out.Scan() {
		d.t.Fatal("the disk has ended")
	}
	return d.out.Text()
}

// syncs returns how many there have been.
func (d *disk) syncs() int {
	d.t.Helper()
	n, err := strconv.Atoi(d.ask("syncs"))
	if err != nil {
		d.t.Fatal(err)
	}
	return n
}

// supply has a server use a disk.
func (w *power) supply(p *place) {
	p.SyncAlways = w.always
	if w.disks == nil {
		w.disks = map[string]*disk{}
		program := diskProgram(w.t)
		for i := range 3 {
			w.disks[fmt.Sprint("s", i)] = startDisk(w.t, program, w.lasts)
		}
	}
	p.Dir = filepath.Join(w.disks[p.Name].at, "store")
}

// syncFiles syncs all files that there are: a server never syncs those that say what its streams
// are, unless it syncs each write.
func (w *power) syncFiles() {
	for _, d := range w.disks {
		err := filepath.WalkDir(d.at, func(path string, entry os.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return nil // it has gone meanwhile
			}
			f, err := os.Open(path)
			if err != nil {
				return nil
			}
			return errors.Join(f.Sync(), f.Close())
		})
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// losePower has the power of servers fail, all at once.
func (c *chaos) losePower(all ...int) {
	share := 0.0
	if rand.IntN(2) == 0 {
		share = rand.Float64()
	}
	c.losePowerBut(share, all...)
}

// losePowerBut is losePower; a share of what was not synced survives.
func (c *chaos) losePowerBut(share float64, all ...int) {
	for _, i := range all {
		c.running[c.servers.places[i].Name].signal(syscall.SIGKILL)
	}
	for _, i := range all {
		c.servers.stop(i)
	}
	for _, i := range all {
		c.power.disks[c.servers.places[i].Name].ask("lose %g", share)
	}
	passes(500)
	for _, i := range all {
		c.servers.start(i)
	}
}

// settles waits until all servers have what one has, for half a minute at most.
func (c *chaos) settles() {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if !slices.ContainsFunc(c.streams(), func(stream string) bool { return !c.isSettled(stream) }) {
			return
		}
	}
}

// streams returns the names of all streams.
func (c *chaos) streams() []string { return names{"chaos", max(c.pairs, 1)}.streams() }

// isSettled reports whether all servers of a stream have what its leader has.
func (c *chaos) isSettled(stream string) bool {
	leader, behind := c.state(stream)
	return leader != "" && behind == 0
}

// state returns which server leads a stream, empty for none, and how many are behind it.
func (c *chaos) state(stream string) (leader string, behind int) {
	var info struct {
		Cluster struct {
			Leader   string `json:"leader"`
			Replicas []struct {
				Current bool `json:"current"`
			} `json:"replicas"`
		} `json:"cluster"`
	}
	m, err := c.nc.Request("$JS.API.STREAM.INFO."+stream, nil, mostCall)
	if err != nil || json.Unmarshal(m.Data, &info) != nil {
		return "", 0
	}
	for _, r := range info.Cluster.Replicas {
		if !r.Current {
			behind++
		}
	}
	return info.Cluster.Leader, behind
}

// loss is a way in which servers lose power.
type loss struct {
	servers int
	all     bool // at once
	always  bool // they sync each write
}

func (l loss) String() string {
	who, sync := "one", "two minutes"
	if l.all {
		who = "all"
	}
	if l.always {
		sync = "always"
	}
	return fmt.Sprintf("R%d, %s, sync %s", l.servers, who, sync)
}

// strike has the power fail for a while.
func (l loss) strike(t *testing.T, d time.Duration) (c *chaos, late []string) {
	c = (&chaos{t: t, pairs: 1, power: &power{t: t, always: l.always}}).start(l.servers)
	cuts := 0
	late = c.run(func(c *chaos) {
		cuts++
		if l.all {
			var all []int
			for i := range l.servers {
				all = append(all, i)
			}
			c.losePower(all...)
		} else {
			c.losePower([]int{c.leader(), rand.IntN(l.servers)}[cuts%2])
		}
		if !l.all || cuts%3 != 0 { // else the next one comes before three servers have a leader
			c.settles()
		}
		time.Sleep(time.Second)
	}, d, 60*time.Second)
	t.Logf("%d cuts", cuts)
	return c, late
}

// longPower returns how long each way takes when the chaos is to last.
func longPower() (d time.Duration, isLong bool) {
	d, err := time.ParseDuration(os.Getenv("FREERUN_CHAOS"))
	return d / 20, err == nil
}

// TestChaosPower has the power of servers fail that sync each write, for longer with
// FREERUN_CHAOS.
func TestChaosPower(t *testing.T) {
	if testing.Short() {
		t.Skip("servers lose power for some seconds")
	}
	t.Parallel()
	d, isLong := longPower()
	if !isLong {
		d = 3 * time.Second
	}
	for _, l := range []loss{{1, true, true}, {3, false, true}, {3, true, true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			c, late := l.strike(t, d)
			defer c.end()
			report(t, append(late, c.told.check(t, c.log())...))
		})
	}
}

// TestChaosPowerControl holds that a server that syncs now and then is found to lose what it has
// acknowledged since, and that all machines find that: they store nothing any more.
func TestChaosPowerControl(t *testing.T) {
	if testing.Short() {
		t.Skip("servers lose power for some seconds")
	}
	t.Parallel()
	for range 8 { // nothing may have been acknowledged in that time
		c := (&chaos{t: t, pairs: 1, power: &power{t: t}}).start(1)
		c.power.syncFiles()
		time.Sleep(500 * time.Millisecond)
		c.losePowerBut(0, 0)
		found := 0
		for _, n := range c.nodes {
			if n.waitFor("lost", 20*time.Second) == nil {
				found++
			}
		}
		for _, n := range c.nodes { // else they tell the next one
			n.kill()
		}
		problems, _ := c.told.problems(contents(t, c.log()))
		lost := slices.DeleteFunc(problems, func(p string) bool { return !strings.Contains(p, "was answered, and has had no effect") })
		c.end()
		if len(lost) == 0 {
			continue
		}
		t.Logf("%d machines have found it; %d of %d are lost", found, len(lost), len(c.told.certain))
		if found != len(c.nodes) {
			t.Errorf("%d machines of %d go on, though what was acknowledged is lost", len(c.nodes)-found, len(c.nodes))
		}
		return
	}
	t.Error("a server that does not sync loses nothing")
}

// TestChaosPowerLoses says what servers lose that sync every two minutes, with FREERUN_CHAOS.
func TestChaosPowerLoses(t *testing.T) {
	d, isLong := longPower()
	if !isLong {
		t.Skip("it takes its time, and nothing is promised")
	}
	for _, l := range []loss{{1, true, false}, {3, false, false}, {3, true, false}} {
		t.Run(l.String(), func(t *testing.T) {
			c, late := l.strike(t, d)
			defer c.end()
			have, err := readAll(c.log())
			if err != nil {
				t.Logf("all is lost: %v", err)
				return
			}
			problems, pending := c.told.problems(have)
			t.Logf("%d late, %d problems of %d acknowledged, %d pending", len(late), len(problems), len(c.told.certain), len(pending))
			for _, p := range append(late, problems[:min(len(problems), 5)]...) {
				t.Log(p)
			}
		})
	}
}

// BenchmarkPower appends to logs of servers that sync each write, many at once, and says how often
// each server syncs for that. A sync takes a millisecond.
func BenchmarkPower(b *testing.B) {
	for _, n := range replicas {
		b.Run(fmt.Sprint("R", n), func(b *testing.B) {
			w := &power{t: b, always: true, lasts: time.Millisecond}
			s := arrange(b, n, killed)
			for i := range s.places {
				w.supply(&s.places[i])
			}
			s.startAll()
			e := open(b, s.connect(b), Options{Program: "p", Replicas: n})
			defer e.Close()
			count := func() (all float64) {
				for _, d := range w.disks {
					all += float64(d.syncs())
				}
				return all / float64(n)
			}
			value := make([]byte, 112)
			const atOnce = 256
			places := make(chan struct{}, atOnce)
			before := count()
			b.ResetTimer()
			for range b.N {
				places <- struct{}{}
				e.Append(0, value, func(_ uint64, err error) {
					if err != nil {
						b.Error(err)
					}
					<-places
				})
			}
			for range atOnce {
				places <- struct{}{}
			}
			b.StopTimer()
			b.ReportMetric((count()-before)/float64(b.N), "syncs/op")
		})
	}
}
