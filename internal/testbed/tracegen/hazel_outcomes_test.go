package tracegen

func hazelDirections(c *Connection) (a, b Direction) { return c.Directions["a"], c.Directions["b"] }

// spoken reports a closed connection between two dialects.
func spoken(c *Connection, a, b string) bool {
	return c.State == "closed" && c.Directions["a"].Dialect == a && c.Directions["b"].Dialect == b
}

func smooth(c *Connection) bool {
	a, b := hazelDirections(c)
	return a.Retries+b.Retries+a.Gaps+b.Gaps+a.Missing+b.Missing == 0
}

func hazelState(state, by string) func(c *Connection) bool {
	return func(c *Connection) bool { return c.State == state && c.ClosedBy == by }
}

func wraps(c *Connection) bool {
	a, b := hazelDirections(c)
	return !c.Complete && *a.FirstNumber < 1<<16 && *b.FirstNumber < 1<<16 && *a.HighestNumber > 1<<16 && *b.HighestNumber > 1<<16 && a.Retries+b.Retries > 0
}

var hazelOutcomes = map[string]func(c *Connection) bool{
	"clean-2016-05-14": func(c *Connection) bool {
		return spoken(c, "2016-05-14", "2016-05-14") && smooth(c) && c.ClosedBy == "a"
	},
	"lossy-2016-05-30": func(c *Connection) bool {
		return spoken(c, "2016-05-30", "2016-05-30") && c.Directions["a"].Retries > 0
	},
	"clean-spec": func(c *Connection) bool { return spoken(c, "spec", "spec") && smooth(c) && c.Directions["a"].Proven },
	"lossy-spec": func(c *Connection) bool {
		a, b := hazelDirections(c)
		return spoken(c, "spec", "spec") && a.Retries+b.Retries > 0 && a.Duplicates+b.Duplicates > 0 && a.OutOfOrder+b.OutOfOrder > 0
	},
	"clean-0.1": func(c *Connection) bool { return spoken(c, "0.1", "0.1") && smooth(c) && c.ClosedBy == "b" },
	"lossy-0.1": func(c *Connection) bool { return spoken(c, "0.1", "0.1") && c.Directions["a"].Retries > 0 },
	"fragments-0.1": func(c *Connection) bool {
		return spoken(c, "0.1", "0.1") && largest(c) == 3 && c.Directions["a"].MessageBytes > 2*65500
	},
	"pings-ack3": func(c *Connection) bool {
		a, b := hazelDirections(c)
		return spoken(c, "ack3", "ack3") && a.Proven && b.Proven && a.KeepAlives > 20 && a.Retries+b.Retries > 4
	},
	"lossy-ack3": func(c *Connection) bool { return spoken(c, "ack3", "ack3") && c.Directions["a"].Proven },
	"clean-current": func(c *Connection) bool {
		return spoken(c, "current", "current") && smooth(c) && *c.Directions["a"].FirstNumber == 0
	},
	"lossy-current": func(c *Connection) bool {
		a, b := hazelDirections(c)
		return spoken(c, "current", "current") && a.Retries+b.Retries > 0 && a.Duplicates+b.Duplicates > 0
	},
	"first-id-1":       func(c *Connection) bool { return *c.Directions["a"].FirstNumber == 1 && c.Directions["a"].Missing == 0 },
	"history-fe":       func(c *Connection) bool { return c.Directions["a"].Undelivered+c.Directions["b"].Undelivered > 0 },
	"history-late":     func(c *Connection) bool { return c.Directions["a"].Undelivered+c.Directions["b"].Undelivered > 0 },
	"skeldjs":          hazelState("closed", "a"),
	"fragments-fork36": func(c *Connection) bool { return spoken(c, "fork36", "fork36") && largest(c) > 7 },
	"mixed-ids": func(c *Connection) bool {
		return *c.Directions["a"].FirstNumber == 1 && *c.Directions["b"].FirstNumber == 0
	},
	"mixed-ack3-current": func(c *Connection) bool { return spoken(c, "ack3", "current") },
	"wrap-current":       wraps, "wrap-0.1": wraps,
	"midstream-current": func(c *Connection) bool { return !c.Complete && c.State == "closed" },
	"midstream-spec":    hazelState("unknown", ""),
	"one-direction":     func(c *Connection) bool { return c.Directions["b"].Frames == 0 && c.State == "" },
	"capture-loss":      func(c *Connection) bool { return c.Directions["a"].Lost.NotCaptured > 0 },
	"early-stop":        hazelState("established", ""),
	"copies": func(c *Connection) bool {
		a, b := hazelDirections(c)
		return a.Duplicates+b.Duplicates > 4 && a.Duplicates+b.Duplicates > a.Numbered+b.Numbered
	},
	"copies-zero-id": func(c *Connection) bool {
		a, b := hazelDirections(c)
		return a.Duplicates+b.Duplicates > 0 && a.Duplicates+b.Duplicates == a.Numbered+b.Numbered && a.NMessages > 40
	},
	"dtls": func(c *Connection) bool {
		a, b := hazelDirections(c)
		return spoken(c, "dtls", "dtls") && a.NMessages+b.NMessages == 0 && a.Acks > 10 && b.KeepAlives > 0
	},
	"keepalives-current": func(c *Connection) bool {
		a, b := hazelDirections(c)
		return a.KeepAlives+b.KeepAlives > 80 && a.Missing+b.Missing > 0
	},
	"keepalives-0.1":  func(c *Connection) bool { return c.State == "closed" && c.Directions["a"].KeepAlives > 10 },
	"keepalives-spec": func(c *Connection) bool { return c.State == "closed" && c.Directions["a"].KeepAlives > 5 },
	"keepalives-2016-05-14": func(c *Connection) bool {
		a, b := hazelDirections(c)
		return c.State == "closed" && a.KeepAlives > 5 && b.KeepAlives > 5 && a.NMessages+b.NMessages == 20
	},
	"open-spec": func(c *Connection) bool {
		a, b := hazelDirections(c)
		return spoken(c, "spec", "spec") && a.KeepAlives > 15 && b.KeepAlives > 15 && a.NMessages+b.NMessages == 30 && *b.FirstNumber == 5000
	},
	"killed-open-spec": hazelState("timed-out", ""),
	"refused":          hazelState("refused", ""),
	"refused-icmp":     hazelState("refused", ""),
	"unanswered":       hazelState("timed-out", ""),
	"unanswered-0.1":   func(c *Connection) bool { return c.State == "timed-out" && c.Directions["a"].Frames == 4 },
	"killed-peer":      hazelState("timed-out", ""),
	"killed-process":   hazelState("reset", ""),
	"killed-peer-spec": hazelState("timed-out", ""),
	"ping-death":       hazelState("timed-out", ""),
	"kicked":           hazelState("closed", "b"),
	"kicked-hostile":   hazelState("closed", "b"),
	"crossing-close":   hazelState("closed", "both"),
	"restart":          hazelState("closed", "a"),
	"strays":           hazelState("closed", "a"),
}
