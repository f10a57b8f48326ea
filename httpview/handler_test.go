package httpview

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/recording"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var increment = freerun.Op("increment", func(_ *freerun.Context, state *int, by int) (int, error) {
	*state += by
	return *state, nil
})

// gate holds operations until it is opened.
type gate struct{ entered, opened chan struct{} }

var pass = freerun.Op("pass", func(_ *freerun.Context, g *gate, _ int) (int, error) {
	close(g.entered)
	<-g.opened
	return 0, nil
})

var fails = freerun.Op("fails", func(_ *freerun.Context, _ *gate, err error) (int, error) { return 0, err })

func start(t testing.TB, options ...freerun.Option) *freerun.Runtime {
	t.Helper()
	rt := freerun.New(append([]freerun.Option{freerun.Processors(2), freerun.Logger(slog.New(slog.DiscardHandler))}, options...)...)
	t.Cleanup(func() { rt.Close() })
	return rt
}

// get sends a request as a browser on this machine does.
func get(t testing.TB, h http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.RemoteAddr, r.Host = "127.0.0.1:40000", "localhost:7070"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func frameOf(t testing.TB, raw []byte) (f frame) {
	t.Helper()
	if err := json.Unmarshal(raw, &f); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return f
}

// TestLive looks at a busy runtime.
func TestLive(t *testing.T) {
	const sent = 1000
	rt := start(t, freerun.Watchdog(time.Hour, 0))
	h := Handler(rt, Title("a test"))
	u := freerun.NewUnit(rt, 0, freerun.UnitName("ada"))
	var last freerun.Future[int]
	for range sent {
		last = increment.Send(rt.Context(), u, 1)
	}
	if _, err := last.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	g := gate{make(chan struct{}), make(chan struct{})}
	defer close(g.opened)
	pass.Tell(rt.Context(), freerun.NewUnit(rt, g, freerun.UnitName("bob")), 0)
	<-g.entered

	f := frameOf(t, get(t, h, "/live.json").Body.Bytes())
	if f.Title != "a test" || f.Ended || f.InService != 2 || len(f.Processors) < 2 || f.Process.Goroutines == 0 || f.Process.Heap == 0 {
		t.Errorf("the frame is %+v", f)
	}
	var messages uint64
	running := 0
	for _, p := range f.Processors {
		messages += p.Messages
		if p.Operation == "httpview.pass" && p.Unit == "bob" {
			running++
		}
	}
	if messages != sent || f.Sent != sent+1 || f.Done != sent || running != 1 {
		t.Errorf("of %d messages and one that runs, %d were sent, %d are done, %d by processors, and %d run: %+v", sent, f.Sent, f.Done, messages, running, f.Processors)
	}
}

// TestSamplesOfARuntime runs operations and looks until a sample has caught one.
func TestSamplesOfARuntime(t *testing.T) {
	rt := start(t)
	v := newView(rt, "test")
	units := []*freerun.Unit[int]{freerun.NewUnit(rt, 0, freerun.UnitName("ada")), freerun.NewUnit(rt, 0)}
	stop := make(chan struct{})
	var sender sync.WaitGroup
	sender.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				increment.Tell(rt.Context(), units[i%2], 1)
			}
		}
	})
	defer sender.Wait()
	defer close(stop)
	for {
		v.last = time.Time{}
		f := frameOf(t, v.look(t.Context()))
		if f.Sample.Error != "" {
			t.Fatalf("no sample: %s", f.Sample.Error)
		}
		if len(f.Operations) == 0 || f.Operations[0].Wait.Count == 0 || f.Operations[0].Run.Count == 0 || len(f.Units) < 2 {
			continue
		}
		if o := f.Operations[0]; o.Name != freerun.NameOf(increment) || o.Share != 1 || o.Wait.P50 > o.Wait.P99 || o.Run.P50 > o.Run.Max {
			t.Errorf("the operation is %+v", o)
		}
		if f.Units[0].Name != "ada" && f.Units[1].Name != "ada" {
			t.Errorf("no unit is called ada in %+v", f.Units)
		}
		if len(f.Sample.Lanes) < 2 || f.Sample.Messages == 0 || f.Sample.Length <= 0 {
			t.Errorf("the sample is %+v", f.Sample)
		}
		return
	}
}

func TestIncidentsAreShown(t *testing.T) {
	late := make(chan freerun.LateReport, 1)
	rt := start(t, freerun.Watchdog(time.Millisecond, 0), freerun.OnLate(func(l freerun.LateReport) { late <- l }))
	g := gate{make(chan struct{}), make(chan struct{})}
	pass.Tell(rt.Context(), freerun.NewUnit(rt, g, freerun.UnitName("ada")), 0)
	<-late
	close(g.opened)
	f := frameOf(t, get(t, Handler(rt), "/live.json").Body.Bytes())
	if len(f.Incidents) != 1 || f.Late != 1 {
		t.Fatalf("the incidents are %+v, and %d in all", f.Incidents, f.Late)
	}
	if i := f.Incidents[0]; i.Operation != "httpview.pass" || i.Unit != "ada" || i.Been < 1 || i.At == 0 || !strings.Contains(i.Stack, "handler_test.go") {
		t.Errorf("the incident is %+v", i)
	}
}

