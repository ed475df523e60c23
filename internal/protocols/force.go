package protocols

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/spell"
	"github.com/dpdissect/dpdissect/session"
)

// ParseForce reads a value of --decode-as: udp.port==PORTS,PROTOCOL[:DIALECT]
// with PORTS a number, a range FIRST-LAST or, as in tshark, FIRST:COUNT.
func ParseForce(s string, all []*session.Protocol) (session.Force, error) {
	layer, rest, ok := strings.Cut(s, "==")
	ports, protocol, comma := strings.Cut(rest, ",")
	if !ok || !comma {
		return session.Force{}, fmt.Errorf("--decode-as %q: want udp.port==PORTS,PROTOCOL such as udp.port==2302,dp8", s)
	}
	if strings.TrimSpace(layer) != "udp.port" {
		return session.Force{}, fmt.Errorf("--decode-as %q: unknown layer %q: want udp.port", s, layer)
	}
	f, err := ParsePorts(strings.TrimSpace(ports))
	if err == nil {
		f.Protocol, f.Dialect, err = ParseSpeaker(protocol, all)
	}
	if err != nil {
		return f, fmt.Errorf("--decode-as %q: %w", s, err)
	}
	return f, nil
}

// ParseSpeaker reads what ports speak: PROTOCOL[:DIALECT].
func ParseSpeaker(s string, all []*session.Protocol) (p *session.Protocol, dialect string, err error) {
	name, dialect, hasDialect := strings.Cut(strings.TrimSpace(s), ":")
	if p, err = Named(name, all); err != nil {
		return nil, "", err
	}
	if hasDialect && !slices.Contains(p.Dialects, dialect) {
		return nil, "", fmt.Errorf("unknown dialect %q: %s", dialect, dialectsOf(p))
	}
	return p, dialect, nil
}

func dialectsOf(p *session.Protocol) string {
	if len(p.Dialects) == 0 {
		return p.Name + " has none"
	}
	return p.Name + " has " + spell.OrList(p.Dialects)
}

// ParsePorts reads ports: a number, a range FIRST-LAST or FIRST:COUNT.
func ParsePorts(s string) (f session.Force, err error) {
	lo, hi, isRange := strings.Cut(s, "-")
	first, count, isCount := strings.Cut(s, ":")
	switch {
	case isRange:
		f.Lo, err = parsePort(lo)
		if err == nil {
			f.Hi, err = parsePort(hi)
		}
	case isCount:
		f.Lo, err = parsePort(first)
		var n uint16
		if err == nil {
			n, err = parsePort(count)
		}
		if n == 0 || int(f.Lo)+int(n)-1 > 65535 {
			f.Lo, f.Hi = 1, 0
		} else {
			f.Hi = f.Lo + n - 1
		}
	default:
		f.Lo, err = parsePort(s)
		f.Hi = f.Lo
	}
	if err == nil && f.Hi < f.Lo {
		err = fmt.Errorf("%q contains no port", s)
	}
	return f, err
}

func parsePort(s string) (uint16, error) {
	n, err := strconv.ParseUint(s, 0, 16)
	if err != nil {
		return 0, fmt.Errorf("%q is not a port: want 0 to 65535, FIRST-LAST or FIRST:COUNT", s)
	}
	return uint16(n), nil
}

// Named finds a protocol. The error lists the valid names.
func Named(name string, all []*session.Protocol) (*session.Protocol, error) {
	var names []string
	for _, p := range all {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return nil, fmt.Errorf("unknown protocol %q: want %s", name, spell.OrList(names))
}
