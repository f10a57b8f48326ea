// Package commandline is what the commands freerun and freerun-bench have in common: the errors of
// wrong command lines, the exit statuses, and the flags for the parameters of programs.
package commandline
