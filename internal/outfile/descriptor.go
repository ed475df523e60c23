package outfile

import (
	"path/filepath"
	"strconv"
	"strings"
)

// descriptor gives the number of the open file that a path names: such names are links
// that the kernel makes. ok is false of all other paths.
func descriptor(path string) (fd int, ok bool) {
	path = filepath.ToSlash(filepath.Clean(path))
	switch path {
	case "/dev/stdout":
		return 1, true
	case "/dev/stderr":
		return 2, true
	}
	for _, folder := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if number, is := strings.CutPrefix(path, folder); is {
			fd, err := strconv.Atoi(number)
			return fd, err == nil && fd >= 0
		}
	}
	return 0, false
}