// badText is an error whose text panics, ends its goroutine, or is long.
type badText string

func (e badText) Error() string {
	switch e {
	case "panic":
		panic("no text")
	case "exit":
		runtime.Goexit()
	}
	return strings.Repeat("ä", 1000)
}

func TestLossesAreShown(t *testing.T) {
	rt := start(t)
	u := freerun.NewUnit(rt, gate{}, freerun.UnitName("ada"))
	c := rt.Scope(t.Context(), freerun.ScopeName("payday")).Context()
	for _, err := range []error{errors.New("<b>no account</b>"), badText("panic"), badText("exit"), badText("long")} {
		fails.Tell(c, u, err)
		if err := rt.Quiesce(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	f := frameOf(t, get(t, Handler(rt), "/live.json").Body.Bytes())
	if len(f.Losses) != 4 || f.Lost != 4 {
		t.Fatalf("%+v are shown, of %d", f.Losses, f.Lost)
	}
	if l := f.Losses[0]; l.Operation != "httpview.fails" || l.Unit != "ada" || l.Error != "<b>no account</b>" || l.Scope != "payday" || l.At == 0 {
		t.Errorf("the loss is %+v", l)
	}
	if !strings.Contains(f.Losses[1].Error, "no text") || !strings.Contains(f.Losses[2].Error, "ends its goroutine") || f.Losses[3].Error != strings.Repeat("ä", mostText/2)+"…" {
		t.Errorf("bad texts are %+v", f.Losses[1:])
	}
}

func TestSuspendedUnitsAreShown(t *testing.T) {
	rt := start(t)
	c := rt.Context()
	p := freerun.NewPromise[int](c)
	for range shownSuspended + 3 {
		freerun.Suspend(c, freerun.NewUnit(rt, gate{}, freerun.UnitName("<b>vault</b>")), p.Future())
	}
	for len(rt.SuspendedUnits()) < shownSuspended+3 {
		runtime.Gosched()
	}
	f := frameOf(t, get(t, Handler(rt), "/live.json").Body.Bytes())
	if len(f.Suspended) != shownSuspended || f.SuspendedUnits != shownSuspended+3 || f.Suspended[0].Unit != "<b>vault</b>" || f.Suspended[0].Since == 0 {
		t.Errorf("%d, %+v are shown", f.SuspendedUnits, f.Suspended)
	}
	p.Resolve(1, nil)
	if err := rt.Quiesce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f := frameOf(t, get(t, Handler(rt), "/live.json").Body.Bytes()); len(f.Suspended) > 0 {
		t.Errorf("%+v are shown", f.Suspended)
	}
}

// TestAfterTheEnd: the page of a runtime that has ended says so.
func TestAfterTheEnd(t *testing.T) {
	rt := start(t)
	h := Handler(rt)
	rt.Close()
	f := frameOf(t, get(t, h, "/live.json").Body.Bytes())
	if !f.Ended || !strings.Contains(f.Sample.Error, "ended") {
		t.Errorf("after the end: ended is %v, and the sample's error %q", f.Ended, f.Sample.Error)
	}
	if w := get(t, h, "/metrics"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "freerun_messages_sent_total 0") {
		t.Errorf("after the end the metrics are %d %s", w.Code, w.Body)
	}
}

// TestPage: every file that the page asks for exists, and it asks for nothing from elsewhere. The
// handler may be mounted below any path.
func TestPage(t *testing.T) {
	h := http.StripPrefix("/admin", Handler(start(t)))
	w := get(t, h, "/admin/")
	if w.Code != http.StatusOK || !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("the page: %d, %v", w.Code, w.Header())
	}
	asked := 0
	refers := regexp.MustCompile(`(?:src|href)="([^"]*)"|from "([^"]*)"|fetch\("([^"]*)"`)
	if err := fs.WalkDir(files, "page", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		for _, m := range refers.FindAllStringSubmatch(string(raw), -1) {
			path := m[1] + m[2] + m[3]
			if strings.HasPrefix(path, "data:") {
				continue
			}
			asked++
			if strings.HasPrefix(path, "/") || strings.Contains(path, "//") {
				t.Errorf("%s refers to %s, which is not below the page", name, path)
			}
			if w := get(t, h, "/admin/"+strings.TrimPrefix(path, "./")); w.Code != http.StatusOK || w.Body.Len() == 0 {
				t.Errorf("%s refers to %s, which is answered by %d and %d bytes", name, path, w.Code, w.Body.Len())
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if asked < 8 {
		t.Errorf("only %d references were found", asked)
	}
	if w := get(t, h, "/admin/nothing.js"); w.Code != http.StatusNotFound {
		t.Errorf("what is not there is answered by %d", w.Code)
	}
}

func TestProfiles(t *testing.T) {
	h := Handler(start(t))
	for path, says := range map[string]string{
		"/debug/pprof/":                  "goroutine",
		"/debug/pprof/goroutine?debug=1": "goroutine profile: total",
		"/debug/pprof/cmdline":           "httpview",
	} {
		if w := get(t, h, path); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), says) {
			t.Errorf("%s is answered by %d and %.200s, want %q in it", path, w.Code, w.Body, says)
		}
	}
}

func TestOnlyThisMachineUnlessPublic(t *testing.T) {
	rt := start(t)
	for _, c := range []struct {
		remote, host string
		public       bool
		want         int
	}{
		{"127.0.0.1:5000", "127.0.0.1:7070", false, 200},
		{"127.0.0.1:5000", "localhost", false, 200},
		{"[::1]:5000", "[::1]:7070", false, 200},
		{"[::ffff:127.0.0.1]:5000", "LocalHost:7070", false, 200},
		{"127.0.0.1:5000", "evil.example:7070", false, 403},
		{"127.0.0.1:5000", "localhost.evil.example", false, 403},
		{"127.0.0.1:5000", "", false, 403},
		{"192.0.2.7:5000", "localhost:7070", false, 403},
		{"192.0.2.7:5000", "server.example:7070", true, 200},
	} {
		h := Handler(rt)
		if c.public {
			h = Handler(rt, Public())
		}
		for _, path := range []string{"/", "/debug/pprof/cmdline"} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
			r.RemoteAddr, r.Host = c.remote, c.host
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != c.want {
				t.Errorf("%s from %s for %q (public: %v) is answered by %d, want %d", path, c.remote, c.host, c.public, w.Code, c.want)
			}
			if body, _ := io.ReadAll(w.Body); c.want == 403 && !strings.Contains(string(body), "httpview.Public()") {
				t.Errorf("the refusal does not say what would be right: %s", body)
			}
		}
	}
}

func TestOnlyGet(t *testing.T) {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/live.json", nil)
	r.RemoteAddr, r.Host = "127.0.0.1:40000", "localhost"
	w := httptest.NewRecorder()
	Handler(start(t)).ServeHTTP(w, r)
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST is answered by %d", w.Code)
	}
}

