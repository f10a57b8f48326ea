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

// names are what Chromium is called by those who package it.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// find returns the browser's path.
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
		options = append(options, chromedp.NoSandbox) // which Chromium's sandbox asks of root
	}
	limited, release := context.WithTimeout(context.Background(), patience)
	allocator, end := chromedp.NewExecAllocator(limited, options...)
	ctx, leave := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil && !errors.Is(err, context.Canceled) { // which is its usual end
			t.Logf("ending the browser: %v", err)
		}
		leave()
		end()
		release()
	})
	return ctx
}

// listen notes what the page complains about until the test ends, and then fails it for that.
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

// complain fails the test for what the page has complained about since it was last called.
func (p *Page) complain() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.errors {
		p.t.Errorf("the page complains: %s", e)
	}
	p.errors = nil
}

// Complaints returns what the page has complained about since it was last called, and does not fail the test for it.
func (p *Page) Complaints() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.errors
	p.errors = nil
	return all
}
