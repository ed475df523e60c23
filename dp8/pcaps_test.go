package dp8_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/internal/testbed/pcaps"
)

// eachDatagram calls do for each UDP datagram of a file that is there in full.
func eachDatagram(t *testing.T, file string, do func(d *dissect.Datagram)) int {
	t.Helper()
	all := captured.Whole(t, file)
	for i := range all {
		do(&all[i])
	}
	return len(all)
}

// Nothing in captures of other protocols is a neighbour. Were their ports usual
// ones, a few would be taken on weak evidence, and none on strong.
func TestNeighbourForeignCaptures(t *testing.T) {
	datagrams, zero, weak := 0, 0, 0
	for _, file := range pcaps.Files(t, "foreign/*", "hazel/*", "knet/*") {
		datagrams += eachDatagram(t, file, func(d *dissect.Datagram) {
			if len(d.Payload) > 1 && d.Payload[0] == 0 && d.Payload[1] <= dp8.NATResponse {
				zero++
			}
			if p, strong := dp8.Neighbour(d.Payload, [2]uint16{d.Src.Port, d.Dst.Port}); p != nil {
				t.Errorf("%s: frame %d is taken for %s (strong=%v): %s\n% x", filepath.Base(file), d.Frame, p.Name, strong,
					dp8.AppendNeighbourSummary(nil, d.Payload), d.Payload)
			}
			if p, strong := dp8.Neighbour(d.Payload, [2]uint16{2302, 50000}); strong {
				t.Errorf("%s: frame %d is strong evidence of %s", filepath.Base(file), d.Frame, p.Name)
			} else if p != nil {
				weak++
			}
		})
	}
	t.Logf("%d datagrams, %d of them with a first byte of zero and a neighbour's second, %d taken on usual ports", datagrams, zero, weak)
	if weak > datagrams/1000 {
		t.Errorf("%d of %d datagrams would be taken on usual ports", weak, datagrams)
	}
	if datagrams < 1000 || zero == 0 {
		t.Errorf("%d datagrams, %d of them near misses: too few to prove anything", datagrams, zero)
	}
}

// The datagrams printed in MC-DPLNAT 4 and MC-DPL8CS 4.
func TestMC_DPLNAT_4_Capture(t *testing.T) {
	want := []string{
		"NAT_RESOLVER_QUERY id=0xd5f1 source=0xba51163c",
		"NAT_RESOLVER_RESPONSE id=0xd5f1 source=0xba51163c address=65.52.252.61:2302",
		"CONNECT ver=1.6 session=0x50b01ce4 msg=0 rsp=0 poll",
		"PATH_TEST id=0xd0c1 key=b882dd929ce9aff9",
		"CONNECT ver=1.6 session=0x50b01ce4 msg=1 rsp=0 poll",
		"DFRAME seq=1 nrcv=0 len=120 PLAYER_CONNECT_INFO reliable sequential poll",
		"DFRAME seq=1 nrcv=2 len=372 SEND_CONNECT_INFO reliable sequential poll",
		"DFRAME seq=5 nrcv=3 len=402 unreliable sequential poll",
	}
	var got []string
	for _, file := range pcaps.Files(t, "directplay/real_openspec_dplnat.pcap", "directplay/real_openspec_dpl8cs.pcap") {
		eachDatagram(t, file, func(d *dissect.Datagram) {
			if p, _ := dp8.Neighbour(d.Payload, [2]uint16{d.Src.Port, d.Dst.Port}); p != nil {
				got = append(got, string(dp8.AppendNeighbourSummary(nil, d.Payload)))
				return
			}
			var f dp8.Frame
			if err := f.Decode(d.Payload, dp8.Params{}, nil); err != nil {
				t.Errorf("frame %d: %v", d.Frame, err)
			}
			got = append(got, string(dp8.AppendSummary(nil, &f)))
		})
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

// A truth is what the generator of a capture says of its packets.
type truth struct {
	Connections []struct{ Signing string }
	Packets     []struct {
		F         []uint64
		K         string
		S, N      *int64
		ID        *uint8
		Retry     int
		KeepAlive bool
		EndStream bool `json:"end_stream"`
	}
}

// Every datagram of the generated captures decodes, encodes to the same bytes
// and has the numbers that its generator gave it.
func TestCapturesDecode(t *testing.T) {
	for _, file := range pcaps.Files(t, "directplay/dp8_*") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var tr truth
			pcaps.Truth(t, file, &tr)
			p := dp8.Params{Signing: dp8.Unsigned, Version: dp8.Version16}
			if tr.Connections[0].Signing != "none" {
				p.Signing = dp8.Signed
			}
			frames := map[uint64]dp8.Frame{}
			eachDatagram(t, file, func(d *dissect.Datagram) {
				if proto, _ := dp8.Neighbour(d.Payload, [2]uint16{d.Src.Port, d.Dst.Port}); proto != nil {
					if out, ok := proto.Reencode(d.Payload); !ok || !bytes.Equal(out, d.Payload) {
						t.Errorf("frame %d: %s refused or changed it", d.Frame, proto.Name)
					}
					return
				}
				var f dp8.Frame
				if err := f.Decode(d.Payload, p, nil); err != nil {
					t.Errorf("frame %d: %v", d.Frame, err)
				} else if !bytes.Equal(f.Append(nil), d.Payload) {
					t.Errorf("frame %d: encoded to other bytes", d.Frame)
				}
				frames[d.Frame] = f
			})
			if len(frames) < 1000 {
				t.Errorf("%d frames", len(frames))
			}
			for _, want := range tr.Packets {
				for _, n := range want.F {
					f, ok := frames[n]
					if !ok || f.Type.String() != want.K {
						t.Errorf("frame %d: %v, want %s", n, f.Type, want.K)
						continue
					}
					compareTruth(t, n, &f, want.S, want.N, want.ID, want.Retry > 0, want.KeepAlive, want.EndStream)
				}
			}
		})
	}
}

func compareTruth(t *testing.T, n uint64, f *dp8.Frame, s, nrcv *int64, id *uint8, retry, keepAlive, endStream bool) {
	t.Helper()
	switch f.Type {
	case dp8.TypeDFrame:
		d := &f.DFrame
		if d.Seq != uint8(*s) || d.NRcv != uint8(*nrcv) || (d.Control&dp8.CtlRetry != 0) != retry || d.KeepAlive != keepAlive || (d.Control&dp8.CtlEndStream != 0) != endStream {
			t.Errorf("frame %d: %s; want seq %d nrcv %d retry %v keepalive %v end %v", n, dp8.AppendSummary(nil, f), uint8(*s), uint8(*nrcv), retry, keepAlive, endStream)
		}
	case dp8.TypeSACK:
		if k := &f.SACK; k.NSeq != uint8(*s) || k.NRcv != uint8(*nrcv) {
			t.Errorf("frame %d: %s; want nseq %d nrcv %d", n, dp8.AppendSummary(nil, f), uint8(*s), uint8(*nrcv))
		}
	default:
		if id != nil && f.Handshake.MsgID != *id {
			t.Errorf("frame %d: %s; want id %d", n, dp8.AppendSummary(nil, f), *id)
		}
	}
}