// TestOneSampleForAll: however many clients look at once, the runtime is recorded once.
func TestOneSampleForAll(t *testing.T) {
	v := newView(start(t), "test")
	var records atomic.Int32
	v.record = func(context.Context, time.Duration) (*recording.Trace, error) {
		records.Add(1)
		return &recording.Trace{End: 1000}, nil
	}
	for round := int32(1); round <= 2; round++ {
		v.last = time.Now() // within this second, however slow the machine is
		v.frame = nil
		seen := make([][]byte, 20)
		v.look(t.Context())
		v.last = time.Now().Add(time.Hour)
		var all sync.WaitGroup
		for i := range seen {
			all.Go(func() { seen[i] = v.look(t.Context()) })
		}
		all.Wait()
		for i := range seen {
			if string(seen[i]) != string(seen[0]) || len(seen[i]) == 0 {
				t.Errorf("viewer %d sees something else", i)
			}
		}
		if n := records.Load(); n != round {
			t.Errorf("%d recordings, want %d", n, round)
		}
	}
}

// TestViewerLeaves: a client that leaves while a sample is taken leaves nothing behind, and the
// next client gets one.
func TestViewerLeaves(t *testing.T) {
	v := newView(start(t), "test")
	ctx, leave := context.WithCancel(t.Context())
	v.record = func(ctx context.Context, _ time.Duration) (*recording.Trace, error) {
		leave()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if seen := v.look(ctx); seen != nil || v.frame != nil {
		t.Errorf("a client that has left is shown %s", seen)
	}
	v.record = func(context.Context, time.Duration) (*recording.Trace, error) {
		return nil, errors.New("it is recorded already")
	}
	if f := frameOf(t, v.look(t.Context())); f.Sample.Error != "it is recorded already" || f.InService != 2 {
		t.Errorf("without a sample the frame is %+v", f)
	}
	v.turn <- struct{}{} // another viewer takes long
	if seen := v.look(ctx); seen != nil {
		t.Errorf("a client that has left is shown %s", seen)
	}
	<-v.turn
}

func TestMisuse(t *testing.T) {
	for name, f := range map[string]func(){
		"Handler":      func() { Handler(nil) },
		"NewCollector": func() { NewCollector(nil) },
	} {
		func() {
			defer func() {
				if p, _ := recover().(string); !strings.HasPrefix(p, "httpview: "+name) {
					t.Errorf("%s(nil) panics with %q", name, p)
				}
			}()
			f()
		}()
	}
}
