package hazel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

// rows writes a tree as name=value, groups with their nesting left out.
func rows(t *dissect.Tree) string {
	var out []string
	for i := range t.Nodes {
		n := &t.Nodes[i]
		name := strings.TrimPrefix(n.Field.Name, "hazel.")
		switch n.Field.Kind {
		case dissect.Array:
			out = append(out, name)
		case dissect.Bytes:
			out = append(out, fmt.Sprintf("%s=%x", name, t.Bytes(n)))
		case dissect.IDs:
			out = append(out, fmt.Sprintf("%s=%v", name, t.IDs(n)))
		case dissect.Text:
			out = append(out, name+"="+t.Text(n))
		default:
			out = append(out, fmt.Sprintf("%s=%d", name, n.Val))
		}
	}
	return strings.Join(out, " ")
}

// A vector is a datagram and what is decoded of it.
type vector struct {
	name    string
	dialect Dialect
	bytes   string
	typ     string
	rows    string
	err     string
}

func checkVectors(t *testing.T, vectors []vector) {
	t.Helper()
	for _, v := range vectors {
		payload := dissecttest.Unhex(t, v.bytes)
		var tree dissect.Tree
		tree.Reset(payload)
		var f Frame
		err := f.Decode(payload, v.dialect, &tree)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if f.Type.String() != v.typ || rows(&tree) != v.rows || got != v.err {
			t.Errorf("%s: %s\n %s %q\nwant\n %s\n %s %q", v.name, f.Type, rows(&tree), got, v.typ, v.rows, v.err)
		}
		if out := f.Append(nil); err == nil && string(out) != string(payload) {
			t.Errorf("%s: encoded to % x", v.name, out)
		}
	}
}

func TestHazel_HeaderData_Vectors(t *testing.T) {
	checkVectors(t, []vector{
		{"Hello", AnyDialect, "08 0001 00 486f74656c30", "HELLO", "type=8 id=1 version=0 data=486f74656c30", ""},
		{"Hello without data", AnyDialect, "08 0001 00", "HELLO", "type=8 id=1 version=0", ""},
		{"Hello without version", AnyDialect, "08 0001", "HELLO", "type=8 id=1", ""},
		{"acknowledgement", AnyDialect, "0a 0001", "ACKNOWLEDGEMENT", "type=10 id=1 acked=[1]", ""},
		{"acknowledgement with history", AnyDialect, "0a 0007 ff", "ACKNOWLEDGEMENT", "type=10 id=7 recent=255 acked=[7 6 5 4 3 2 1 0 65535]", ""},
		{"Ping", AnyDialect, "0c 0007", "PING", "type=12 id=7", ""},
		{"Disconnect", AnyDialect, "09", "DISCONNECT", "type=9", ""},
		{"reliable", AnyDialect, "01 0002 6869", "RELIABLE", "type=1 id=2 data=6869", ""},
		{"reliable without data", AnyDialect, "01 0002", "RELIABLE", "type=1 id=2", ""},
		{"unreliable", AnyDialect, "00 6869", "NONE", "type=0 data=6869", ""},
		{"unreliable without data", AnyDialect, "00", "NONE", "type=0", ""},
		{"big-endian id", AnyDialect, "01 0100 ff", "RELIABLE", "type=1 id=256 data=ff", ""},
	})
}

// AMB-HZ-01: with Control clear bit 4 is reserved, and so are the high bits:
// receivers compare the whole byte.
func TestHazel_HeaderData_ReservedBits(t *testing.T) {
	for _, head := range []string{"04", "05", "06", "07", "0e", "0f", "11", "18", "40", "88", "ee"} {
		for _, d := range []Dialect{AnyDialect, Spec, V01, Ack3, Current, Fork36} {
			var f Frame
			if err := f.Decode(dissecttest.Unhex(t, head+" 0007 00"), d, nil); err == nil || f.Type != Unknown {
				t.Errorf("%s in %q: %s", head, d, f.Type)
			}
		}
	}
	checkVectors(t, []vector{{"11", Current, "11 0005", "", "frame.undecoded=110005", "hazel.type at byte 0: not a type of the protocol or of its dialect (Hazel page, Header Data)"}})
}

