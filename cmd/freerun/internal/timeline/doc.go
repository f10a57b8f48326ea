// Package timeline turns a recording into one page: an HTML file that needs no network and shows what each processor did when, who sent what to whom, how
// deep the mailboxes were, and the chain of messages that nothing could have made shorter.
//
// The page is made of the files in the folder page, put together by [Write], and of the recording, packed (pack.go; page/unpack.js reads it). All is drawn on
// canvases, and only for the pixels that there are, so that a million events are no more to draw than a thousand.
package timeline
