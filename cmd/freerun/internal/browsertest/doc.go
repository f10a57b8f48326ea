// Package browsertest is for tests of pages in a real browser: Chromium, without a window.
//
// A test opens a page, asks it what it shows, and resizes, clicks and types. Whatever the page writes to the console as an error, and any exception that nothing
// caught, fails the test. Where there is no Chromium the test is skipped and says so.
//
//	page := browsertest.Open(t, "file:///tmp/t.html", browsertest.Width(400))
//	page.Until(`document.querySelector("#span").textContent != ""`)
//	if lanes := browsertest.Eval[int](page, `document.querySelectorAll(".lane").length`); lanes != 2 {
//		t.Errorf("%d lanes, want 2", lanes)
//	}
//	page.FitsItsWidth()
//	page.Screenshot("timeline")
//
// With FREERUN_SCREENSHOTS=DIR the screenshots are written into that folder, and nowhere otherwise.
package browsertest
