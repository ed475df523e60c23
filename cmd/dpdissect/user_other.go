//go:build !unix

package main

import (
	"fmt"
	"runtime"
)

// dropPrivileges is an error: processes can't change their user here.
func dropPrivileges(name string) error {
	return fmt.Errorf("--user %s: a process can't become another user on %s; start dpdissect as that user", name, runtime.GOOS)
}
