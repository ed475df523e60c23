package track_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/hazel/rules"
	"github.com/dpdissect/dpdissect/hazel/track"
	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
	"github.com/dpdissect/dpdissect/session"
)

var hosts = sessiontest.Hosts("10.0.0.1:50000", "10.0.0.2:22023")

// A scene is a capture of host 0, the client, and host 1, the server.
type scene struct{ *sessiontest.Scene }

// newScene takes every address pair for the protocol from the start, as dialect,
// which may be empty; with recognise it must be recognised.
func newScene(t *testing.T, dialect string, recognise bool) *scene {
	p := rules.New()
	cfg := session.Config{Protocols: []*session.Protocol{p}, Links: true, Trees: true, Summaries: true, Messages: session.CollectPayload, Incomplete: true}
	if !recognise {
		cfg.Force = sessiontest.Force(p, dialect)
	}
	s := &scene{sessiontest.New(t, hosts, cfg)}
	t.Cleanup(func() { s.sameWithoutRules(t, dialect, recognise) })
	return s
}

// sameWithoutRules holds that rules steer nothing: who follows the scene without them counts
// the same.
func (s *scene) sameWithoutRules(t *testing.T, dialect string, recognise bool) {
	p := track.New(nil)
	cfg := session.Config{Protocols: []*session.Protocol{p}, Messages: session.CollectPayload, Incomplete: true}
	if !recognise {
		cfg.Force = sessiontest.Force(p, dialect)
	}
	if apart := s.Apart(cfg); apart != "" {
		t.Errorf("without rules: %s", apart)
	}
}

func (s *scene) send(from dissect.Dir, f hazel.Frame) { s.Raw(from, f.Append(nil)) }

// copy captures a frame and the copy that the network made of it.
func (s *scene) copy(from dissect.Dir, f hazel.Frame) {
	s.send(from, f)
	s.Again()
}

// cut captures a frame of which the capture kept the first bytes.
func (s *scene) cut(from dissect.Dir, f hazel.Frame, keep int) {
	b := f.Append(nil)
	s.Cut(from, b, len(b)-keep)
}

// fails are rule, severity and frame of the findings of an endpoint's faults.
func (s *scene) fails() string {
	s.End()
	var out []string
	for _, f := range s.Accusations() {
		if f.Failed() {
			out = append(out, fmt.Sprintf("%s %s %d", f.Rule.ID, f.Severity, f.Frame))
		}
	}
	return strings.Join(out, ", ")
}

// types are the types of all frames, those of which decoding failed with a !.
func (s *scene) types() string {
	s.End()
	var out []string
	for _, f := range s.Frames {
		typ := f.Type
		if f.Err != nil {
			typ += "!"
		}
		out = append(out, typ)
	}
	return strings.Join(out, " ")
}

// texts are the messages of a side in one line.
func (s *scene) texts(dir dissect.Dir) string { return strings.Join(s.Texts(dir), " ") }

// A release makes the datagrams of a dialect.
type release struct {
	d      hazel.Dialect
	first  uint16
	recent bool // acknowledgements have a history
	short  bool // Hello has no version
}

var (
	may14   = release{hazel.May14, 1, false, true}
	may30   = release{hazel.May30, 1, false, true}
	spec    = release{hazel.Spec, 1, false, true}
	v01     = release{hazel.V01, 1, false, false}
	ack3    = release{hazel.Ack3, 1, false, false}
	current = release{hazel.Current, 0, true, false}
	of2020  = release{hazel.Current, 1, true, false}
)

func (r release) hello(id uint16, text string) hazel.Frame {
	return hazel.Frame{Type: hazel.Hello, Dialect: r.d, ID: id, HasVersion: !r.short, Data: []byte(text)}
}

func (r release) acks(id uint16) hazel.Frame {
	return hazel.Frame{Type: hazel.Acknowledgement, Dialect: r.d, ID: id, HasRecent: r.recent, Recent: 0xff}
}

func (r release) reliable(id uint16, text string) hazel.Frame {
	return hazel.Frame{Type: hazel.Reliable, Dialect: r.d, ID: id, Data: []byte(text)}
}

func (r release) bye(data string) hazel.Frame {
	return hazel.Frame{Type: hazel.Disconnect, Dialect: r.d, Data: []byte(data)}
}

func ping(id uint16) hazel.Frame { return hazel.Frame{Type: hazel.Ping, ID: id} }

func none(text string) hazel.Frame { return hazel.Frame{Type: hazel.None, Data: []byte(text)} }

func history(id uint16, recent uint8) hazel.Frame {
	return hazel.Frame{Type: hazel.Acknowledgement, ID: id, HasRecent: true, Recent: recent}
}

// meet plays a Hello and its answer, of two releases.
func (s *scene) meet(client, server release) {
	s.send(0, client.hello(client.first, ""))
	s.send(1, server.acks(client.first))
}

func start(id, count, message uint16, text string) hazel.Frame {
	return hazel.Frame{Type: hazel.FragmentStart, Dialect: hazel.V01, ID: id, MessageID: message, Count: count, Data: []byte(text)}
}

func next(id, index, message uint16, text string) hazel.Frame {
	return hazel.Frame{Type: hazel.Fragment, Dialect: hazel.V01, ID: id, MessageID: message, Index: index, Data: []byte(text)}
}

func forked(id, message uint16, index, count uint16, text string) hazel.Frame {
	return hazel.Frame{Type: hazel.Fragment, Dialect: hazel.Fork36, ID: id, MessageID: message, Index: index, Count: count, HasOption: index == 0, Option: 1, Data: []byte(text)}
}
