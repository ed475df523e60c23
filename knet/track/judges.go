package track

// A conn is what the connection remembers; what judges it are types of their own, one for
// each family of rules. They hold nothing but the connection they look at.

// A frameJudge judges a datagram by itself, and what can not be decoded.
type frameJudge struct{ *conn }

func (c *conn) frames() frameJudge { return frameJudge{c} }

// A numberJudge judges PacketIDs and their acknowledgements, dependencies and the pace.
type numberJudge struct{ *conn }

func (c *conn) numbers() numberJudge { return numberJudge{c} }

// A messageJudge judges pings, transfers and the messages that control the flow.
type messageJudge struct{ *conn }

func (c *conn) contents() messageJudge { return messageJudge{c} }

// A sessionJudge judges how a connection begins and ends.
type sessionJudge struct{ *conn }

func (c *conn) ends() sessionJudge { return sessionJudge{c} }
