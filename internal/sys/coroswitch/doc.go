// Package coroswitch switches between the goroutines of an iter.Pull without upsetting the core's
// prediction of returns.
//
// A core remembers the calls that are open, and predicts where each return leads. Go's switch
// (runtime.coroswitch, and runtime.mcall in it) makes calls that never return, and goes on in the
// other goroutine. From then on each return is predicted to lead to where another one led: each
// function that was open at the switch costs a misprediction, some 20 cycles, and a wait has five
// to eight of them. Here the switch is a jump. The one call that is left, of gogo by coroswitch_m,
// is taken off by a return to behind it: through the end of coroswitch_m, which nothing else
// reaches. Goroutines that switch in the same function are then predicted as if they were one.
//
//	Go's                          here
//	call coroswitch               call swap
//	  call mcall                    jump to coroswitch_m, on the thread's own stack
//	    call coroswitch_m             call gogo
//	      call gogo                     jump to the other goroutine, in resume
//	        jump to the other one   return to the end of coroswitch_m, as is predicted
//	return, mispredicted            return from there, as is predicted
//	… as is each that follows       … as are those that follow
//
// The code of swap does what coroswitch and mcall do, instruction for instruction, and runs Go's
// own coroswitch_m. It depends on how a g is laid out. So it is used only if the machine code in
// the running program is that for which it was written, byte by byte (code.go), and if the
// iter.Pull holds its goroutine where it was expected ([Status]).
//
// The race detector must see each switch, so builds for it leave them to iter.Pull, as do all
// others that this was not written for.
//
// Source: our own. That a switch of stacks makes returns mispredicted is known of coroutines and of
// kernels; these fill the predictor, which costs a call each.
package coroswitch
