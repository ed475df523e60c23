package outfile

import (
	"path/filepath"
	"strings"
)

// descriptor reports whether a path names a file that is open already: such names are
// links that the kernel makes.
func descriptor(path string) bool {
	path = filepath.ToSlash(filepath.Clean(path))
	return path == "/dev/stdout" || path == "/dev/stderr" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/")
}
