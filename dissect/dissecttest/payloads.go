package dissecttest

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// checkSamples checks that each sample is valid and each type has one.
func checkSamples(p *dissect.Protocol) (errs []error) {
	samples := p.Samples()
	if len(samples) == 0 {
		return []error{fmt.Errorf("%s has no samples", p.Name)}
	}
	v := newVerifier(p)
	seen := map[string]bool{}
	for i, s := range samples {
		if err := v.verify(s); err != nil {
			errs = append(errs, fmt.Errorf("sample %d: %w", i, err))
			continue
		}
		var t dissect.Tree
		t.Reset(s)
		typ, err := p.Decode(&t)
		if err != nil {
			errs = append(errs, fmt.Errorf("sample %d: %w\npayload % x", i, err, s))
		}
		seen[typ] = true
	}
	for _, typ := range p.Types {
		if !seen[typ] {
			errs = append(errs, fmt.Errorf("no sample has type %s", typ))
		}
	}
	return errs
}

// checkCuts cuts each sample at each byte. What is left is accepted as another
// valid datagram, or refused with the tree keeping what stands before the error.
func checkCuts(p *dissect.Protocol) (errs []error) {
	v := newVerifier(p)
	for i, s := range p.Samples() {
		for n := range s {
			if err := v.cut(s, n); err != nil {
				errs = append(errs, fmt.Errorf("sample %d cut at byte %d: %w", i, n, err))
			}
			if len(errs) >= maxErrors {
				return errs
			}
		}
	}
	return errs
}

func (v *verifier) cut(sample []byte, n int) error {
	if err := v.verify(sample[:n:n]); err != nil {
		return err
	}
	var whole, short dissect.Tree
	whole.Reset(sample)
	v.p.Decode(&whole)
	short.Reset(sample[:n:n])
	if _, err := v.p.Decode(&short); err != nil {
		return keeps(&whole, &short, err)
	}
	return nil
}

// keeps checks that the tree of a cut datagram holds nothing but nodes of the
// whole one, in their order, and all of those whose bytes end before the error.
func keeps(whole, short *dissect.Tree, err *dissect.Error) error {
	nodes := short.Nodes
	for i := range whole.Nodes {
		n := &whole.Nodes[i]
		switch {
		case len(nodes) > 0 && sameNode(whole, n, short, &nodes[0]):
			nodes = nodes[1:]
		case n.Len > 0 && !group(n) && n.Off+n.Len <= err.Offset:
			return fmt.Errorf("%v: but %s at byte %d before it is gone", err, n.Field.Name, n.Off)
		}
	}
	if len(nodes) > 0 && nodes[0].Field != &dissect.Undecoded {
		return fmt.Errorf("%v: but %s at byte %d is not in the tree of the whole datagram", err, nodes[0].Field.Name, nodes[0].Off)
	}
	return nil
}

// checkMutations changes each sample in every byte, and then at random. The
// seed is fixed: a failure can be repeated.
func checkMutations(p *dissect.Protocol, random int) (errs []error) {
	v := newVerifier(p)
	try := func(b []byte) bool {
		if err := v.verify(b); err != nil {
			errs = append(errs, err)
		}
		return len(errs) < maxErrors
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, s := range p.Samples() {
		systematic(s, try)
		for i := 0; i < random && len(errs) < maxErrors; i++ {
			try(mutate(rnd, bytes.Clone(s)))
		}
		if len(errs) >= maxErrors {
			break
		}
	}
	return errs
}

// systematic changes one byte at a time: each bit, some values, gone, doubled.
// In long samples the bytes in the middle are visited in steps.
func systematic(s []byte, try func([]byte) bool) {
	step := 1
	for i := 0; i < len(s); i += step {
		if i > 192 {
			step = 29
		}
		for bit := range 8 {
			if !try(replace(s, i, s[i]^1<<bit)) {
				return
			}
		}
		for _, val := range []byte{0, 0x7f, 0x80, 0xff} {
			if !try(replace(s, i, val)) {
				return
			}
		}
		if !try(slices.Delete(bytes.Clone(s), i, i+1)) || !try(slices.Insert(bytes.Clone(s), i, s[i])) {
			return
		}
	}
	for n := 1; n <= 9; n++ {
		if !try(append(bytes.Clone(s), make([]byte, n)...)) {
			return
		}
	}
}

func replace(s []byte, i int, v byte) []byte {
	s = bytes.Clone(s)
	s[i] = v
	return s
}

// mutate applies one to four random changes.
func mutate(rnd *rand.Rand, s []byte) []byte {
	for range 1 + rnd.IntN(4) {
		switch i := rnd.IntN(len(s) + 1); {
		case i == len(s) || rnd.IntN(8) == 0:
			s = append(s, byte(rnd.Uint32()))
		case rnd.IntN(8) == 0:
			s = s[:i]
		case rnd.IntN(8) == 0:
			s = slices.Delete(s, i, i+1)
		default:
			s[i] = byte(rnd.Uint32())
		}
	}
	return s
}

// checkAllocs checks that decoding into a reused tree allocates nothing.
func checkAllocs(p *dissect.Protocol) (errs []error) {
	var t dissect.Tree
	for i, s := range p.Samples() {
		decode := func() {
			t.Reset(s)
			p.Decode(&t)
		}
		decode()
		if n := testing.AllocsPerRun(20, decode); n != 0 {
			errs = append(errs, fmt.Errorf("sample %d: decoding into a reused tree allocates %v times\npayload % x", i, n, s))
		}
	}
	return errs
}

// Unhex gives the bytes that hex digits, with spaces between them, stand for.
func Unhex(t testing.TB, digits string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
