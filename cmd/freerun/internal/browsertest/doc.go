// Package browsertest runs tests of pages in a real browser: Chromium, without a window.
//
// A test opens a page, reads what it shows, and resizes, clicks and types. An error that the page
// writes to the console, or an exception that the page does not catch, fails the test. Where there
// is no Chromium the test is skipped and says so.
//
//	page := browsertest.Open(t, "file:///tmp/t.html", browsertest.Width(400))
//	page.Until(`document.querySelector("#span").textContent != ""`)
//	lanes := browsertest.Eval[int](page, `document.querySelectorAll(".lane").length`)
//	if lanes != 2 {
//		t.Errorf("%d lanes, want 2", lanes)
//	}
//	page.FitsItsWidth()
//	page.Screenshot("timeline")
//
// With FREERUN_SCREENSHOTS=DIR the screenshots are written into that folder; otherwise there are
// none.
package browsertest
