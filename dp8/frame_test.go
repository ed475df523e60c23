package dp8

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/dissecttest"
	"pgregory.net/rapid"
)

// decodeTree decodes into a new tree and gives the frame, or nil on an error.
func decodeTree(payload []byte, p Params) (*Frame, *dissect.Tree) {
	tree := new(dissect.Tree)
	tree.Reset(payload)
	f := new(Frame)
	if f.Decode(payload, p, tree) != nil {
		return nil, tree
	}
	return f, tree
}

// only is the frame without what Type says is not filled.
func only(f *Frame) Frame {
	g := Frame{Type: f.Type}
	switch f.Type {
	case TypeNone:
	case TypeSACK:
		g.SACK = f.SACK
	case TypeDFrame:
		g.DFrame = f.DFrame
		if !g.DFrame.Coalesced {
			g.DFrame.Coalesce = Coalesce{}
		}
		clear(g.DFrame.Coalesce.Parts[g.DFrame.Coalesce.N:])
	default:
		g.Handshake = f.Handshake
	}
	return g
}

func TestMC_DPL8R_2_2_TypeNames(t *testing.T) {
	for typ, want := range map[Type]string{TypeNone: "", TypeConnect: "CONNECT", TypeConnected: "CONNECTED", TypeConnectedSigned: "CONNECTED_SIGNED",
		TypeHardDisconnect: "HARD_DISCONNECT", TypeSACK: "SACK", TypeDFrame: "DFRAME"} {
		if typ.String() != want {
			t.Errorf("%d: %q, want %q", typ, typ, want)
		}
	}
	for op, typ := range map[uint64]Type{OpConnect: TypeConnect, OpConnected: TypeConnected, OpConnectedSigned: TypeConnectedSigned,
		OpHardDisconnect: TypeHardDisconnect, OpSACK: TypeSACK} {
		if name := Fields[fOpcode].ValueName(op); name != typ.String() {
			t.Errorf("opcode %d is called %q", op, name)
		}
	}
}

// MC-DPL8R 3.1.5: every first byte, with enough bytes after it.
func TestMC_DPL8R_3_1_5_Dispatch(t *testing.T) {
	for head := range 256 {
		payload := make([]byte, 16)
		payload[0], payload[1] = byte(head), OpConnect
		var f Frame
		err := f.Decode(payload, Params{Version: 0x00010004}, nil)
		want := TypeNone
		switch {
		case head&1 != 0:
			want = TypeDFrame
		case head == 0x80 || head == 0x88:
			want = TypeConnect
		}
		if f.Type != want || (err == nil) != (want != TypeNone) {
			t.Errorf("%02x: %v %v, want %v", head, f.Type, err, want)
		}
	}
	if got := new(Frame).Append([]byte{7}); len(got) != 1 {
		t.Errorf("an empty frame encodes to % x", got)
	}
}

// Encode, then decode: the same frame comes back, for all Params.
func TestMC_DPL8R_2_2_EncodeDecode(t *testing.T) {
	for _, p := range allParams() {
		t.Run(fmt.Sprintf("signing %d version %#x", p.Signing, p.Version), func(t *testing.T) {
			var reused Frame
			rapid.Check(t, func(t *rapid.T) {
				want := drawFrame(t, p)
				payload := want.Append(nil)
				got, tree := decodeTree(payload, p)
				if got == nil {
					t.Fatalf("% x is refused", payload)
				}
				fillOffsets(want)
				if !reflect.DeepEqual(only(got), only(want)) {
					t.Fatalf("% x\ngot  %+v\nwant %+v", payload, only(got), only(want))
				}
				if err := reused.Decode(payload, p, nil); err != nil || !reflect.DeepEqual(only(&reused), only(got)) {
					t.Fatalf("% x: %v\nreused %+v\nnew    %+v", payload, err, only(&reused), only(got))
				}
				if len(tree.Nodes) == 0 {
					t.Fatal("no tree")
				}
			})
		})
	}
}

