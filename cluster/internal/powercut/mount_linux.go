//go:build amd64 || arm64

// go-fuse does not build for Linux with 32 bits.

package powercut

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// ErrNoFUSE says that this machine, or this user, cannot mount a FUSE file system.
var ErrNoFUSE = errors.New("no FUSE here")

// Said is the file of the root by which a program tells the test what it has seen. A write returns
// when the test has it, so what comes later on the disk comes after it.
const Said = ".said"

// Mount mounts a disk at a folder of the operating system, until unmount is called. The process
// that mounts must not use the files: a goroutine that waits for a page of a mapped file holds up
// the whole process, with what would serve the page.
func Mount(d *Disk, at string) (unmount func() error, err error) {
	if f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoFUSE, err)
	} else if err := f.Close(); err != nil {
		return nil, err
	}
	long := time.Hour // the kernel sees all changes
	o := &fs.Options{EntryTimeout: &long, AttrTimeout: &long}
	o.FsName, o.Name = "powercut", "powercut"
	o.DirectMountStrict = os.Geteuid() == 0
	if !o.DirectMountStrict {
		if _, err := exec.LookPath("fusermount3"); err != nil {
			return nil, fmt.Errorf("%w: this user is not root, and %w", ErrNoFUSE, err)
		}
	}
	server, err := fs.Mount(at, &node{disk: d, in: d.root}, o)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoFUSE, err)
	}
	return func() error {
		if err := server.Unmount(); err != nil {
			return err
		}
		server.Wait()
		return nil
	}, nil
}

// node is an inode for the kernel.
type node struct {
	fs.Inode
	disk *Disk
	in   *inode
}

// child is the node of an inode. The caller holds the disk's mu.
func (n *node) child(ctx context.Context, in *inode, out *fuse.EntryOut) *fs.Inode {
	in.attr(&out.Attr)
	return n.NewInode(ctx, &node{disk: n.disk, in: in}, fs.StableAttr{Mode: out.Mode & syscall.S_IFMT, Ino: in.number})
}

func (n *inode) attr(a *fuse.Attr) {
	a.Ino, a.Size, a.Nlink, a.Mode = n.number, uint64(len(n.data)), uint32(n.links), syscall.S_IFREG|0o600
	if n.folder {
		a.Mode = syscall.S_IFDIR | 0o700
	}
	a.Owner = fuse.Owner{Uid: uint32(os.Getuid()), Gid: uint32(os.Getgid())}
}

func (n *node) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	if name == Said && n.in == n.disk.root {
		out.Mode = syscall.S_IFREG | 0o600
		return n.NewInode(ctx, &console{disk: n.disk}, fs.StableAttr{Mode: syscall.S_IFREG, Ino: 1 << 32}), 0
	}
	in := n.in.entries[name]
	if in == nil {
		return nil, syscall.ENOENT
	}
	return n.child(ctx, in, out), 0
}

func (n *node) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	n.in.attr(&out.Attr)
	return 0
}

func (n *node) Setattr(_ context.Context, _ fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	if size, ok := in.GetSize(); ok {
		n.in.resize(int(size))
	}
	n.in.attr(&out.Attr)
	return 0
}

func (n *node) Readdir(context.Context) (fs.DirStream, syscall.Errno) {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	var all []fuse.DirEntry
	for _, name := range slices.Sorted(maps.Keys(n.in.entries)) {
		var a fuse.Attr
		n.in.entries[name].attr(&a)
		all = append(all, fuse.DirEntry{Name: name, Mode: a.Mode, Ino: a.Ino})
	}
	return fs.NewListDirStream(all), 0
}

func (n *node) Create(ctx context.Context, name string, flags, _ uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	made, err := n.make(ctx, name, false, out)
	return made, opened(flags), fuse.FOPEN_KEEP_CACHE, err
}

// synced is what a file was opened as whose writes are each synced.
type synced struct{}

func opened(flags uint32) fs.FileHandle {
	if flags&syscall.O_DSYNC != 0 { // O_SYNC has it
		return synced{}
	}
	return nil
}

func (n *node) Mkdir(ctx context.Context, name string, _ uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return n.make(ctx, name, true, out)
}

func (n *node) make(ctx context.Context, name string, folder bool, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	if n.in.entries[name] != nil {
		return nil, syscall.EEXIST
	}
	in := n.disk.newInode(folder)
	n.in.bind(name, in)
	return n.child(ctx, in, out), 0
}

func (n *node) Link(ctx context.Context, target fs.InodeEmbedder, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	if n.in.entries[name] != nil {
		return nil, syscall.EEXIST
	}
	in := target.(*node).in
	n.in.bind(name, in)
	in.attr(&out.Attr)
	return target.EmbeddedInode(), 0
}

func (n *node) Unlink(_ context.Context, name string) syscall.Errno { return n.remove(name) }

func (n *node) Rmdir(_ context.Context, name string) syscall.Errno { return n.remove(name) }

func (n *node) remove(name string) syscall.Errno {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	in := n.in.entries[name]
	if in == nil {
		return syscall.ENOENT
	}
	if len(in.entries) > 0 {
		return syscall.ENOTEMPTY
	}
	n.in.bind(name, nil)
	return 0
}

func (n *node) Rename(_ context.Context, name string, to fs.InodeEmbedder, newName string, flags uint32) syscall.Errno {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	folder, in := to.(*node).in, n.in.entries[name]
	old := folder.entries[newName]
	switch {
	case flags != 0:
		return syscall.EINVAL
	case in == nil:
		return syscall.ENOENT
	case old != nil && (old.folder || in.folder):
		return syscall.EEXIST
	case old == in:
		return 0
	}
	folder.bind(newName, in)
	n.in.bind(name, nil)
	return 0
}

func (n *node) Open(_ context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return opened(flags), fuse.FOPEN_KEEP_CACHE, 0
}

func (n *node) Read(_ context.Context, _ fs.FileHandle, into []byte, at int64) (fuse.ReadResult, syscall.Errno) {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	length := 0
	if at < int64(len(n.in.data)) {
		length = copy(into, n.in.data[at:])
	}
	return fuse.ReadResultData(into[:length]), 0
}

func (n *node) Write(_ context.Context, f fs.FileHandle, p []byte, at int64) (uint32, syscall.Errno) {
	n.disk.mu.Lock()
	n.in.write(p, int(at))
	n.disk.mu.Unlock()
	if f == (synced{}) {
		n.disk.syncOf(n.in)
	}
	return uint32(len(p)), 0
}

// Fsync is for files and folders.
func (n *node) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	n.disk.syncOf(n.in)
	return 0
}

func (n *node) Statfs(_ context.Context, out *fuse.StatfsOut) syscall.Errno {
	out.Bsize, out.Blocks, out.Bfree, out.Bavail, out.NameLen = 4096, 1<<30, 1<<30, 1<<30, 255
	return 0
}

// console is the file Said.
type console struct {
	fs.Inode
	disk *Disk
}

func (c *console) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode = syscall.S_IFREG | 0o600
	return 0
}

func (c *console) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_DIRECT_IO, 0
}

func (c *console) Write(_ context.Context, _ fs.FileHandle, p []byte, _ int64) (uint32, syscall.Errno) {
	c.disk.mu.Lock()
	defer c.disk.mu.Unlock()
	for line := range strings.Lines(string(p)) {
		c.disk.OnSay(strings.TrimSuffix(line, "\n"))
	}
	return uint32(len(p)), 0
}

// Say tells the test a line, from a program over the mount at a folder.
func Say(at, line string) error {
	f, err := os.OpenFile(filepath.Join(at, Said), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}