// Types stand for themselves in their dialects alone.
func TestHazel_HeaderData_TypesOfDialects(t *testing.T) {
	for _, c := range []struct {
		payload string
		typ     Type
		in      []Dialect
	}{
		{"fd 0001", Hello, []Dialect{May14}},
		{"fe", Disconnect, []Dialect{May14}},
		{"ff 0001", Acknowledgement, []Dialect{May14}},
		{"10 0001 61", Reliable, []Dialect{May30}},
		{"80 0001", Hello, []Dialect{May30}},
		{"81", Disconnect, []Dialect{May30}},
		{"82 0001", Acknowledgement, []Dialect{May30}},
		{"01 0001 61", Reliable, []Dialect{May14, Spec, V01, Ack3, Current, Fork36}},
		{"08 0001", Hello, []Dialect{Spec, V01, Ack3, Current, Fork36}},
		{"09", Disconnect, []Dialect{Spec, V01, Ack3, Current, Fork36}},
		{"0a 0001", Acknowledgement, []Dialect{Spec, V01, Ack3, Current, Fork36}},
		{"0c 0001", Ping, []Dialect{V01, Ack3, Current, Fork36}},
		{"00 61", None, []Dialect{May14, May30, Spec, V01, Ack3, Current, Fork36}},
		{"02 0001 0001 0001 61", FragmentStart, []Dialect{V01}},
		{"0b 0001 0100 02 01 61", Fragment, []Dialect{Current, Fork36, V01}},
		{"0d 0001 0500", MTUTest, []Dialect{Current, Fork36}},
		{"17 0000 0001 000000000001 0000", ApplicationData, []Dialect{OverDTLS}},
	} {
		for d := May14; d < numDialects; d++ {
			var f Frame
			want, has := Unknown, false
			for _, in := range c.in {
				has = has || in == d
			}
			if has {
				want = c.typ
			}
			if c.payload[:2] == "02" && d == Spec {
				want = Fragment
			}
			if err := f.Decode(dissecttest.Unhex(t, c.payload), d, nil); f.Type != want || (err == nil) != (want != Unknown) {
				t.Errorf("%s in %s: %q, %v; want %q", c.payload, d, f.Type, err, want)
			}
			if want == Unknown {
				continue
			}
			if got := f.Append(nil); string(got) != string(dissecttest.Unhex(t, c.payload)) {
				t.Errorf("%s in %s: encoded to % x", c.payload, d, got)
			}
		}
	}
}