// fillOffsets sets what decoding computes.
func fillOffsets(f *Frame) {
	if d := &f.DFrame; f.Type == TypeDFrame && d.HasSignature {
		d.SignatureOff = 4
		for _, c := range []Control{CtlSACK1, CtlSACK2, CtlSend1, CtlSend2} {
			if d.Control&c != 0 {
				d.SignatureOff += 4
			}
		}
	}
}

// drawFrame draws a frame that can't be taken for another one under p.
func drawFrame(t *rapid.T, p Params) *Frame {
	f := &Frame{Type: Type(rapid.IntRange(int(TypeConnect), int(TypeDFrame)).Draw(t, "type"))}
	switch f.Type {
	case TypeSACK:
		drawSACK(t, &f.SACK, p)
	case TypeDFrame:
		drawDFrame(t, &f.DFrame, p)
	default:
		drawHandshake(t, &f.Handshake, f.Type, p)
	}
	return f
}

func draw8(t *rapid.T, name string) (b [8]byte) {
	copy(b[:], rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(t, name))
	return b
}

func drawBytes(t *rapid.T, name string, n int) []byte {
	if s := rapid.SliceOfN(rapid.Byte(), 0, n).Draw(t, name); len(s) > 0 {
		return s
	}
	return nil
}

// drawTail draws signature and trailing bytes of a command frame.
func drawTail(t *rapid.T, p Params) (has bool, sig [8]byte, trailing []byte) {
	if has = p.Signing == Signed || p.Signing == SigningUnknown && rapid.Bool().Draw(t, "signed"); has {
		sig = draw8(t, "signature")
	}
	if p.Signing != SigningUnknown {
		trailing = drawBytes(t, "trailing", 7)
	}
	return has, sig, trailing
}

func drawHandshake(t *rapid.T, h *Handshake, typ Type, p Params) {
	h.Command = rapid.SampledFrom([]Command{CFrame, CFrame | Poll}).Draw(t, "command")
	h.Opcode = uint8(typ)
	h.MsgID, h.RspID = rapid.Uint8().Draw(t, "msg"), rapid.Uint8().Draw(t, "rsp")
	h.Version, h.SessionID, h.Timestamp = rapid.Uint32().Draw(t, "version"), rapid.Uint32().Draw(t, "session"), rapid.Uint32().Draw(t, "tick")
	switch typ {
	case TypeConnectedSigned:
		h.ConnectSig, h.SenderSecret, h.ReceiverSecret = draw8(t, "cookie"), draw8(t, "sender"), draw8(t, "receiver")
		h.SigningOpts, h.EchoTimestamp = rapid.Uint32().Draw(t, "opts"), rapid.Uint32().Draw(t, "echo")
		h.Trailing = drawBytes(t, "trailing", 20)
	case TypeHardDisconnect:
		h.HasSignature, h.Signature, h.Trailing = drawTail(t, p)
	default:
		h.Trailing = drawBytes(t, "trailing", 20)
	}
}

func drawMask(t *rapid.T, name string, lo, hi bool) uint64 {
	m := rapid.Uint64().Draw(t, name)
	if !lo {
		m &^= 0xFFFFFFFF
	}
	if !hi {
		m &= 0xFFFFFFFF
	}
	return m
}

func drawSACK(t *rapid.T, s *SACK, p Params) {
	s.Command = rapid.SampledFrom([]Command{CFrame, CFrame | Poll}).Draw(t, "command")
	s.Flags, s.Retry = rapid.Uint8().Draw(t, "flags"), rapid.Uint8().Draw(t, "retry")
	s.NSeq, s.NRcv = rapid.Uint8().Draw(t, "nseq"), rapid.Uint8().Draw(t, "nrcv")
	s.Padding, s.Timestamp = rapid.Uint16().Draw(t, "padding"), rapid.Uint32().Draw(t, "tick")
	s.SACKMask = drawMask(t, "sack", s.Flags&SACKMask1 != 0, s.Flags&SACKMask2 != 0)
	s.SendMask = drawMask(t, "send", s.Flags&SACKSend1 != 0, s.Flags&SACKSend2 != 0)
	s.HasSignature, s.Signature, s.Trailing = drawTail(t, p)
}

