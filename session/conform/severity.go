package conform

// Severity grades a finding.
type Severity uint8

const (
	Error Severity = iota
	Warn
	Note
)

var severityNames = [...]string{"error", "warn", "note"}

func (s Severity) String() string { return severityNames[s] }
