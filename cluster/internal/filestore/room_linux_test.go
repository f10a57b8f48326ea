//go:build !wasm

package filestore

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/freerun-go/freerun/cluster/internal/child"
	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// fillAndGoOn puts until there is no room, several times, and after makeRoom; nothing that was done
// is lost, nothing of a Put that failed is there, and the structure is sound.
func fillAndGoOn(t *testing.T, dir string, o Options, makeRoom func()) {
	t.Helper()
	o.Create = true
	s := mustOpen(t, dir, o)
	want := map[string]string{}
	failed := 0
	for i := 0; failed < 20 && i < 100_000; i++ {
		// Large ones and small ones, at old keys and new ones.
		key, value := fmt.Sprint("key", i%997), strings.Repeat("v", i*7919%20_000)+fmt.Sprint(i)
		switch err := wait(s, set(key, value), set(key+"twin", value)); {
		case err == nil:
			want[key], want[key+"twin"] = value, value
		case errors.Is(err, engine.ErrNoSpace):
			failed++
		default:
			t.Fatalf("Put: %v, want ErrNoSpace", err)
		}
	}
	if failed == 0 {
		t.Fatal("there was always room")
	}
	if got := contents(t, s, ""); !maps.Equal(got, want) {
		t.Fatalf("without room: %d entries, want %d", len(got), len(want))
	}
	makeRoom()
	for i := range 500 {
		key, value := fmt.Sprint("later", i), strings.Repeat("w", i*10)
		mustPut(t, s, set(key, value))
		want[key] = value
	}
	if got := contents(t, s, ""); !maps.Equal(got, want) {
		t.Fatalf("with room: %d entries, want %d", len(got), len(want))
	}
	mustClose(t, s)
	s = mustOpen(t, dir, Options{})
	if got := contents(t, s, ""); !maps.Equal(got, want) {
		t.Fatalf("opened again: %d entries, want %d", len(got), len(want))
	}
	mustClose(t, s)
}

// TestAFullFileSystemRefusesPutsUntilThereIsRoom mounts a small one, for which it needs root.
func TestAFullFileSystemRefusesPutsUntilThereIsRoom(t *testing.T) {
	for _, o := range []Options{{}, {Sync: -1}} {
		dir := t.TempDir()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=6m"); err != nil {
			t.Skip("mounting needs root: ", err)
		}
		t.Cleanup(func() {
			if err := syscall.Unmount(dir, 0); err != nil {
				t.Error(err)
			}
		})
		ballast := filepath.Join(dir, "lost+found")
		if err := os.WriteFile(ballast, make([]byte, 3<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		fillAndGoOn(t, dir, o, func() {
			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestAFileSystemWithoutRoomTakesNoStore has no room for the first page.
func TestAFileSystemWithoutRoomTakesNoStore(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("mounting needs root: ", err)
	}
	defer func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	}()
	ballast := filepath.Join(dir, "lost+found")
	for _, left := range []int{0, 4096, 16384, 20480} {
		if err := os.WriteFile(ballast, make([]byte, 64<<10-left), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(dir, Options{Create: true})
		switch {
		case err == nil:
			mustClose(t, s)
			t.Errorf("with %d bytes: opened", left)
		case !errors.Is(err, engine.ErrNoSpace):
			t.Errorf("with %d bytes: %v, want ErrNoSpace", left, err)
		}
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, mustOpen(t, dir, Options{Create: true}))
}

// TestAReadOnlyFileSystem remounts one, for which it needs root.
func TestAReadOnlyFileSystem(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=6m"); err != nil {
		t.Skip("mounting needs root: ", err)
	}
	defer func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	}()
	s := mustOpen(t, dir, Options{Create: true})
	mustPut(t, s, set("a", "1"))
	mustClose(t, s)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "size=6m"); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, Options{}, syscall.EROFS, "ReadOnly", "right")
	s = mustOpen(t, dir, Options{ReadOnly: true})
	if v, err := read(s, []byte("a")); string(v) != "1" || err != nil {
		t.Error(v, err)
	}
	mustClose(t, s)
}

func init() {
	child.Role("stranger", func() {
		_, err := Open(os.Getenv("FREERUN_DIR"), Options{Create: true})
		fmt.Println(err)
	})
}

// TestAFileOfTheLargestSizeRefusesPuts limits the size of files: in a process of its own, which is
// this test anew.
func TestAFileOfTheLargestSizeRefusesPuts(t *testing.T) {
	if os.Getenv("FREERUN_LIMITED") == "" {
		limited := exec.Command(os.Args[0], "-test.v", "-test.run=^TestAFileOfTheLargestSizeRefusesPuts$")
		limited.Env = append(os.Environ(), "FREERUN_LIMITED=yes")
		out, err := limited.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	limit := func(size uint64) {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: 1 << 30}); err != nil {
			t.Fatal(err)
		}
	}
	limit(3 << 20)
	fillAndGoOn(t, t.TempDir(), Options{}, func() { limit(1 << 30) })
}

// TestAStoreOfAnotherUserIsRefused opens stores as another user, for which it needs root.
func TestAStoreOfAnotherUserIsRefused(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("to be another user needs root")
	}
	root, err := os.MkdirTemp("", "")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(root)
	binary, err := os.ReadFile(os.Args[0])
	program := filepath.Join(root, "program")
	closed, open := filepath.Join(root, "closed"), filepath.Join(root, "open")
	if err := errors.Join(err, os.Chmod(root, 0o755), os.WriteFile(program, binary, 0o755)); err != nil {
		t.Fatal(err)
	}
	for dir, mode := range map[string]os.FileMode{closed: 0o700, open: 0o755} {
		mustClose(t, mustOpen(t, dir, Options{Create: true}))
		if err := errors.Join(os.Chmod(dir, mode), os.Chmod(filepath.Join(dir, fileName), mode&^0o111)); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string]string{
		closed: "permission denied", open: "the command inspect", filepath.Join(root, "new"): "permission denied",
	} {
		stranger := child.Command(t.Context(), "stranger", "FREERUN_DIR="+dir)
		stranger.Path, stranger.Args, stranger.Dir, stranger.Stderr = program, []string{program}, root, nil
		stranger.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := stranger.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v: %s, want %q", dir, err, out, want)
		}
	}
}
