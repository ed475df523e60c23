// Package outfile makes the files that commands write.
//
//	Guard  the files a command reads, which it must not write over
//	File   a file that takes its name when it is complete
//
// A file is written beside its name and renamed: who reads the name sees the old
// content or all of the new, and what could not be completed does not stay. Links are
// never followed, so that nobody who may write to a folder chooses what is written
// over. Devices, pipes and standard output are written to as they are.
package outfile
