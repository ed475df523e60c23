package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestTablesUnit: the command line of the service that writes rows is one.
func TestTablesUnit(t *testing.T) {
	text, err := os.ReadFile("../../deploy/systemd/dpdissect-tables@.service")
	if err != nil {
		t.Fatal(err)
	}
	line := string(regexp.MustCompile(`(?m)^ExecStart=/usr/bin/dpdissect (.*)$`).FindSubmatch(text)[1])
	line = strings.NewReplacer("${DPDISSECT_FILTER}", "udp", "$DPDISSECT_OPTIONS", "--interval 60 --tables connections,ends,rollup").Replace(line)
	cmd, rest, err := newRoot().Find(strings.Fields(line))
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err != nil || cmd.Name() != "tables" || cmd.Flags().NArg() != 0 || cmd.Args(cmd, nil) != nil {
		t.Errorf("%q: %v, %q is left", line, err, cmd.Flags().Args())
	}
}
