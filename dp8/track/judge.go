package track

import (
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A judge judges one connection. What it remembers is its own; of the connection it reads
// what was captured and what was made of it, and changes nothing but its Rules.
type judge struct {
	*conn
	own    [2]judgedSide
	timers timerState
	core   bool // a message of the DirectPlay core was seen
	commandState
}

// A judgedSide is what a judge remembers of one sender.
type judgedSide struct {
	sequence  sequenceState
	closing   closeDuty
	inDoubt   []doubtCase // what frames of doubtful signature break if they are forged
	doubtful  bool        // it reported different versions
	uncoal    bool        // it coalesced although it must not
	cframes   cframes
	hard      hardDisconnectState
	sackWatch sackState
	alive1    keepAliveState
}

// commandState is what judging the command frames of a connection needs, besides what is
// kept of each side.
type commandState struct {
	asked       [2]asked
	lastConnect badConnect
	strayCases  []strayCase
	chosen      secretWatch
	early       earlyFrame
	repeats     int // CONNECTs since the listener's latest answer
	offers      int // answers of the listener since the connector's latest confirmation
	confirms    int // confirmations
}

// judgeKept judges a data frame that is no copy once it is remembered.
func (c *judge) judgeKept(dir int, num int64) {
	c.content().judgeMessage(dir, num)
	if c.side[1-dir].ended {
		c.ends().judgeReply(dir, num+1)
	}
}

// judgeFlow judges a genuine data frame by the rules of other sections than its own:
// those of the handshake before it and of the close behind which it comes.
func (c *judge) judgeFlow(dir int, num int64, d *dp8.DFrame, keepAlive bool, v seq.Verdict) {
	const whole = dp8.NewMsg | dp8.EndMsg
	if v.Words.Has(duplicate) {
		return
	}
	if dir != c.connector {
		c.handshakes().judgeUnestablished(dir, r31Est)
	}
	c.handshakes().speaks(dir)
	c.acks().sawRetry(dir, d.IsRetry())
	if d.Control&dp8.CtlCoalesce != 0 {
		c.content().judgeCoalesced(d)
	}
	if d.Command&whole != whole || d.Control&dp8.CtlCoalesce != 0 {
		c.content().judgeBetween(dir, num, d)
	}
	if v.Novelty != seq.First {
		return
	}
	if c.own[dir].sackWatch.over.Frame != 0 {
		c.acks().settleNSeq(dir, num)
	}
	if !c.own[dir].alive1.over {
		c.commands().judgeFirstKeepAlive(dir, num, d, keepAlive)
	}
	if c.life.hard != [2]bool{} {
		c.commands().judgeDataBehindHard(dir, num)
	}
}

// finishJudging ends what the capture leaves open.
func (c *judge) finishJudging() {
	c.commands().finishStrays()
	c.handshakes().passRival()
	rules := &c.c.Rules
	for dir := range c.side {
		c.signing().finishDoubts(&c.own[dir])
		c.commands().judgeTickRate(dir)
		c.commands().finishHard(dir)
		if w := &c.own[dir].sackWatch; w.over.Frame != 0 {
			w.over.Blocked = conform.GuardClean
			rules.Judge(w.over)
		}
	}
	if e := &c.early; e.Frame != 0 {
		e.Blocked = conform.GuardClean
		rules.Judge(e.Case)
	}
}
