// Package powercut is a file system in memory that keeps account of what a loss of power may leave
// of it, and tests of durable units over it. It is a module of its own: users of package cluster do
// not get what it needs.
//
// The process under test runs over a FUSE mount ([Mount]), which the process of the test serves.
// Each sync stops the process under test, in the middle of the call, until the test has looked at
// images ([Disk.Cut]): folders as the machine would find them after its next start.
//
// # What an image may lack
//
//   - A file has its sectors of 512 bytes as they were at its last fsync or fdatasync. Each sector
//     that was written since has, on its own, that content or the content after any of the writes.
//   - A file has the size of its last sync, or any size since.
//   - A folder has the entries of its last fsync. Each name that was made, replaced or removed
//     since stands, on its own, for what it stood for at any time since. A rename changes two.
//
// So writes are lost, torn, and reordered. What a sector keeps is whole: disks promise that.
package powercut
