package capture

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// While Near reports so, what was read before stays as it is: in captures of every format
// and compression, whole and cut, fragments among them.
func TestNear(t *testing.T) {
	paths, _ := filepath.Glob("../../testdata/pcaps/*/*.pcap*")
	if len(paths) == 0 {
		t.Fatal("no traces")
	}
	var fragments [][]byte
	rnd := rand.New(rand.NewPCG(1, 2))
	for id := range 400 {
		payload := bytes.Repeat([]byte{byte(id)}, 1+rnd.IntN(2000))
		whole := udpBytes([]byte{10, 0, 0, 1}, []byte{10, 0, 0, 2}, payload)
		cut := len(whole) / 2 &^ 7
		fragments = append(fragments,
			etherBytes(etherIPv4, ipv4Bytes(protoUDP, id, ipv4More, whole[:cut])),
			etherBytes(etherIPv4, ipv4Bytes(protoUDP, id, cut/8, whole[cut:])))
	}
	var recs []Record
	for i, b := range fragments {
		recs = append(recs, record(b, int64(i)))
	}
	paths = append(paths, onDisk(t, file(t, WriterOptions{Format: "pcap", Interfaces: []Interface{{Link: LinkEthernet}}}, recs...))...)
	far, near := 0, 0
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, whole := range []bool{true, false} {
			name := path
			if !whole {
				name = onDisk(t, b[:rnd.IntN(len(b))])[0]
			}
			src := open(t, Options{}, name)
			var kept, copies [][]byte
			for {
				ps := make([]Packet, 1+rnd.IntN(4))
				n, came := src.Read(ps)
				if came != Given {
					break
				}
				for _, p := range ps[:n] {
					kept, copies = append(kept, p.Payload), append(copies, bytes.Clone(p.Payload))
				}
				for i := range kept {
					if !bytes.Equal(kept[i], copies[i]) {
						t.Fatalf("%s: packet %d overwrites one before it", path, ps[n-1].Frame)
					}
				}
				if !src.Near() || len(kept) >= 64 {
					far++
					kept, copies = kept[:0], copies[:0]
				} else {
					near += n
				}
			}
		}
	}
	if near < 10*far || far < len(paths) {
		t.Errorf("%d packets are near, %d are not", near, far)
	}
}
