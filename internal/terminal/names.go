package terminal

import (
	"fmt"
	"strings"

	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// ProtocolName is "dp8 1.6", "knet reference", "hazel spec or 0.1".
func ProtocolName(c *session.Conn) string {
	name := c.Protocol.Name
	if c.Dialect != "" {
		name += " " + Escaped(c.Dialect)
	} else if n := len(c.Dialects); n > 0 {
		name += " " + Escaped(strings.Join(c.Dialects[:n-1], ", ")+" or "+c.Dialects[n-1])
	}
	if c.Version != 0 {
		name += " " + Version(c)
	}
	return name
}

// Version is that of the protocol: "1.6".
func Version(c *session.Conn) string { return fmt.Sprintf("%d.%d", c.Version>>16, c.Version&0xffff) }

// SeverityNoun is what findings are counted as: "error", "warning", "note".
func SeverityNoun(s conform.Severity) string {
	if s == conform.Warn {
		return "warning"
	}
	return s.String()
}
