//go:build !unix

package outfile

import "os"

// openDescriptor opens the path as any other: numbers of open files have no names here.
func openDescriptor(_ int, path string) (*os.File, error) { return os.OpenFile(path, os.O_WRONLY, 0) }
