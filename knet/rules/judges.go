package rules

// A judge is what is remembered of a connection; what judges it are types of their own, one for
// each family of rules. They hold nothing but the judge.

// A frameJudge judges a datagram by itself, and what can not be decoded.
type frameJudge struct{ *judge }

func (j *judge) frames() frameJudge { return frameJudge{j} }

// A numberJudge judges PacketIDs and their acknowledgements, dependencies and the pace.
type numberJudge struct{ *judge }

func (j *judge) numbers() numberJudge { return numberJudge{j} }

// A messageJudge judges pings, transfers and the messages that control the flow.
type messageJudge struct{ *judge }

func (j *judge) contents() messageJudge { return messageJudge{j} }

// A sessionJudge judges how a connection begins and ends.
type sessionJudge struct{ *judge }

func (j *judge) ends() sessionJudge { return sessionJudge{j} }
