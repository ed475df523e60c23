package rules

// What judges a connection are types of their own, one for each family of rules. They hold
// nothing but the judge, which remembers for them.

// A handshakeJudge follows and judges CONNECT, CONNECTED and CONNECTED_SIGNED (MC-DPL8R 2.2.1.1 to 2.2.1.3, 3.1.5.1).
type handshakeJudge struct{ *judge }

func (j *judge) handshakes() handshakeJudge { return handshakeJudge{j} }

// A signatureJudge verifies signatures and judges what they show (MC-DPL8R 3.1.5.2.7).
type signatureJudge struct{ *judge }

func (j *judge) signing() signatureJudge { return signatureJudge{j} }

// A commandJudge judges what signed handshakes, HARD_DISCONNECT and the ticks of command frames show (MC-DPL8R 2.2.1.3, 2.2.1.4).
type commandJudge struct{ *judge }

func (j *judge) commands() commandJudge { return commandJudge{j} }

// A sequenceJudge judges the numbers of a side and its send masks (MC-DPL8R 3.1.5.2.1, 3.1.5.2.4).
type sequenceJudge struct{ *judge }

func (j *judge) sequence() sequenceJudge { return sequenceJudge{j} }

// An ackJudge judges what a side acknowledges, and its SACKs (MC-DPL8R 2.2.1.5, 3.1.5.2.2, 3.1.5.2.3).
type ackJudge struct{ *judge }

func (j *judge) acks() ackJudge { return ackJudge{j} }

// A baseJudge decides what the SACK masks of a side count from (MC-DPL8R 3.1.5.2.3).
type baseJudge struct{ *judge }

func (j *judge) bases() baseJudge { return baseJudge{j} }

// A retryJudge judges retries, timers and answers in time (MC-DPL8R 3.1.2, 3.1.6).
type retryJudge struct{ *judge }

func (j *judge) retries() retryJudge { return retryJudge{j} }

// A contentJudge judges what a data frame holds: flags, messages, coalesced parts (MC-DPL8R 2.2.2, 2.2.3, 3.1.5.2.6).
type contentJudge struct{ *judge }

func (j *judge) content() contentJudge { return contentJudge{j} }

// A closeJudge judges how a connection ends (MC-DPL8R 3.1.4.3).
type closeJudge struct{ *judge }

func (j *judge) ends() closeJudge { return closeJudge{j} }