func TestHazel_HeaderData_Fragmented(t *testing.T) {
	checkVectors(t, []vector{
		{"AMB-HZ-06: 2 alone has no id on the page", Spec, "02 6869", "FRAGMENT", "type=2 data=6869", ""},
		{"AMB-HZ-06: 3 has one", Spec, "03 0005 6869", "FRAGMENT", "type=3 id=5 data=6869", ""},
		{"2016-05-30", May30, "30 6869", "FRAGMENT", "type=48 data=6869", ""},
		{"v0.1, first", V01, "02 0001 0003 0005 6869", "FRAGMENT_START", "type=2 message_id=1 fragment_count=3 id=5 data=6869", ""},
		{"v0.1, further", V01, "0b 0001 0002 0006 6869", "FRAGMENT", "type=11 message_id=1 fragment_index=2 id=6 data=6869", ""},
		{"v0.1, too short", V01, "02 0001 00", "FRAGMENT_START", "type=2 message_id=1 frame.undecoded=00", "hazel.fragment_count at byte 3: truncated: want 2 bytes, have 1 (Hazel v0.1.2 Fragmented.cs)"},
		{"fork36, first", Fork36, "0b 0005 0100 02 00 01 6869", "FRAGMENT", "type=11 id=5 message_id=1 fragment_count=2 fragment_index=0 send_option=1 data=6869", ""},
		{"fork36, further", Fork36, "0b 0006 0100 02 01 6869", "FRAGMENT", "type=11 id=6 message_id=1 fragment_count=2 fragment_index=1 data=6869", ""},
		{"fork36, an index beyond the count", Fork36, "0b 0006 0100 02 02 68", "FRAGMENT", "type=11 id=6 message_id=1 fragment_count=2 fragment_index=2 frame.undecoded=68", "hazel.fragment_index at byte 6: index is not below the count (Hazel v0.1.2 Fragmented.cs)"},
		{"by fit: fork36", AnyDialect, "0b 0006 0100 02 01 68", "FRAGMENT", "type=11 id=6 message_id=1 fragment_count=2 fragment_index=1 data=68", ""},
		{"by fit: v0.1", AnyDialect, "0b 0001 0002 0006 68", "FRAGMENT", "type=11 message_id=1 fragment_index=2 id=6 data=68", ""},
		{"unused today", Current, "0b 0001 0002 0006 68", "", "type=11 frame.undecoded=00010002000668", "hazel.type at byte 0: fragments have no layout in this dialect (Hazel page, Header Data)"},
		{"an MTU test", Fork36, "0d 0003 0000 0700", "MTU_TEST", "type=13 id=3 padding=0000 size=7", ""},
	})
}

func TestHazel_Lengths(t *testing.T) {
	checkVectors(t, []vector{
		{"nothing", AnyDialect, "", "", "", "hazel.type at byte 0: truncated: want 1 byte, have 0 (Hazel page, Header Data)"},
		{"Reliable of 1 byte", Current, "01", "RELIABLE", "type=1", "hazel.id at byte 1: truncated: want 2 bytes, have 0 (Hazel page, Reliable Delivery)"},
		{"Ping of 2 bytes", Current, "0c00", "PING", "type=12 frame.undecoded=00", "hazel.id at byte 1: truncated: want 2 bytes, have 1 (Hazel page, Reliable Delivery)"},
		{"Ping of 4 bytes", Current, "0c000500", "PING", "type=12 id=5 trailing=00", ""},
		{"acknowledgement of 2 bytes", Current, "0a00", "ACKNOWLEDGEMENT", "type=10 frame.undecoded=00", "hazel.id at byte 1: truncated: want 2 bytes, have 1 (Hazel page, Reliable Delivery)"},
		{"acknowledgement of 5 bytes", Current, "0a0005ffff", "ACKNOWLEDGEMENT", "type=10 id=5 recent=255 acked=[5 4 3 2 1 0 65535 65534 65533] frame.undecoded=ff", "hazel.recent at byte 4: an acknowledgement has 3 or 4 bytes (Hazel 2ceee1f Reliable.cs)"},
		{"Hello of 2 bytes", Current, "0800", "HELLO", "type=8 frame.undecoded=00", "hazel.id at byte 1: truncated: want 2 bytes, have 1 (Hazel page, Reliable Delivery)"},
	})
}

// A history of ids: after 0 and 1 arrived, 4 leaves 2 and 3 missing; a sender
// that starts at 1 against a receiver that expects 0.
func TestHazel_Recent(t *testing.T) {
	for _, c := range []struct{ bytes, acked, summary string }{
		{"0a 0004 fc", "[4 1 0 65535 65534 65533 65532]", "ACKNOWLEDGEMENT id=4 missing=3,2"},
		{"0a 0001 fe", "[1 65535 65534 65533 65532 65531 65530 65529]", "ACKNOWLEDGEMENT id=1 missing=0"},
		{"0a 0009 f5", "[9 8 6 4 3 2 1]", "ACKNOWLEDGEMENT id=9 missing=7,5"},
	} {
		var tree dissect.Tree
		var f Frame
		b := dissecttest.Unhex(t, c.bytes)
		tree.Reset(b)
		if err := f.Decode(b, Current, &tree); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(tree.IDs(tree.Find(&Fields[fAcked]))); got != c.acked {
			t.Errorf("%s: %s, want %s", c.bytes, got, c.acked)
		}
		if got := string(AppendSummary(nil, &f)); got != c.summary {
			t.Errorf("%s: %s", c.bytes, got)
		}
	}
}

