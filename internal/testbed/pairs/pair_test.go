package pairs

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A plain datagram is one as the plain reader sees it.
type plain struct {
	frame   int
	time    int64 // µs
	payload string
	id      uint16
}

// readPlain reads the whole UDP datagrams of a little-endian pcap file with Ethernet frames,
// by nothing but the numbers of the RFCs, and checks their checksums.
func readPlain(t *testing.T, file []byte) (all []plain, wrong int) {
	t.Helper()
	le := binary.LittleEndian
	if le.Uint32(file) != 0xa1b2c3d4 || le.Uint32(file[20:]) != 1 {
		t.Fatal("no pcap with Ethernet")
	}
	frame := 0
	for at := 24; at < len(file); frame++ {
		sec, usec, kept := le.Uint32(file[at:]), le.Uint32(file[at+4:]), int(le.Uint32(file[at+8:]))
		ip := file[at+16+14 : at+16+kept]
		at += 16 + kept
		var udp, pseudo []byte
		id := uint16(0)
		switch {
		case ip[0]>>4 == 6 && ip[6] == 17:
			udp, pseudo = ip[40:40+binary.BigEndian.Uint16(ip[4:])], ip[8:40]
		case ip[0]>>4 == 4 && ip[9] == 17 && binary.BigEndian.Uint16(ip[6:])&0x3fff == 0:
			udp, pseudo, id = ip[20:binary.BigEndian.Uint16(ip[2:])], ip[12:20], binary.BigEndian.Uint16(ip[4:])
			if onesSum(0, ip[:20]) != 0xffff {
				t.Errorf("frame %d: the checksum of the IP header is wrong", frame+1)
			}
		default:
			continue
		}
		if onesSum(17+uint32(len(udp)), append(bytes.Clone(pseudo), udp...)) != 0xffff {
			wrong++
		}
		all = append(all, plain{frame + 1, int64(sec)*1e6 + int64(usec), string(udp[8:]), id})
	}
	return all, wrong
}

func onesSum(sum uint32, b []byte) uint32 {
	if len(b)%2 == 1 {
		b = append(bytes.Clone(b), 0)
	}
	for ; len(b) > 0; b = b[2:] {
		sum += uint32(b[0])<<8 | uint32(b[1])
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return sum
}

// TestTruthByUniquePayloads: what a plain reader finds by payloads that stand in each
// capture once is what the truth tells, with the times that the clocks show.
func TestTruthByUniquePayloads(t *testing.T) {
	plans := map[string]Plan{
		"plain":  {At: [2]sim.Place{0, 1}},
		"misses": {At: [2]sim.Place{0, 1}, Points: [2]Capture{{Miss: 0.02, Burst: 8, From: 0.05}, {Miss: 0.2, To: 0.7}}},
		"proxy": {At: [2]sim.Place{1, 2}, NAT: Proxy, NewIDs: true, Hops: 5, Rebind: time.Second,
			Points: [2]Capture{{Clock: Clock{Offset: -7 * time.Second, PPM: 50, Steps: []Step{{2 * time.Second, -40 * time.Millisecond}}}}, {}}},
	}
	pairs := 0
	for name, plan := range plans {
		for _, proto := range []string{"dp8", "dp4", "knet", "hazel"} {
			for seed := uint64(1); seed <= 12; seed++ {
				s, _ := tracegen.WildUnder(proto, seed, tracegen.Conditions{Place: 0.5, Loss: 0.03, Dup: 0.01, Late: 0.02, LateBy: 25 * time.Millisecond})
				log, err := s.Wires(tracegen.Way{})
				if err != nil {
					t.Fatal(err)
				}
				pairs += checkPlain(t, fmt.Sprintf("%s of %s/%d", name, proto, seed), Take(log, plan, seed))
			}
		}
	}
	if t.Logf("%d datagrams", pairs); pairs < 20000 {
		t.Errorf("%d datagrams prove nothing", pairs)
	}
}

// checkPlain compares a pair with its truth and tells how many datagrams had their match.
func checkPlain(t *testing.T, name string, p *Pair) int {
	t.Helper()
	var found [2][]plain
	var once [2]map[string]plain
	var times [2]map[string]int
	of := [2]map[int]*Datagram{{}, {}}
	for point := range found {
		var file bytes.Buffer
		if err := p.Write(&file, point); err != nil {
			t.Fatal(err)
		}
		wrong := 0
		if found[point], wrong = readPlain(t, file.Bytes()); wrong > 0 {
			t.Errorf("%s: %d datagrams with wrong checksums", name, wrong)
		}
		times[point] = map[string]int{}
		once[point] = map[string]plain{}
		for _, d := range found[point] {
			times[point][d.payload]++
			once[point][d.payload] = d
		}
		for payload, n := range times[point] {
			if n > 1 || len(payload) < 6 {
				delete(once[point], payload)
			}
		}
		for i := range p.Truth.Datagrams {
			d := &p.Truth.Datagrams[i]
			for _, frame := range d.Frames[point] {
				of[point][frame] = d
			}
		}
	}
	for _, d := range found[0] {
		if of[0][d.frame] == nil {
			t.Fatalf("%s: frame %d of point 1 is in no truth", name, d.frame)
		}
	}
	pairs := 0
	for payload, one := range once[0] {
		two, both := once[1][payload]
		d := of[0][one.frame]
		switch {
		case !both:
			if d.Fate == Delivered && times[1][payload] == 0 && !d.Altered {
				t.Errorf("%s: frame %d is said to be delivered, and nothing like it is at point 2", name, one.frame)
			}
			if p.Plan.Points[0].Miss == 0 && times[1][payload] == 0 && d.First == 0 && d.Fate != LostBetween {
				t.Errorf("%s: frame %d is at point 1 alone, and the truth says %s", name, one.frame, d.Fate)
			}
			continue
		case !p.Plan.NewIDs && one.id != two.id, one.id == 0 && p.Plan.Points[0].Miss > 0 && of[1][two.frame] != d: // two transmissions
			continue
		case of[1][two.frame] != d || d.Fate != Delivered:
			t.Errorf("%s: frames %d and %d have the same payload, and the truth says %s", name, one.frame, two.frame, d.Fate)
			continue
		case p.Plan.NewIDs && one.id != 0 && one.id == two.id:
			t.Errorf("%s: frames %d and %d have identifications %d and %d", name, one.frame, two.frame, one.id, two.id)
		}
		pairs++
		at := [2]int64{d.Sent, d.Sent + d.OneWay} // of the first copy that passed
		if d.First == 1 {
			at[0], at[1] = at[1], at[0]
		}
		for point, shown := range []int64{one.time, two.time} {
			clock := p.Plan.Points[point].Clock
			if told := clock.Tell(p.Truth.Start, at[point]); max(told/1000-shown, shown-told/1000) > 1 {
				t.Errorf("%s: frame %d of point %d has time %d, want %d", name, one.frame, point+1, shown, told/1000)
			}
		}
	}
	return pairs
}
