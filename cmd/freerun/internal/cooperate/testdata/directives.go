package directives

import "github.com/freerun-go/freerun/activity"

//line grammar.y:10
func lines(a *activity.Activity) { println(); println() }

/*line grammar.y:20:30*/
func columns(a *activity.Activity) { println(); println() }
