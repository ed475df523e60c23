package report

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

// RedactSchema is the name and version of the document of redact.
const RedactSchema = "dpdissect/redact/1"

// A Redacted is what became of a capture that was redacted.
type Redacted struct {
	Packets, Cut, Dropped uint64
	Replaced              []RedactedCount
	Players, Others       int      // addresses in sessions, and others
	Secrets               []string // fresh ones, as lines of a secrets file
	Verified              *RedactedCheck
}

// A RedactedCount is how many different values of a kind were replaced.
type RedactedCount struct {
	Name string // key in JSON
	Of   string // for people
	N    uint64
}

// RedactedKinds are all kinds, with nothing replaced.
func RedactedKinds() []RedactedCount {
	return []RedactedCount{
		{Name: "macs", Of: "MAC addresses"}, {Name: "ipv4", Of: "IPv4 addresses"}, {Name: "ipv6", Of: "IPv6 addresses"},
		{Name: "ports", Of: "ports"}, {Name: "names", Of: "names"}, {Name: "payloads", Of: "payloads"},
		{Name: "payload_bytes", Of: "bytes of them"}, {Name: "secrets", Of: "secrets"}, {Name: "signatures", Of: "signatures"},
	}
}

// A RedactedCheck is what the result was found to hold of the original.
type RedactedCheck struct {
	Addresses, Texts, Payloads uint64
	Equal                      bool // the analysis of both
}

// AppendRedactedJSON appends the document, indented, with a newline.
func AppendRedactedJSON(dst []byte, r *Redacted) []byte {
	e := encoder{b: []byte{'{'}}
	e.text("schema", RedactSchema)
	e.count("packets", r.Packets)
	e.count("cut", r.Cut)
	e.count("dropped", r.Dropped)
	e.open("replaced", '{')
	for _, c := range r.Replaced {
		e.count(c.Name, c.N)
	}
	e.close('}')
	e.texts("secrets", r.Secrets)
	if v := r.Verified; v != nil {
		e.open("verified", '{')
		e.count("addresses", v.Addresses)
		e.count("texts", v.Texts)
		e.count("payloads", v.Payloads)
		e.text("analysis", v.analysis())
		e.close('}')
	}
	e.close('}')
	return append(render.AppendIndented(dst, e.b, 0), '\n')
}

func (v *RedactedCheck) analysis() string {
	if v.Equal {
		return "equal"
	}
	return "different"
}

// AppendRedactedText appends the same for people: first who else is in the capture.
func AppendRedactedText(dst []byte, r *Redacted) []byte {
	dst = fmt.Appendf(dst, "Who is in the capture: %d addresses that play, and %d others.\n\n", r.Players, r.Others)
	dst = fmt.Appendf(dst, "%-14s  %9s\n", "replaced", "different")
	for _, c := range r.Replaced {
		dst = fmt.Appendf(dst, "%-14s  %9d\n", c.Of, c.N)
	}
	dst = fmt.Appendf(dst, "\n%s written, %d of them cut after their last header", terminal.Counted(r.Packets, "packet"), r.Cut)
	if r.Dropped > 0 {
		dst = fmt.Appendf(dst, "; %d left out", r.Dropped)
	}
	dst = append(dst, ".\n"...)
	for _, s := range r.Secrets {
		dst = fmt.Appendf(dst, "Fresh secrets: %s\n", s)
	}
	return appendRedactedCheck(dst, r.Verified)
}

// appendRedactedCheck appends what the search and the second analysis found.
func appendRedactedCheck(dst []byte, v *RedactedCheck) []byte {
	if v == nil {
		return append(dst, "Not verified.\n"...)
	}
	dst = fmt.Appendf(dst, "Found of the original: %d addresses, %d texts, %d payloads. ", v.Addresses, v.Texts, v.Payloads)
	return fmt.Appendf(dst, "The analysis is %s.\n", v.analysis())
}

// AppendVerifiedText appends for people what a capture holds of another.
func AppendVerifiedText(dst []byte, r *Redacted) []byte { return appendRedactedCheck(dst, r.Verified) }
