// Package commandline holds the common parts of the commands freerun and freerun-bench: the errors
// of wrong command lines, the exit statuses, and the flags for the parameters of programs.
package commandline
