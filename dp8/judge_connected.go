package dp8

import "github.com/dpdissect/dpdissect/session"

// judgeConnected judges a CONNECTED; fromListener says by whom it was sent, as far
// as that is known without its POLL flag (MC-DPL8R 2.2.1.2).
func (c *conn) judgeConnected(law *session.Law, h *Handshake, fromListener bool) {
	poll := h.Command&Poll != 0
	if fromListener {
		if !law.Check(r2212PollListener, poll) {
			law.Broken(r2212PollListener, "the listener's CONNECTED has no POLL")
		}
		return
	}
	if !law.Check(r2212PollConnector, !poll) {
		law.Broken(r2212PollConnector, "the connector's CONNECTED has POLL")
	}
}
