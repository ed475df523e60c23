package track

// A conn is what the connection remembers; what judges it are types of their own, one for
// each family of rules. They hold nothing but the connection they look at.

// A packetJudge judges data frames: their shape, numbers, serials and repetitions (MC-DPL4R 2.2.2, 3.1.3).
type packetJudge struct{ *conn }

func (c *conn) packets() packetJudge { return packetJudge{c} }

// An ackJudge judges what a side acknowledges, counts and owes (MC-DPL4R 2.2.3, 2.2.4, 3.1.5).
type ackJudge struct{ *conn }

func (c *conn) acks() ackJudge { return ackJudge{c} }