// Messages are shown where they fill a payload to the byte.
func TestHazel_Messages(t *testing.T) {
	checkVectors(t, []vector{
		{"two", Current, "01 0002 0300 05 010203 0000 c8", "RELIABLE", "type=1 id=2 messages messages.length=3 messages.tag=5 messages.name=GameData messages.data=010203 messages messages.length=0 messages.tag=200", ""},
		{"unreliable", Current, "00 0100 06 aa", "NONE", "type=0 messages messages.length=1 messages.tag=6 messages.name=GameDataTo messages.data=aa", ""},
		{"beyond the end", Current, "00 0200 06 aa", "NONE", "type=0 data=020006aa", ""},
		{"bytes behind", Current, "00 0100 06 aa bb", "NONE", "type=0 data=010006aabb", ""},
		{"before there were any", Spec, "00 0100 06 aa", "NONE", "type=0 data=010006aa", ""},
		{"a reason", Current, "09 01 0800 00 08 06 4b69636b6564", "DISCONNECT", "type=9 data=0108000008064b69636b6564 reason=8", ""},
		{"no reason", Current, "09 01 0900 00 08 06 4b69636b6564", "DISCONNECT", "type=9 data=0109000008064b69636b6564", ""},
	})
}

// The messages of GameData and GameDataTo are shown where they fill it after its head.
func TestHazel_GameMessages(t *testing.T) {
	outer := func(length, tag string) string {
		return "type=0 messages messages.length=" + length + " messages.tag=" + tag
	}
	checkVectors(t, []vector{
		{"a call", Current, "00 0a00 05 20000000 0300 02 8a02 0d", "NONE", outer("10", "5") + " messages.name=GameData messages.game_id=32 messages.messages messages.messages.length=3" +
			" messages.messages.tag=2 messages.messages.name=RPC messages.messages.net_id=266 messages.messages.call_id=13 messages.messages.data=8a020d", ""},
		{"to one client", Current, "00 0e00 06 20000000 8501 0100 01 07 0100 07 09", "NONE", outer("14", "6") + " messages.name=GameDataTo messages.game_id=32 messages.target_id=133" +
			" messages.messages messages.messages.length=1 messages.messages.tag=1 messages.messages.name=Data messages.messages.net_id=7 messages.messages.data=07" +
			" messages.messages messages.messages.length=1 messages.messages.tag=7 messages.messages.name=Ready messages.messages.client_id=9 messages.messages.data=09", ""},
		{"a spawn of the game itself", Current, "00 0d00 05 20000000 0600 04 03 feffffff0f", "NONE", outer("13", "5") + " messages.name=GameData messages.game_id=32 messages.messages" +
			" messages.messages.length=6 messages.messages.tag=4 messages.messages.name=Spawn messages.messages.spawn_id=3 messages.messages.client_id=4294967294 messages.messages.data=03feffffff0f", ""},
		{"no name", Current, "00 0700 05 20000000 0000 c8", "NONE", outer("7", "5") + " messages.name=GameData messages.game_id=32 messages.messages messages.messages.length=0 messages.messages.tag=200", ""},
		{"no messages", Current, "00 0600 05 20000000 0500", "NONE", outer("6", "5") + " messages.name=GameData messages.data=200000000500", ""},
		{"a head alone", Current, "00 0400 05 20000000", "NONE", outer("4", "5") + " messages.name=GameData messages.data=20000000", ""},
		{"of another tag", Current, "00 0a00 04 20000000 0300 02 8a02 0d", "NONE", outer("10", "4") + " messages.name=RemovePlayer messages.data=200000000300028a020d", ""},
		{"a packed number without end", Current, "00 0a00 06 20000000 ffffffff ffff", "NONE", outer("10", "6") + " messages.name=GameDataTo messages.data=20000000ffffffffffff", ""},
	})
}

