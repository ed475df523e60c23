package dp8

import (
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/dissecttest"
	"pgregory.net/rapid"
)

func TestAppendSummary(t *testing.T) {
	for _, tt := range []struct {
		bytes, want string
		params      Params
	}{
		{"88 01 00 00 06 00 01 00 C6 AE C9 79 9D 36 67 23", "CONNECT ver=1.6 session=0x79c9aec6 msg=0 rsp=0 poll", anyParams},
		{"80 02 01 00 05 00 01 00 C6 AE C9 79 9D 36 67 23", "CONNECTED ver=1.5 session=0x79c9aec6 msg=1 rsp=0", anyParams},
		{"80 02 01 00 05 00 01 00 06 00 00 00 9D 36 67 23 AA", "CONNECTED ver=1.5 session=0x00000006 msg=1 rsp=0 trailing=1", anyParams},
		{"8803000006000100c6aec979e1df0400 1032547698badcfe 0000000000000000 0000000000000000 0200000000000000",
			"CONNECTED_SIGNED ver=1.6 session=0x79c9aec6 msg=0 rsp=0 poll full", anyParams},
		{"8003010006000100c6aec979e1df0400 1032547698badcfe 0000000000000000 0000000000000000 0100000000000000",
			"CONNECTED_SIGNED ver=1.6 session=0x79c9aec6 msg=1 rsp=0 fast", anyParams},
		{"80 04 02 00 06 00 01 00 C6 AE C9 79 9D 36 67 23", "HARD_DISCONNECT session=0x79c9aec6 msg=2 rsp=0", anyParams},
		{"80 04 02 01 06 00 01 00 C6 AE C9 79 9D 36 67 23 9D CA 31 39 19 8E 41 46", "HARD_DISCONNECT session=0x79c9aec6 msg=2 rsp=1 signed", anyParams},

		{"80 06 01 00 03 06 00 00 07 5D 11 00", "SACK nseq=3 nrcv=6", anyParams},
		{"80 06 0B 00 03 06 00 00 07 5D 11 00 7A 00 00 00 01 00 00 00", "SACK nseq=3 nrcv=6 sack=8,10-13 drop=2", unsigned16},
		{"88 06 01 02 03 06 00 00 07 5D 11 00 01 02 03 04 05 06 07 08", "SACK nseq=3 nrcv=6 of-retry poll signed", anyParams},
		{"80 06 00 02 03 06 00 00 07 5D 11 00", "SACK nseq=3 nrcv=6", anyParams}, // bRetry is not valid
		{"80 06 1F 00 00 FE 00 00 07 5D 11 00 FF FF FF FF FF FF FF FF 03 00 00 80 FF FF FF FF",
			"SACK nseq=0 nrcv=254 sack=255-62 drop=192-224,254,255", unsigned16},

		{"3D 00 05 03 01 41 42 43 44 45", "DFRAME seq=5 nrcv=3 len=6 unreliable sequential poll", anyParams},
		{"33 01 05 03 41", "DFRAME seq=5 nrcv=3 len=1 reliable unordered retry", anyParams},
		{"31 00 05 03", "DFRAME seq=5 nrcv=3 len=0 unreliable unordered", anyParams},
		{"3F 08 05 03", "DFRAME seq=5 nrcv=3 len=0 reliable sequential end-stream poll", anyParams},
		{"37 09 05 03", "DFRAME seq=5 nrcv=3 len=0 reliable sequential retry end-stream", anyParams},
		{"17 00 05 03 41", "DFRAME seq=5 nrcv=3 len=1 reliable sequential first part", anyParams},
		{"07 00 05 03 41", "DFRAME seq=5 nrcv=3 len=1 reliable sequential part", anyParams},
		{"27 00 05 03 41", "DFRAME seq=5 nrcv=3 len=1 reliable sequential last part", anyParams},
		{"7F 00 01 00 C1 00 00 00", "DFRAME seq=1 nrcv=0 len=4 PLAYER_CONNECT_INFO reliable sequential poll", anyParams},
		{"7F 00 01 00 41 00 00 00", "DFRAME seq=1 nrcv=0 len=4 reliable sequential poll", anyParams},
		{"B5 00 01 00 41", "DFRAME seq=1 nrcv=0 len=1 voice unreliable sequential", anyParams},
		{"37 50 09 05 05 00 00 00 08 00 00 00 41", "DFRAME seq=9 nrcv=5 sack=6,8 drop=5 len=1 reliable sequential", unsigned16},
		{"3F 02 05 03 C6 AE C9 79", "DFRAME seq=5 nrcv=3 len=4 reliable sequential correlate poll", unsigned14},
		{"37 10 05 02 02 00 00 00 87 C4 C9 7F A5 AC 5E 85 61 62 63", "DFRAME seq=5 nrcv=2 sack=4 len=3 reliable sequential signed", signed16},

		{"3F 02 00 00 C6 AE C9 79", "KeepAlive seq=0 nrcv=0 session=0x79c9aec6 poll", anyParams},
		{"37 03 07 02 01 02 03 04 05 06 07 08 C6 AE C9 79", "KeepAlive seq=7 nrcv=2 session=0x79c9aec6 retry signed", signed16},
		{"37 02 07 02 C6 AE C9 79 41 42", "KeepAlive seq=7 nrcv=2 session=0x79c9aec6 trailing=2", unsigned16},

		{"37 04 07 02 03 06 02 06 01 05 00 00 41 42 43 00 44 45 00 00 46", "DFRAME seq=7 nrcv=2 3 payloads (3+2+1) reliable sequential", unsigned16},
		{"37 04 07 02 01 07 00 00 41 AA", "DFRAME seq=7 nrcv=2 1 payload (1) trailing=1 reliable sequential", unsigned16},

		{"00 01", "not DirectPlay 8", anyParams},
		{"", "not DirectPlay 8", anyParams},
		{"37 04 07", "DFRAME seq=7 nrcv=0 0 payloads reliable sequential", anyParams}, // cut: what was read
	} {
		var f Frame
		f.Decode(dissecttest.Unhex(t, tt.bytes), tt.params, nil)
		if got := string(AppendSummary([]byte("> "), &f)); got != "> "+tt.want {
			t.Errorf("%s\ngot  %s\nwant > %s", tt.bytes, got, tt.want)
		}
	}
}

