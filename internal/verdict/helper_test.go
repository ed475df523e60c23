package verdict

import (
	"net/netip"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

var testRules = []conform.Rule{
	{ID: "TP-1-HEAD", Severity: conform.Error, Statement: "a head"},
	{ID: "TP-1-TAIL", Severity: conform.Warn, Statement: "a tail"},
	{ID: "TP-2-RESEND", Severity: conform.Note, Statement: "5 s"},
	{ID: "TP-2-OLD", Alias: "TP-1-HEAD"},
	{ID: "TP-3-NEVER", Severity: conform.Error, Unchecked: "never observable"},
}

var testQuality = []conform.Rule{{ID: "CAP-GAP", Severity: conform.Error, Statement: "no gap"}}

func testBook() *Book { return NewBook(testRules, testQuality) }

func rule(id string) *conform.Rule {
	r := testBook().byID[id]
	if r == nil {
		panic(id)
	}
	return r
}

func endpoint(s string) dissect.Endpoint { return dissect.MakeEndpoint(netip.MustParseAddrPort(s)) }

// testConn is a connection of a client to a server.
func testConn(id int, client, server string) *session.Conn {
	return &session.Conn{ID: id, Protocol: &dissect.Protocol{Name: "tp", Client: "client", Ports: []uint16{2302}}, A: endpoint(client), B: endpoint(server),
		Roles: [2]string{"client", "server"}}
}

// finding is one against the server of a connection.
func finding(id, message string, c *session.Conn) session.Finding {
	r := rule(id)
	return session.Finding{Rule: r, Severity: r.Severity, Conn: c, Dir: session.SideB, Frame: 7, Frames: []uint64{3, 7}, Message: message}
}
