package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// maxInputs is how many inputs a step has at most: its message has room for them.
const maxInputs = 1000

// An Input is a file of packets, as it was when it was submitted.
type Input struct {
	Path string    `json:"path"` // of a file, or s3://, or https://
	Size int64     `json:"size"`
	Time time.Time `json:"time"` // when it was changed last
}

func (in *Input) key() string {
	return fmt.Sprintf("%s\x00%d\x00%d", in.Path, in.Size, in.Time.UnixNano())
}

// A Step is one that is queued.
type Step struct {
	Schema    string    `json:"schema"`
	Point     string    `json:"point"`
	Chain     string    `json:"chain"`
	Step      int       `json:"step"`
	Inputs    []Input   `json:"inputs"`
	End       bool      `json:"end,omitempty"` // the chain ends: there are no inputs
	Submitted time.Time `json:"submitted"`
	Result    *Result   `json:"result,omitempty"` // in the stream of steps, once there is one
}

const stepSchema = "dpdissect/fleet-step/1"

// A Result is what became of a step.
type Result struct {
	Status     string     `json:"status"` // done, dead
	Packets    uint64     `json:"packets"`
	LastTime   *time.Time `json:"last_time,omitempty"` // of the packets
	Problem    string     `json:"problem,omitempty"`   // of the inputs
	Reason     string     `json:"reason,omitempty"`    // why it is dead
	Worker     string     `json:"worker"`
	Build      string     `json:"build"`
	Tries      int        `json:"tries"`
	StateBytes int        `json:"state_bytes"`
}

// parseStep reads a step that came by a subject. Whoever may publish there makes it.
func (q *Queue) parseStep(subject string, b []byte) (*Step, error) {
	s := new(Step)
	if err := json.Unmarshal(b, s); err != nil {
		return nil, errors.New("is no step: it is not JSON of one")
	}
	switch {
	case s.Schema != stepSchema:
		return nil, errors.New("is no step: another schema")
	case CheckName(s.Point) != nil || CheckName(s.Chain) != nil:
		return nil, errors.New("is no step: the name of its point or chain is none")
	case subject != q.workSubject(s.Point, s.Chain):
		return nil, errors.New("is a step of another chain than its subject")
	case s.Step < 0 || s.Step >= maxSteps:
		return nil, errors.New("is no step: its number is none")
	case s.End != (len(s.Inputs) == 0) || len(s.Inputs) > maxInputs:
		return nil, errors.New("is no step: the number of its inputs is none")
	}
	for _, in := range s.Inputs {
		if in.Path == "" || strings.ContainsRune(in.Path, 0) {
			return nil, errors.New("is no step: the name of an input is none")
		}
	}
	return s, nil
}

// A Record says where a chain stands.
type Record struct {
	Submitted   int        `json:"submitted"`
	Done        int        `json:"done"`
	Dead        int        `json:"dead"`
	Ended       bool       `json:"ended"`               // its end is submitted
	LastTime    *time.Time `json:"last_time,omitempty"` // of its packets that were worked on
	State       string     `json:"state,omitempty"`     // the object that the next step goes on from
	Before      string     `json:"before,omitempty"`    // the one before
	Over        bool       `json:"over,omitempty"`      // its end is done
	Since       int        `json:"since,omitempty"`     // the step at which it began again, as a chain of its own in the rows
	Returned    int        `json:"returned,omitempty"`  // how often the next step was handed back
	Trouble     string     `json:"trouble,omitempty"`   // what became of the next step the last time
	Attempt     int        `json:"attempt,omitempty"`   // the one at the next step that may write rows; 0 is the first
	EndDead     bool       `json:"end_dead,omitempty"`  // its end is over, but could not be done: its states wait
	Redelivered int        `json:"redelivered,omitempty"`
	Restarted   int        `json:"restarted,omitempty"`
}

// next is the number of the step that comes next.
func (r *Record) next() int { return r.Done + r.Dead }

// waits reports whether a step or the end is still to be done.
func (r *Record) waits() bool { return r.Submitted > r.next() || r.Ended && !r.Over }

// begin makes the next step the one that is worked on.
func (r *Record) begin() { r.Returned, r.Trouble, r.Attempt = 0, "", 0 }

// forgettable reports whether nobody will ask for the record any more.
func (r *Record) forgettable() bool { return r.Over && !r.EndDead }

var errNoRecord = errors.New("is no record of a chain")

func parseRecord(point, chain string, b []byte) (r Record, err error) {
	if json.Unmarshal(b, &r) != nil {
		return r, errNoRecord
	}
	for _, n := range []int{r.Submitted, r.Done, r.Dead, r.Since, r.Returned, r.Attempt, r.Redelivered, r.Restarted, r.Done + r.Dead} {
		if n < 0 || n > maxSteps {
			return r, errNoRecord
		}
	}
	for _, s := range []string{r.State, r.Before} {
		if s != "" && (!strings.HasPrefix(s, ofChain(point, chain)+".") || stateStep(s) < 0) {
			return r, errNoRecord
		}
	}
	return r, nil
}

// A Letter tells of a step that could not be done.
type Letter struct {
	Point    string    `json:"point"`
	Chain    string    `json:"chain"`
	Step     int       `json:"step"`
	Inputs   []Input   `json:"inputs"`
	End      bool      `json:"end,omitempty"`
	Tries    int       `json:"tries"`
	ExitCode *int      `json:"exit_code,omitempty"`
	Reason   string    `json:"reason"`
	Time     time.Time `json:"time"`
	Bytes    []byte    `json:"bytes,omitempty"` // of a message or record that is none of ours

	sequence uint64 // in the stream
}
