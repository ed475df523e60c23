//go:build !unix

package source

import (
	"fmt"
	"runtime"
)

// dropPrivileges is an error: processes can't change their user here.
func dropPrivileges(name string) error {
	return fmt.Errorf("a process cannot become another user on %s; start dpdissect as %s", runtime.GOOS, name)
}
