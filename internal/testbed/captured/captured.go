// Package captured reads captures for tests.
package captured

import (
	"bytes"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
)

// Datagrams gives all UDP datagrams of a file.
func Datagrams(t testing.TB, file string) (all []dissect.Datagram) {
	t.Helper()
	s, err := capture.Open([]string{file}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for p, ok := s.Next(); ok; p, ok = s.Next() {
		if p.Class == capture.UDP {
			d := p.Datagram
			d.Payload = bytes.Clone(p.Payload)
			all = append(all, d)
		}
	}
	return all
}

// Whole gives the UDP datagrams of a file that are there in full.
func Whole(t testing.TB, file string) []dissect.Datagram {
	t.Helper()
	return slices.DeleteFunc(Datagrams(t, file), func(d dissect.Datagram) bool { return d.Cut() })
}
