package verdict

import (
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

func TestPlainMessage(t *testing.T) {
	for message, want := range map[string]string{
		"bRspId is 7, the CONNECTs carried 0 and 1":                "bRspId is #, the CONNECTs carried #",
		"bRspId is 12, the CONNECTs carried 0":                     "bRspId is #, the CONNECTs carried #",
		"sequence 0x1f acknowledged after 12.5 ms, 3 retries":      "sequence # acknowledged after # retry",
		"sequence 7 acknowledged after 1 s, 1 retry":               "sequence # acknowledged after # retry",
		"frames 4, 8, 15 and 16 say -3":                            "frames # say #",
		"192.0.2.10:2302 sent to [2001:db8::1]:50123 as \"Bob 1\"": "# sent to # as \"…\"",
		"bytes 3f 00 a1 where 80 88 belong":                        "bytes # where # belong",
		"secret 0102030405060708 is not 1112131415161718":          "secret # is not #",
		"no number at all":                                         "no number at all",
	} {
		if got := plainMessage(message); got != want {
			t.Errorf("%s:\n have %s\n want %s", message, got, want)
		}
	}
}

// TestShapes: client ports, addresses, frames and ids make no difference; rule,
// side, server port and protocol do.
func TestShapes(t *testing.T) {
	one := finding("TP-1-HEAD", "head is 3", testConn(0, "10.0.0.1:50000", "10.0.0.9:2302"))
	two := finding("TP-1-HEAD", "head is 4", testConn(5, "172.16.0.7:61234", "172.16.0.1:2302"))
	two.Frame, two.Time, two.HasTime = 99, 5, true
	same := ShapeOf(&one)
	if s := ShapeOf(&two); s != same || s.Fingerprint() != same.Fingerprint() {
		t.Errorf("%+v and %+v", same, s)
	}
	swapped := testConn(0, "10.0.0.9:2302", "10.0.0.1:50000") // the server's frame was captured first
	swapped.Roles = [2]string{"server", "client"}
	three := finding("TP-1-HEAD", "head is 3", swapped)
	three.Dir = session.SideA
	if s := ShapeOf(&three); s != same {
		t.Errorf("%+v and %+v", same, s)
	}
	for name, change := range map[string]func(*session.Finding){
		"rule":    func(f *session.Finding) { f.Rule = rule("TP-1-TAIL") },
		"side":    func(f *session.Finding) { f.Dir = session.SideA },
		"port":    func(f *session.Finding) { f.Conn = testConn(0, "10.0.0.1:50000", "10.0.0.9:2303") },
		"message": func(f *session.Finding) { f.Message = "tail is 3" },
	} {
		f := one
		change(&f)
		if ShapeOf(&f) == same {
			t.Errorf("another %s makes no difference", name)
		}
	}
	none := finding("CAP-GAP", "12 gaps", nil)
	if s := ShapeOf(&none); s.Protocol != "" || s.Message != "# gap" {
		t.Errorf("%+v", s)
	}
	unknown := testConn(0, "10.0.0.1:50000", "10.0.0.9:2302")
	unknown.Roles = [2]string{}
	f := finding("TP-1-HEAD", "x", unknown)
	if s := ShapeOf(&f); s.Port != 2302 || s.Side != "server-port" {
		t.Errorf("%+v", s)
	}
}

func TestBaseline(t *testing.T) {
	c := testConn(0, "10.0.0.1:50000", "10.0.0.9:2302")
	unclear := finding("TP-2-RESEND", "maybe", c)
	unclear.Guard = conform.GuardClean
	file := BaselineOf([]session.Finding{finding("TP-1-TAIL", "tail <3>", c), finding("TP-1-HEAD", "head 1", c), finding("TP-1-HEAD", "head 2", c), unclear}).Append(nil)
	if n := strings.Count(string(file), "\"fingerprint\""); n != 2 || !strings.Contains(string(file), "tail <#>") {
		t.Fatalf("%d entries:\n%s", n, file)
	}
	b, err := ReadBaseline("known.json", file, testBook())
	if err != nil {
		t.Fatal(err)
	}
	if again := b.Append(nil); string(again) != string(file) {
		t.Errorf("it is written as\n%s\nread and written as\n%s", file, again)
	}
	again, other := finding("TP-1-HEAD", "head 77", c), finding("TP-1-HEAD", "heads", c)
	key, known := b.find(&again)
	if _, more := b.find(&other); !known || more || b.gone(map[string]bool{key: true}) != 1 {
		t.Errorf("knows the same %v, another %v; %d gone", known, more, b.gone(map[string]bool{key: true}))
	}
	empty, err := ReadBaseline("known.json", BaselineOf(nil).Append(nil), testBook())
	if err != nil || len(empty.shapes) != 0 {
		t.Errorf("%v, %v", empty, err)
	}
}

func TestBaselineMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "b:1:1: not a baseline: EOF",
		"{\n  \"schema\": 1}":   "b:2:",
		"{\n  \"shema\": \"\"}": "b:2:",
		"[]":                    "b:1:",
		`{"schema": "dpdissect/baseline/2", "findings": []}`:                                  `b: schema "dpdissect/baseline/2": want "dpdissect/baseline/1"`,
		"{\"schema\": \"dpdissect/baseline/1\", \"findings\": [\n{\"rule\": \"TP-1-HAED\"}]}": "b:2:11: unknown rule TP-1-HAED (did you mean TP-1-HEAD?)",
	} {
		_, err := ReadBaseline("b", []byte(text), testBook())
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
