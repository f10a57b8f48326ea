//go:build !wasm

package transfer

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/filestore"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// FolderSource is the store of one process, as a source. Until it is closed no process can open it
// for writing.
type FolderSource struct {
	*filestore.Store
	later map[string]string // names of kinds, by earlier ones
}

// OpenFolder opens the store of a folder, and reads what it says about names. It fails with
// engine.ErrInUse if a process has it.
func OpenFolder(dir string) (*FolderSource, error) {
	s, err := filestore.Open(dir, filestore.Options{ReadOnly: true})
	if errors.Is(err, engine.ErrInUse) {
		return nil, fmt.Errorf("%w: stop the program that has it", err)
	}
	if err != nil {
		return nil, err
	}
	f := &FolderSource{s, map[string]string{}}
	if err := f.look(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return f, nil
}

// look reads which kinds have later names, and holds that each entry is known, and that nothing has
// an earlier name any more.
func (f *FolderSource) look() error {
	kinds := map[string]bool{}
	err := f.Scan(nil, nil, func(key, value []byte) (err error) {
		kind := ""
		switch string(key[:1]) {
		case layout.Unit:
			kind, _, err = layout.UnitOf(key)
		case layout.Once:
			kind, _, _, err = layout.DecodeOnce(key)
		case layout.Renamed:
			f.later[string(key[1:])], err = layout.DecodeRenamed(value)
		case layout.Sent, layout.Failure, layout.Note, layout.Wake, layout.Expiry:
		default:
			err = errors.New("a newer program has written it")
		}
		if err != nil {
			return lost(fmt.Sprintf("the entry %q", key), err)
		}
		kinds[kind] = true
		return nil
	})
	if err != nil {
		return err
	}
	for was, is := range f.later {
		if kinds[was] {
			return fmt.Errorf("%w: there is something of kind %s, whose name is %s since a later program; start the program once, which moves it; if %s is another kind now, give that a name that none had", ErrNoPlace, was, is, was)
		}
	}
	return nil
}

// Names implements [Source].
func (f *FolderSource) Names() map[string]string {
	names := map[string]string{}
	for was := range f.later {
		is := f.named(was)
		names[was], names[is] = is, is
	}
	return names
}

// named returns the name of a kind that had another one.
func (f *FolderSource) named(kind string) string { return layout.LastName(f.later, kind) }

// Each implements [Source].
func (f *FolderSource) Each(each func(Item) error) error {
	for _, sort := range []struct {
		prefix string
		read   func(key, value []byte) (Item, error)
	}{{layout.Unit, folderUnit}, {layout.Once, outcomeOf}, {layout.Failure, f.failure}, {layout.Sent, f.sent}} {
		err := f.Scan([]byte(sort.prefix), nil, func(key, value []byte) error {
			i, err := sort.read(key, bytes.Clone(value))
			if err != nil {
				return lost(fmt.Sprintf("the entry %q", key), err)
			}
			return each(i)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func folderUnit(key, value []byte) (i Item, err error) {
	kind, of, err := layout.UnitOf(key)
	if err == nil {
		i.Unit, err = unitOf(kind, of, value)
	}
	return i, err
}

// outcomeOf reads an outcome, which all stores have in one form.
func outcomeOf(key, value []byte) (Item, error) {
	kind, of, id, err := layout.DecodeOnce(key)
	if err != nil {
		return Item{}, err
	}
	o, err := layout.DecodeOutcome(value)
	return Item{Outcome: &Outcome{kind, of, id, o}}, err
}

func (f *FolderSource) failure(_, value []byte) (Item, error) {
	t, why, err := layout.DecodeTell(value)
	f.rename(&t)
	return Item{Failure: &Failure{t, why}}, err
}

func (f *FolderSource) sent(_, value []byte) (Item, error) {
	t, rest, err := layout.DecodeTell(value)
	if err == nil && len(rest) > 0 {
		err = errors.New("there is more behind the message")
	}
	f.rename(&t)
	return Item{Sent: &Sent{Tell: t}}, err
}

// rename has a message name kinds as units do: it may be of before they had another name.
func (f *FolderSource) rename(t *layout.Tell) {
	t.Kind, t.Reply.Kind = f.named(t.Kind), f.named(t.Reply.Kind)
}
