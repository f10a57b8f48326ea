//go:build !wasip1

package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
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
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path))
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
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m, err := range messages {
			if err != nil {
				return // the test has ended
			}
			if m.Type == chromedp.ConsoleError || m.IsException() {
				p.mu.Lock()
				p.errors = append(p.errors, fmt.Sprintf("%s (%s:%d)", m, m.URL, m.Line+1))
				p.mu.Unlock()
			}
		}
	}()
	p.t.Cleanup(func() {
		cancel()
		<-done
		p.complain()
	})
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
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.errors
	p.errors = nil
	return all
}
