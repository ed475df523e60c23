// Package dissecttest holds the checks that every protocol runs with one call:
//
//	func TestProtocol(t *testing.T) { dissecttest.Protocol(t, foo.Protocol) }
//	func FuzzProtocol(f *testing.F) { dissecttest.Fuzz(f, foo.Protocol) }
//
// They hold the field table to its rules and the decoder to its promises: every
// byte has one owner, a cut datagram keeps what stands before the cut, what is
// accepted encodes to the same bytes, and nothing panics.
package dissecttest

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// An Option asks for a check that not every protocol promises.
type Option func(*config)

type config struct {
	allocFree bool
	mutations int // random ones for each sample
}

// AllocFree also checks that decoding a sample into a reused tree allocates
// nothing.
func AllocFree() Option { return func(c *config) { c.allocFree = true } }

// Mutations sets how many random mutations of each sample are tried, on top of
// the systematic ones; the default is 500.
func Mutations(n int) Option { return func(c *config) { c.mutations = n } }

// Protocol runs all checks on p, each as a subtest.
func Protocol(t *testing.T, p *dissect.Protocol, opts ...Option) {
	t.Helper()
	for _, c := range checks(opts) {
		t.Run(c.name, func(t *testing.T) {
			for _, err := range c.run(p) {
				t.Error(err)
			}
		})
	}
}

// Fuzz fuzzes p's decoder with the checks that hold for any bytes, seeded with
// the samples and with each sample cut short.
func Fuzz(f *testing.F, p *dissect.Protocol) {
	f.Helper()
	for _, s := range p.Samples() {
		f.Add(s)
		f.Add(s[:len(s)/2])
	}
	v := newVerifier(p)
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := v.verify(data); err != nil {
			t.Fatal(err)
		}
	})
}

// A check finds what is wrong with a protocol; an empty result is a pass.
type check struct {
	name string
	run  func(*dissect.Protocol) []error
}

func checks(opts []Option) []check {
	c := config{mutations: 500}
	for _, o := range opts {
		o(&c)
	}
	list := []check{
		{"table", checkTable},
		{"samples", checkSamples},
		{"cuts", checkCuts},
		{"mutations", func(p *dissect.Protocol) []error { return checkMutations(p, c.mutations) }},
	}
	if c.allocFree {
		list = append(list, check{"allocations", checkAllocs})
	}
	return list
}

// maxErrors ends a check early: the first failures say enough.
const maxErrors = 10
