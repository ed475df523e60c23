package track

// A conn is what the connection remembers; what judges it are types of their own, one for
// each family of rules. They hold nothing but the connection they look at.

// A headerJudge judges a datagram by itself.
type headerJudge struct{ *conn }

func (c *conn) headers() headerJudge { return headerJudge{c} }

// A deliveryJudge judges ids, resends and acknowledgements.
type deliveryJudge struct{ *conn }

func (c *conn) deliveries() deliveryJudge { return deliveryJudge{c} }

// A sessionJudge judges how a connection begins, keeps alive and ends.
type sessionJudge struct{ *conn }

func (c *conn) sessions() sessionJudge { return sessionJudge{c} }