func TestAppendSummaryListsEightSizes(t *testing.T) {
	for n, want := range map[int]string{8: " 8 payloads (4+4+4+4+4+4+4+4) ", 9: " 9 payloads (4+4+4+4+4+4+4+4+...) "} {
		var f Frame
		f.Decode(manyHeaders(n), unsigned16, nil)
		if got := string(AppendSummary(nil, &f)); !strings.Contains(got, want) {
			t.Errorf("%s, want %q", got, want)
		}
	}
}

// The runs of a summary name the same numbers as the tree.
func TestAppendSummaryRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.Uint8().Draw(t, "base")
		mask := rapid.Uint64().Draw(t, "mask") & rapid.Uint64().Draw(t, "fewer") << rapid.IntRange(0, 63).Draw(t, "shift")
		if rapid.Bool().Draw(t, "many") {
			mask = ^mask
		}
		var sacked, dropped uint64
		for _, n := range expand(string(appendSacked(nil, base, mask)), " sack=") {
			sacked |= 1 << (n - base - 1)
		}
		for _, n := range expand(string(appendDropped(nil, base, mask)), " drop=") {
			dropped |= 1 << (base - 1 - n)
		}
		if sacked != mask || dropped != mask {
			t.Fatalf("mask %#x: sack %#x, drop %#x", mask, sacked, dropped)
		}
	})
}

// expand reads "1,3-5" back into numbers.
func expand(s, name string) (ids []uint8) {
	s, ok := strings.CutPrefix(s, name)
	if !ok {
		return nil
	}
	for run := range strings.SplitSeq(s, ",") {
		first, last, isRun := strings.Cut(run, "-")
		if !isRun {
			last = first
		}
		for n := number(first); ; n++ {
			ids = append(ids, n)
			if n == number(last) {
				break
			}
		}
	}
	return ids
}

func number(s string) (n uint8) {
	for _, c := range s {
		n = n*10 + uint8(c-'0')
	}
	return n
}
