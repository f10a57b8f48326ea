package cluster

import (
	"fmt"

	"github.com/freerun-go/freerun/cluster/internal/partition"
	"github.com/freerun-go/freerun/internal/route"
)

// Tagged has the keys of a kind's units have tags: what is in braces in the key, as in
// {shop-1}/ada. Units with the same tag, also of several kinds, can be changed together:
// [freerun.Op2] and [freerun.OpAll] work on them. An operation on several units has its whole
// effect on all of them, or none, after any crash. Those whose tags differ may be on different
// machines: an operation on them is refused with [ErrOtherTag], on one machine, too. Where machines
// share the units, it may be on 256 at most, and is refused with [ErrNotDurable] for more.
//
//	var accounts = freerun.NewKind("account", fresh, cluster.Durable(cluster.Tagged()))
//	…
//	move.Call(ctx, accounts.At(c, "{shop-1}/ada"), accounts.At(c, "{shop-1}/bob"), 5)
//
// The tag is what is between the first { and the next }; a key needs none if no operation on
// several units has the unit. Operations on several units need a name. While one is under way, with
// its write, its units run nothing else: so one unit that all of them have is a bottleneck. They
// cannot call [Ask], [TellAfter], [Every], [Cancel], [Forget] and [ID], which are for operations on
// one unit, nor come with [Once]; durable units cannot send or tell them. What they tell durable
// units is stored with their effect.
//
// The option is for kinds with keys that are strings: [Join] fails for others. [Stored] panics with
// it.
func Tagged() StoredOption { return StoredOption{func(h *heritage) { h.tagged = true }} }

// ofOneTag returns why an operation must not be on these units; nil if it may.
func ofOneTag(name string, units []route.Addressee) error {
	first := ""
	for n, u := range units {
		d, ours := u.Route.(durable)
		if !ours {
			return fmt.Errorf("%w: %s is on durable units and on one that is not; send to that one in an operation of its own", ErrNotDurable, name)
		}
		if !d.of.tagged {
			return fmt.Errorf("%w: %s is on several units, and kind %s has no tags; declare it with cluster.Tagged, or send to each unit", ErrOtherTag, name, shorten(u.Kind))
		}
		tag, found := partition.TagOf(fmt.Sprint(u.Key))
		switch {
		case !found:
			return fmt.Errorf("%w: %s is on several units, and the key %v of kind %s has no tag; put one in braces, as in {shop-1}/ada", ErrOtherTag, name, u.Key, shorten(u.Kind))
		case n == 0:
			first = tag
		case tag != first:
			return fmt.Errorf("%w: %s is on units with the tags %s and %s; use cluster.Ask between them", ErrOtherTag, name, first, tag)
		}
	}
	return nil
}
