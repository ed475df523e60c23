// Package captured reads captures for tests.
package captured

import (
	"bytes"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
)

// Datagrams gives all UDP datagrams of a file.
func Datagrams(t testing.TB, file string) []dissect.Datagram {
	t.Helper()
	return read(t, file, capture.UDP)
}

// read gives what a file has of some classes.
func read(t testing.TB, file string, classes ...capture.Class) (all []dissect.Datagram) {
	t.Helper()
	s, err := capture.Open([]string{file}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for p, ok := s.Next(); ok; p, ok = s.Next() {
		if slices.Contains(classes, p.Class) {
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

// Tracked gives what a tracker is shown of a file: datagrams and ICMP notices.
func Tracked(t testing.TB, file string) []dissect.Datagram {
	t.Helper()
	return read(t, file, capture.UDP, capture.Unreachable)
}

// In puts datagrams into a network, the second byte of their IPv4 addresses.
func In(network byte, all []dissect.Datagram) []dissect.Datagram {
	for i := range all {
		all[i].Src.IP[13], all[i].Dst.IP[13] = network, network
	}
	return all
}

// Write writes the IPv4 datagrams to a file of raw IP.
func Write(t testing.TB, name string, all []dissect.Datagram) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	out, err := capture.NewWriter(f, capture.WriterOptions{Format: "pcap", Interfaces: []capture.Interface{{Link: capture.LinkRaw}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		d := all[i]
		if d.Kind != dissect.UDP || d.IPv6 {
			continue
		}
		there := 28 + len(d.Payload)
		if d.Cut() {
			d.Payload = append(slices.Clone(d.Payload), make([]byte, d.Length-len(d.Payload))...)
		}
		r := capture.Record{Data: rawIPv4(&d), Time: d.Time, HasTime: true}
		r.WireLen, r.Data = len(r.Data), r.Data[:there]
		if err := out.Write(&r); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
}

// rawIPv4 puts a datagram into an IPv4 packet, without a checksum of UDP, from and to 10.0.0.0/8.
func rawIPv4(d *dissect.Datagram) []byte {
	size := 28 + len(d.Payload)
	b := make([]byte, 28, size)
	b[0], b[2], b[3], b[4], b[5], b[8], b[9] = 0x45, byte(size>>8), byte(size), byte(d.IPID>>8), byte(d.IPID), 64, 17
	copy(b[12:], []byte{10, d.Src.IP[13], d.Src.IP[14], d.Src.IP[15], 10, d.Dst.IP[13], d.Dst.IP[14], d.Dst.IP[15]})
	b[20], b[21], b[22], b[23] = byte(d.Src.Port>>8), byte(d.Src.Port), byte(d.Dst.Port>>8), byte(d.Dst.Port)
	b[24], b[25] = byte((size-20)>>8), byte(size-20)
	var sum uint32
	for i := 0; i < 20; i += 2 {
		sum += uint32(b[i])<<8 | uint32(b[i+1])
	}
	sum = sum&0xffff + sum>>16
	sum = ^(sum&0xffff + sum>>16)
	b[10], b[11] = byte(sum>>8), byte(sum)
	return append(b, d.Payload...)
}

// NoiseBefore puts so many datagrams of noise between the addresses of the first one before all of a file.
func NoiseBefore(t testing.TB, file string, packets int) {
	t.Helper()
	all := Tracked(t, file)
	rnd := rand.New(rand.NewPCG(1, 2))
	var noise []dissect.Datagram
	for i := range packets {
		d := all[0]
		if i%2 == 1 {
			d.Src, d.Dst = d.Dst, d.Src
		}
		d.Time -= int64(packets-i)*1e6 + 2e9
		d.Payload = make([]byte, 100)
		for j := range d.Payload {
			d.Payload[j] = byte(rnd.Uint32())
		}
		noise = append(noise, d)
	}
	Write(t, file, append(noise, all...))
}
