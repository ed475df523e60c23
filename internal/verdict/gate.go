package verdict

import "fmt"

// A GateResult says whether the capture is as good as was asked for.
type GateResult struct {
	Name  string // "max-capture-loss", "max-inconclusive"
	Known bool
	Value float64 // when it is known
	Limit float64
	Held  bool
	Worst *WorstPlace // nil when it is about the whole run
}

// captureLoss is the share of a direction's datagrams that the capture missed.
var captureLoss = mustBudget("lost.not_captured / (frames + lost.not_captured) <= 100%")

func mustBudget(text string) *Budget {
	b, err := ParseBudget(text)
	if err != nil {
		panic(err)
	}
	return b
}

func (d *decision) gates(n *Numbers, run *Run) {
	c := &d.policy.Certainty
	if c.MaxCaptureLoss != nil {
		d.gate(lossOf(n, run), *c.MaxCaptureLoss)
	}
	if c.MaxInconclusive != nil {
		d.gate(d.inconclusive(), *c.MaxInconclusive)
	}
}

func (d *decision) gate(g GateResult, limit float64) {
	g.Limit = limit
	g.Held = g.Known && g.Value <= limit
	d.Gates = append(d.Gates, g)
	switch {
	case !g.Known:
		d.because(PoorCapture, "%s: the capture does not show it", g.Name)
	case !g.Held:
		d.because(PoorCapture, "%s: %s is more than %s", g.Name, captureLoss.Format(g.Value), captureLoss.Format(limit))
	}
}

// lossOf is the largest share of any direction, or what the files say they lack.
func lossOf(n *Numbers, run *Run) GateResult {
	g := GateResult{Name: "max-capture-loss"}
	w := n.placesOf(captureLoss)
	if w.absent != unknown && (w.some || n.connections > 0) {
		g.Known = true
	}
	if w.some {
		g.Value, g.Worst = w.value, w.place()
	}
	if run.Dropped > 0 {
		if v := float64(run.Dropped) / float64(run.Dropped+run.Packets); v > g.Value {
			g.Known, g.Value, g.Worst = true, v, nil
		}
	}
	return g
}

// inconclusive is the share of all opportunities.
func (d *decision) inconclusive() GateResult {
	g := GateResult{Name: "max-inconclusive"}
	var all, unclear uint64
	for i := range d.Rules {
		if !d.book.mild[d.Rules[i].Rule.ID] {
			all += d.Rules[i].Opportunities()
			unclear += d.Rules[i].Inconclusive
		}
	}
	if all > 0 {
		g.Known, g.Value = true, float64(unclear)/float64(all)
	}
	return g
}

// String is the gate for people: "max-capture-loss 3.1%, limit 1%".
func (g *GateResult) String() string {
	if !g.Known {
		return fmt.Sprintf("%s unknown, limit %s", g.Name, g.Format(g.Limit))
	}
	return fmt.Sprintf("%s %s, limit %s", g.Name, g.Format(g.Value), g.Format(g.Limit))
}

// Format writes a share.
func (g *GateResult) Format(v float64) string { return captureLoss.Format(v) }