func TestHazel_Summaries(t *testing.T) {
	for _, c := range []struct {
		bytes string
		want  string
	}{
		{"08 0001 00 486f", "HELLO id=1 version=0 len=2"},
		{"01 0002 0300 05 010203 0000 c8", "RELIABLE id=2 len=9 GameData(3) tag 200(0)"},
		{"01 0002 000000 000000 000000 000000 000000", "RELIABLE id=2 len=15 HostGame(0) HostGame(0) HostGame(0) HostGame(0) ..."},
		{"09 01 0800 00 08 06 4b69636b6564", "DISCONNECT len=12 Custom \"Kicked\""},
		{"09 01 0100 00 63", "DISCONNECT len=5 reason=99"},
		{"09", "DISCONNECT"},
		{"0c 0005 00", "PING id=5 trailing=1"},
		{"02 0001 0003 0005 68", "FRAGMENT_START id=5 message=1 count=3 len=1"},
		{"0b 0001 0002 0006 68", "FRAGMENT id=6 message=1 index=2 len=1"},
		{"0b 0006 0100 02 01 68", "FRAGMENT id=6 message=1 count=2 index=1 len=1"},
		{"03 0005 68", "FRAGMENT id=5 len=1"},
		{"0d 0003 0000 0700", "MTU_TEST id=3 size=7"},
		{"77", "not a type of Hazel"},
		{"17 0000 0001 000000000003 0013" + strings.Repeat("00", 19), "DTLS ApplicationData epoch=1 seq=3 len=19 PING"},
	} {
		var f Frame
		_ = f.Decode(dissecttest.Unhex(t, c.bytes), AnyDialect, nil)
		if got := string(AppendSummary(nil, &f)); got != c.want {
			t.Errorf("%s: %s, want %s", c.bytes, got, c.want)
		}
	}
}

// The hello that hides its version, in full.
func TestHazel_DTLS_ClientHello(t *testing.T) {
	b := recordSamples()[2]
	var tree dissect.Tree
	tree.Reset(b)
	var f Frame
	if err := f.Decode(b, AnyDialect, &tree); err != nil || f.Type != Handshake {
		t.Fatal(f.Type, err)
	}
	want := "records records.content_type=22 records.version=0 records.epoch=0 records.sequence=1 records.length=65 " +
		"records.handshake_type=1 records.handshake_length=53 records.message_seq=1 records.fragment_offset=0 records.fragment_length=53 " +
		"records.client_version=65277 records.random=" + strings.Repeat("00", 32) + " records.session_id_length=1 records.session_version=1 " +
		"records.cookie_length=4 records.cookie=63616b65 records.cipher_suites_length=2 records.cipher_suites=c02f " +
		"records.compression_methods_length=1 records.compression_methods=00 records.extensions=0004000a0000"
	if got := rows(&tree); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, c := range []struct {
		name string
		f    Frame
	}{
		{"reliable", Frame{Type: Reliable, ID: 7, Data: make([]byte, 60)}},
		{"acknowledgement", Frame{Type: Acknowledgement, ID: 7, HasRecent: true, Recent: 0xff}},
	} {
		payload := c.f.Append(nil)
		b.Run(c.name, func(b *testing.B) {
			var f Frame
			b.ReportAllocs()
			for range b.N {
				if f.Decode(payload, Current, nil) != nil {
					b.Fatal("refused")
				}
			}
		})
	}
}
