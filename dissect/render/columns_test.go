package render

import (
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

func row(t *testing.T, fr *dissect.Frame, options string, names ...string) string {
	t.Helper()
	o := DefaultColumnOptions()
	for _, s := range strings.Fields(options) {
		if err := o.Set(s); err != nil {
			t.Fatal(err)
		}
	}
	c, err := NewColumns(names, o, fakeProtocols)
	if err != nil {
		t.Fatal(err)
	}
	clock := &Clock{}
	clock.AdvanceTime(firstTime-second, true)
	return string(c.AppendRow(c.AppendHeader(nil), fr, clock))
}

func TestColumns(t *testing.T) {
	for _, tt := range []struct{ options, names, want string }{
		{"", "fake.seq fake.opcode fake.session_id fake.sack_mask fake.version", "5\t0x01\t0x79c9aec6\t0x000000000000001d\t1.6\n"},
		{"", "fake.control_flags.retry fake.control_flags.keepalive fake.control_flags.poll", "true\tfalse\t\n"},
		{"", "fake.sacked fake.items.size fake.items fake.header.reliable", "6,8,9,10,11\t1,2\t1,1\ttrue\n"},
		{"occurrence=f separator=;", "fake.sacked analysis acks fake.items.command", "6;retry;3;0x0101\n"},
		{"occurrence=l separator=/s", "fake.sacked analysis acks", "11 handshake 4\n"},
		{"aggregator=/s header=y", "analysis acks", "analysis\tacks\nretry out-of-order handshake\t3 4\n"},
		{"quote=d", `fake.header.name fake.wide fake.seq`, "\"CHAT \\u202e\"\"x\"\"\"\t\t\"5\"\n"},
		{"quote=s bom=y", "type", "\ufeff'DFRAME'\n"},
		{"", "frame.number frame.file frame.time frame.time_epoch frame.time_relative", "12\t1\t2023-11-14T22:13:20.999999999Z\t1700000000.999999999\t1.000000000\n"},
		{"", "frame.time_delta frame.time_delta_displayed frame.len frame.cap_len", "1.000000000\t1.000000000\t117\t117\n"},
		{"", "ip.src ip.dst ip.ttl ip.id udp.srcport udp.dstport udp.length", "10.0.0.1\t192.168.100.200\t64\t4660\t2302\t6073\t83\n"},
		{"", "protocol connection direction retry_of acked_in summary", "fake\t3\ta\t7\t20\tDFRAME seq 5 nrcv 7 RELIABLE, 50 bytes \\x1b[31m\n"},
		{"", "error frame.undecoded", "fake.sack_mask at byte 73: truncated: want 4 bytes, have 2 (FAKE 2)\t6e20\n"},
	} {
		if got := row(t, fakeFrame(), tt.options, strings.Fields(tt.names)...); got != tt.want {
			t.Errorf("-E %s -e %s: got %q, want %q", tt.options, tt.names, got, tt.want)
		}
	}
	got := row(t, plainFrame(), "", "frame.time", "connection", "direction", "type", "analysis", "acks", "retry_of", "error", "fake.seq", "ip.src")
	if got != "\t\t\t\t\t\t\t\t\tfe80::1\n" {
		t.Errorf("absent values: %q", got)
	}
}

func TestColumnErrors(t *testing.T) {
	for name, want := range map[string]string{
		"fake.sep":   `unknown field "fake.sep" (did you mean fake.seq`,
		"seq":        `unknown field "seq" (did you mean fake.header.seq or fake.seq?)`,
		"udp.srcprt": `did you mean udp.srcport`,
		"qqqqqqqqqq": "see `dpdissect fields`",
	} {
		_, err := NewColumns([]string{"fake.seq", name}, DefaultColumnOptions(), fakeProtocols)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, s := range []string{"", "header", "header=x", "separator=ab", "quote=x", "occurrence=", "other=1", "separator=\x1b", "separator=\x7f"} {
		if err := new(ColumnOptions).Set(s); err == nil || !strings.Contains(err.Error(), "occurrence=f|l|a") {
			t.Errorf("%q: %v", s, err)
		}
	}
}

func TestPacketFieldsHaveValues(t *testing.T) {
	for _, f := range Packet.Fields {
		if got := row(t, fakeFrame(), "", f.Name); got == "\n" {
			t.Errorf("%s is empty", f.Name)
		}
	}
}
