package main

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/report"
)

// Pseudonyms replace addresses and words by ones that mean nothing, the same for the same; nil
// replaces nothing. Addresses are replaced before they are tracked, in the order of their
// first packets, so that everything that speaks of them speaks alike.
type pseudonyms struct {
	addresses map[[16]byte][16]byte
	v4, v6    uint32
	texts     map[string]string

	mu   sync.RWMutex
	real map[[16]byte][16]byte // the other way
}

func (c *reportCommand) pseudonyms() *pseudonyms {
	if !c.redact {
		return nil
	}
	return &pseudonyms{texts: map[string]string{}, real: map[[16]byte][16]byte{}}
}

// attach makes a pass over the captures see other addresses. Each pass begins again, and
// gives the same ones.
func (v *pseudonyms) attach(r *pipeline.Run) {
	if v == nil {
		return
	}
	v.addresses, v.v4, v.v6 = map[[16]byte][16]byte{}, 0, 0
	before := r.Before
	r.Before = func(p *capture.Packet) {
		if p.Class == capture.UDP || p.Class == capture.Unreachable {
			v.address(&p.Src)
			v.address(&p.Dst)
		}
		if before != nil {
			before(p)
		}
	}
}

// address replaces the address of an endpoint. What stands for many hosts, or for the host
// itself, stays: 198.18.0.0/15 and 2001:db8::/32 are for examples and tests (RFC 2544,
// RFC 3849).
func (v *pseudonyms) address(e *dissect.Endpoint) {
	addr := e.Addr()
	if addr.IsMulticast() || addr.IsLoopback() || addr.IsUnspecified() || e.IP[12] == 255 && addr.Is4() {
		return
	}
	to, ok := v.addresses[e.IP]
	if !ok {
		to = e.IP
		if addr.Is4() {
			v.v4++
			binary.BigEndian.PutUint32(to[12:], 198<<24|18<<16|v.v4&0x1ffff)
		} else {
			v.v6++
			to = [16]byte{0: 0x20, 1: 0x01, 2: 0x0d, 3: 0xb8}
			binary.BigEndian.PutUint32(to[12:], v.v6)
		}
		v.addresses[e.IP] = to
		v.mu.Lock()
		v.real[to] = e.IP
		v.mu.Unlock()
	}
	e.IP = to
}

// realAddress gives an endpoint its own address again: -Y asks for what is in the capture.
func (v *pseudonyms) realAddress(e *dissect.Endpoint) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if real, ok := v.real[e.IP]; ok {
		e.IP = real
	}
}

// words replaces what packets say in words, and the paths of captures.
func (v *pseudonyms) words(a *report.Analysis) {
	for _, c := range a.Conns {
		c.Reason = v.text(c.Reason)
	}
	for i := range a.Captures {
		a.Captures[i].Path = fmt.Sprintf("capture %d", i+1)
	}
}

// text is what stands for a text.
func (v *pseudonyms) text(s string) string {
	if s == "" {
		return ""
	}
	if v.texts[s] == "" {
		v.texts[s] = fmt.Sprintf("text %d", len(v.texts)+1)
	}
	return v.texts[s]
}