func drawDFrame(t *rapid.T, d *DFrame, p Params) {
	d.Command = Data | Command(rapid.Uint8().Draw(t, "command"))
	d.Control = Control(rapid.Uint8().Draw(t, "control"))
	d.Seq, d.NRcv = rapid.Uint8().Draw(t, "seq"), rapid.Uint8().Draw(t, "nrcv")
	d.SACKMask = drawMask(t, "sack", d.Control&CtlSACK1 != 0, d.Control&CtlSACK2 != 0)
	d.SendMask = drawMask(t, "send", d.Control&CtlSend1 != 0, d.Control&CtlSend2 != 0)
	if d.HasSignature = p.Signing == Signed; d.HasSignature {
		d.Signature = draw8(t, "signature")
	}
	if d.Control&CtlKeepAlive != 0 {
		if p.Version == 0 { // only by its length: leave no doubt
			d.Command |= Reliable | Sequential | EndMsg
		}
		if d.KeepAlive = p.Version == 0 || p.Version >= Version15; d.KeepAlive {
			d.SessionID = rapid.Uint32().Draw(t, "session")
			if p.Version != 0 && p.Signing != SigningUnknown {
				d.Payload = drawBytes(t, "extra", 9)
			}
			return
		}
	}
	if d.Coalesced = d.Control&CtlCoalesce != 0 && (p.Version == 0 || p.Version >= Version15); d.Coalesced {
		drawCoalesce(t, &d.Coalesce)
		return
	}
	d.Payload = drawBytes(t, "payload", 40)
}

func drawCoalesce(t *rapid.T, c *Coalesce) {
	c.N = rapid.IntRange(1, MaxParts).Draw(t, "parts")
	if c.N&1 != 0 {
		copy(c.HeaderPad[:], rapid.SliceOfN(rapid.Byte(), 2, 2).Draw(t, "header padding"))
	}
	for i := range c.Parts[:c.N] {
		p := &c.Parts[i]
		p.Command = rapid.Uint8().Draw(t, "part command") &^ (PartEnd | PartBig)
		p.Data = rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "data")
		p.SetSize(len(p.Data))
		if i == c.N-1 {
			p.Command |= PartEnd
			break
		}
		copy(p.Pad[:p.Padding()], rapid.SliceOfN(rapid.Byte(), 3, 3).Draw(t, "padding"))
	}
	c.Trailing = drawBytes(t, "trailing", 5)
}

// FuzzFrame holds the decoder to what must be true of any bytes, for each of
// the Params a connection can have.
func FuzzFrame(f *testing.F) {
	for i, s := range Samples() {
		f.Add(s, uint8(i))
		f.Add(s[:len(s)*2/3], uint8(i))
	}
	var reused Frame
	var tree dissect.Tree
	all := allParams()
	f.Fuzz(func(t *testing.T, payload []byte, choice uint8) {
		p := all[int(choice)%len(all)]
		before := bytes.Clone(payload)
		tree.Reset(payload)
		err := reused.Decode(payload, p, &tree)
		var typed Frame
		err2 := typed.Decode(payload, p, nil)
		if (err == nil) != (err2 == nil) || !reflect.DeepEqual(only(&reused), only(&typed)) {
			t.Fatalf("a reused frame with a tree differs from a new one without: %v, %v\n%+v\n%+v", err, err2, only(&reused), only(&typed))
		}
		checkTiles(t, &tree)
		checkBounds(t, &typed, len(payload))
		if err == nil && !bytes.Equal(typed.Append(nil), payload) {
			t.Fatalf("encoded to % x", typed.Append(nil))
		}
		if err != nil && (err.Field == nil || err.Offset < 0 || err.Offset > len(payload)) {
			t.Fatalf("error %+v", err)
		}
		AppendSummary(nil, &typed)
		if !bytes.Equal(before, payload) {
			t.Fatal("the payload was changed")
		}
	})
}

