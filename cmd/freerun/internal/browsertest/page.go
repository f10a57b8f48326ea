//go:build !wasip1

package browsertest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// patience bounds the time of a test's browser. It ends a test that hangs, and decides nothing
// else.
const patience = 2 * time.Minute

// Page is a page that is open in a browser of its own. The test's goroutine uses it; the browser
// ends with the test.
type Page struct {
	t      testing.TB
	ctx    context.Context
	width  int
	height int

	marks int           // how many marks were written to the console
	heard chan struct{} // has an element for each mark that listen has come to
	ended chan struct{} // closed when listen hears no more

	mu      sync.Mutex
	errors  []string // the errors of the page that the test does not know yet
	excused []string // the parts of texts by which an error is none
}

// Option is an option for opening a page.
type Option func(*settings)

type settings struct {
	width, height int
	scheme        string
}

// Width is the width of the window, in pixels. The default is 1280.
func Width(pixels int) Option { return func(s *settings) { s.width = pixels } }

// Height is the height of the window, in pixels. The default is 800.
func Height(pixels int) Option { return func(s *settings) { s.height = pixels } }

// Dark makes the browser say that its user prefers dark pages.
func Dark() Option { return func(s *settings) { s.scheme = "dark" } }

// Open opens the page and waits until it is loaded. It skips the test where there is no Chromium.
func Open(t testing.TB, url string, options ...Option) *Page {
	t.Helper()
	s := settings{width: 1280, height: 800, scheme: "light"}
	for _, o := range options {
		o(&s)
	}
	p := &Page{t: t, ctx: start(t), heard: make(chan struct{}, 1), ended: make(chan struct{})}
	p.listen()
	p.do("choosing light or dark", func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		prefers := &emulation.MediaFeature{Name: "prefers-color-scheme", Value: s.scheme}
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{prefers}})
		return chromedp.Void{}, err
	})
	p.Resize(s.width, s.height)
	p.do("opening "+url, chromedp.Navigate(url))
	return p
}

// OpenFile opens the file as a page, as a user does with a double click.
func OpenFile(t testing.TB, name string, options ...Option) *Page {
	t.Helper()
	whole, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return Open(t, "file://"+filepath.ToSlash(whole), options...)
}

// Resize changes the size of the window.
func (p *Page) Resize(width, height int) {
	p.t.Helper()
	p.width, p.height = width, height
	p.do("resizing", chromedp.EmulateViewport(int64(width), int64(height)))
}

// Eval evaluates JavaScript in the page and returns the result. If that is a promise, Eval waits
// for its outcome.
func Eval[T any](p *Page, script string) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		p.fatal("%s: %v", script, err)
	}
	return value
}

// Until waits until the expression is true. It polls, and fails the test after half a minute.
func (p *Page) Until(condition string) {
	p.t.Helper()
	for begin := time.Now(); ; {
		holds, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("!!("+condition+")"))
		if err != nil {
			p.fatal("waiting until %s: %v", condition, err)
		}
		if holds {
			return
		}
		if time.Since(begin) > patience/4 {
			p.fatal("half a minute has gone by, and still not %s", condition)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Hover moves the pointer to a point of the window.
func (p *Page) Hover(x, y float64) {
	p.t.Helper()
	p.do("moving the pointer", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
}

// Click clicks at a point of the window.
func (p *Page) Click(x, y float64) {
	p.t.Helper()
	p.do("clicking", chromedp.MouseClickXY(x, y))
}

// Drag presses the button at one point, moves the pointer to another, and releases the button.
func (p *Page) Drag(fromX, fromY, toX, toY float64) {
	p.t.Helper()
	p.do("pressing", chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, fromX, fromY, chromedp.ButtonLeft))
	p.do("dragging", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, (fromX+toX)/2, (fromY+toY)/2, chromedp.ButtonLeft))
	p.do("dragging", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, toX, toY, chromedp.ButtonLeft))
	p.do("letting go", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, toX, toY, chromedp.ButtonLeft))
}

// Press types keys at the focus: a text, or keys of package kb such as kb.ArrowRight.
func (p *Page) Press(keys string) {
	p.t.Helper()
	p.do("typing", chromedp.KeyEvent(keys))
}

// FitsItsWidth fails the test if the page can be scrolled sideways, and names the elements that
// stand out.
func (p *Page) FitsItsWidth() {
	p.t.Helper()
	if wide := Eval[int](p, `document.documentElement.scrollWidth`); wide > p.width {
		p.t.Errorf("the page is %d pixels wide in a window of %d: %s stands out", wide, p.width, Eval[string](p, `
			[...document.body.querySelectorAll("*")]
				.filter(e => e.getBoundingClientRect().right > innerWidth + 0.5)
				.map(e => e.tagName.toLowerCase() + (e.id && "#" + e.id)).slice(0, 5).join(", ") || "nothing visible"`))
	}
}

// Screenshot writes the window's content to NAME.png in the folder that FREERUN_SCREENSHOTS names,
// if it is set.
func (p *Page) Screenshot(name string) {
	p.t.Helper()
	folder := os.Getenv("FREERUN_SCREENSHOTS")
	if folder == "" {
		return
	}
	image, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.fatal("screenshot: %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), image, 0o644); err != nil {
		p.t.Error(err)
	}
}

func (p *Page) do(what string, action chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, action); err != nil {
		p.fatal("%s: %v", what, err)
	}
}

// fatal ends the test. It first reports the errors of the page, which are mostly the reason.
func (p *Page) fatal(format string, args ...any) {
	p.t.Helper()
	p.complain()
	p.t.Fatalf(format, args...)
}
