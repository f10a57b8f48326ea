// Package timeline turns a recording into one page: an HTML file that needs no network. The page
// shows the work of each processor over time, the sender and the receiver of each message, the
// lengths of the mailboxes, and the critical path: the chain of messages that nothing could have
// made shorter.
//
// [Write] puts the page together from the files in the folder page and the packed recording
// (pack.go packs it, page/unpack.js reads it). The page draws on canvases, and only for the pixels
// that there are, so that drawing a million events takes as long as drawing a thousand.
package timeline