// checkBounds checks the promises of the struct itself.
func checkBounds(t *testing.T, f *Frame, size int) {
	if f.Type != TypeDFrame {
		return
	}
	d := &f.DFrame
	if d.Command&Data == 0 || d.HasSignature && d.SignatureOff+8 > size {
		t.Fatalf("command %#x, signature at %d of %d", d.Command, d.SignatureOff, size)
	}
	if d.KeepAlive && d.Coalesced || d.Coalesced && d.Payload != nil || d.Coalesce.N > MaxParts {
		t.Fatalf("keepalive %v, coalesced %v, %d parts", d.KeepAlive, d.Coalesced, d.Coalesce.N)
	}
	for i := range d.Coalesce.Parts[:d.Coalesce.N] {
		if p := &d.Coalesce.Parts[i]; len(p.Data) != p.Size || p.Size > 2047 {
			t.Fatalf("part %d: %d bytes, size %d", i, len(p.Data), p.Size)
		}
	}
}

func TestMC_DPL8R_2_2_DecodeAllocatesNothing(t *testing.T) {
	var f Frame
	var tree dissect.Tree
	buf := make([]byte, 0, 4096)
	for _, s := range Samples() {
		for _, p := range []Params{anyParams, unsigned16} {
			if f.Decode(s, p, nil) != nil {
				t.Errorf("% x is refused under %+v", s, p)
			}
			if n := testing.AllocsPerRun(20, func() { f.Decode(s, p, nil) }); n != 0 {
				t.Errorf("% x: typed decode allocates %v times", s, n)
			}
			if n := testing.AllocsPerRun(20, func() { tree.Reset(s); f.Decode(s, p, &tree) }); n != 0 {
				t.Errorf("% x: decode with tree allocates %v times", s, n)
			}
			if n := testing.AllocsPerRun(20, func() { buf = f.Append(buf[:0]) }); n != 0 {
				t.Errorf("% x: encode allocates %v times", s, n)
			}
			if n := testing.AllocsPerRun(20, func() { buf = AppendSummary(buf[:0], &f) }); n != 0 {
				t.Errorf("% x: summary allocates %v times", s, n)
			}
		}
	}
}

var benchFrames = []struct{ name, hex string }{
	{"data", "3d000503014142434445"},
	{"masks", "3ff0094001000000000000800300000001000000" + "68656c6c6f"},
	{"keepalive", "3f020000c6aec979"},
	{"sack", "8006010003060000075d1100"},
	{"connect", "8801000006000100c6aec9799d366723"},
	{"coalesced", "330403000302020201010000414243004445000046"},
}

func BenchmarkDecode(bench *testing.B) {
	for _, bf := range benchFrames {
		payload := dissecttest.Unhex(bench, bf.hex)
		var f Frame
		var tree dissect.Tree
		bench.Run("typed/"+bf.name, func(bench *testing.B) {
			bench.ReportAllocs()
			for bench.Loop() {
				f.Decode(payload, unsigned16, nil)
			}
		})
		bench.Run("tree/"+bf.name, func(bench *testing.B) {
			bench.ReportAllocs()
			for bench.Loop() {
				tree.Reset(payload)
				f.Decode(payload, unsigned16, &tree)
			}
		})
	}
}

func BenchmarkSummary(bench *testing.B) {
	for _, bf := range benchFrames {
		var f Frame
		f.Decode(dissecttest.Unhex(bench, bf.hex), unsigned16, nil)
		var buf []byte
		bench.Run(bf.name, func(bench *testing.B) {
			bench.ReportAllocs()
			for bench.Loop() {
				buf = AppendSummary(buf[:0], &f)
			}
		})
	}
}
