// Package pollpoint joins the polls that `freerun build` inserts (package activity/poll), which
// need no activity, with package activity, which knows what runs.
package pollpoint

// Due is called at a poll while beat n is set ([beat.Word]): package activity sets it when it is
// initialized.
var Due func(n uint32)
