//go:build !wasip1

package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// names are the names of Chromium's executable in common packages.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// find returns the path of the browser's executable.
func find() (path string, ok bool) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, true
		}
	}
	return "", false
}

// start starts a browser that ends with the test, and returns the context of its first page.
func start(t testing.TB) context.Context {
	t.Helper()
	path, ok := find()
	if !ok {
		t.Skip("needs a browser: none of chromium, chromium-browser, google-chrome and chrome is installed (Debian: apt-get install chromium)")
	}
	// The default is 20 s from its start to its first word: too few for a busy machine.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WSURLReadTimeout(patience))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium's sandbox does not run as root
	}
	limited, release := context.WithTimeout(context.Background(), patience)
	allocator, end := chromedp.NewExecAllocator(limited, options...)
	ctx, leave := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		// A canceled context is the usual end of the browser.
		if err := chromedp.Cancel(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Logf("ending the browser: %v", err)
		}
		leave()
		end()
		release()
	})
	return ctx
}

// listen collects the errors of the page until the test ends, and then fails the test for them.
func (p *Page) listen() {
	ctx, cancel := context.WithCancel(p.ctx)
	messages := chromedp.Console(ctx)
	go func() {
		defer close(p.ended)
		for m, err := range messages {
			if err != nil {
				return // the test has ended
			}
			switch {
			case m.Type == chromedp.ConsoleError || m.IsException():
				p.note(fmt.Sprintf("%s (%s:%d)", m, m.URL, m.Line+1))
			case m.Type == chromedp.ConsoleDebug && strings.HasPrefix(m.Text, mark):
				p.heard <- struct{}{}
			}
		}
	}()
	p.t.Cleanup(func() {
		cancel()
		<-p.ended
		p.complain()
	})
}

// note keeps an error of the page, unless it is excused.
func (p *Page) note(complaint string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.ContainsFunc(p.excused, func(part string) bool { return strings.Contains(complaint, part) }) {
		p.errors = append(p.errors, complaint)
	}
}

// mark begins a text on the console that says nothing, but that all before it is heard.
const mark = "browsertest: mark "

// hear waits until listen has heard all that the page has written to the console so far.
func (p *Page) hear() {
	p.t.Helper()
	p.marks++
	Eval[bool](p, fmt.Sprintf("console.debug(%q), true", fmt.Sprint(mark, p.marks)))
	select {
	case <-p.heard:
	case <-p.ended:
		p.fatal("the console has ended")
	}
}

// Excuse makes errors whose text has that part no complaints, from now on until the test ends.
func (p *Page) Excuse(part string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.excused = append(p.excused, part)
}

// complain fails the test for the errors of the page since the last call of complain or Complaints.
func (p *Page) complain() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.errors {
		p.t.Errorf("the page complains: %s", e)
	}
	p.errors = nil
}

// Complaints returns the errors of the page since its last call, and does not fail the test for
// them.
func (p *Page) Complaints() []string {
	p.t.Helper()
	p.hear()
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.errors
	p.errors = nil
	return all
}
