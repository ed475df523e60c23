package lab

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dpdissect/dpdissect/internal/testbed/pairs"
)

// A Compared is what compare says of a pair, as its JSON has it.
type Compared struct {
	Passages []Passage
	Points   []struct {
		Missed  int
		Dropped *int
	}
	SamePoint bool `json:"same_point"`
	Clock     struct {
		Segments []ComparedSegment
		Steps    []ComparedStep
		Problem  string
	}
	Connections []ComparedConn
}

// A ComparedConn is one connection at both points.
type ComparedConn struct {
	ID         int
	Protocol   string
	At         [2]*struct{ A, B string }
	Directions map[string]ComparedDirection
	Verdict    struct {
		Cause, Side, Certainty string
		DecidedBy              string `json:"decided_by"`
	}
	Contributing []struct {
		Cause, Certainty, Where string
	}
}

// A ComparedSegment is a time in which neither clock was set.
type ComparedSegment struct {
	From, To string
	Offset   *float64 `json:"offset_ms"`
	Drift    float64  `json:"drift_ppm"`
	Bound    float64  `json:"bound_ms"`
}

// A ComparedStep is a time at which a clock was set.
type ComparedStep struct {
	Time string
	Step float64 `json:"step_ms"`
}

// A ComparedDirection is what is said of a direction of a connection.
type ComparedDirection struct {
	First  int `json:"first_point"`
	Fates  map[string]int
	OneWay *Spread `json:"one_way_ms"`
	Queue  *Spread `json:"queue_ms"`
}

// A Spread is what a document says of many times, ms.
type Spread struct {
	Samples       int
	P50, P95, Max float64
	Bound         float64 `json:"bound_ms"`
}

// A Passage is one record of compare.
type Passage struct {
	Schema    string
	Conn      *int `json:"connection"`
	Direction string
	Fate      string
	Frame1    int      `json:"frame_1"`
	Frame2    int      `json:"frame_2"`
	Copies1   []int    `json:"copies_1"`
	Copies2   []int    `json:"copies_2"`
	Time1     string   `json:"time_1"`
	Time2     string   `json:"time_2"`
	OneWay    *float64 `json:"one_way_ms"`
	Queue     *float64 `json:"queue_ms"`
	Altered   bool
	Reordered bool
}

// frames are the frame at a point, 0 or 1, and the copies there.
func (p *Passage) frames(point int) (first int, copies []int) {
	if point == 0 {
		return p.Frame1, p.Copies1
	}
	return p.Frame2, p.Copies2
}

// compared runs compare on a pair.
func compared(program string, p *pairs.Pair) (*Compared, error) {
	dir, err := os.MkdirTemp("", "lab-pairs")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	files, err := WritePair(p, filepath.Join(dir, "p"))
	if err != nil {
		return nil, err
	}
	return CompareFiles(program, files[0], files[1])
}

// CompareFiles runs compare on two captures.
func CompareFiles(program, a, b string) (*Compared, error) {
	cmd := exec.Command(program, "compare", a, b, "--format", "ndjson", "--workers", "1")
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(out) > 0 {
		err = nil // 1 is a finding, which endpoints of the laboratory make none of
	}
	if err != nil {
		return nil, fmt.Errorf("compare: %w: %s", err, strings.TrimSpace(complaints.String()))
	}
	return readCompared(out)
}

func readCompared(out []byte) (*Compared, error) {
	c := &Compared{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<28)
	whole := false
	for lines.Scan() {
		var schema struct{ Schema string }
		if err := json.Unmarshal(lines.Bytes(), &schema); err != nil {
			return nil, err
		}
		if schema.Schema == "dpdissect/passage/1" {
			c.Passages = append(c.Passages, Passage{})
			if err := json.Unmarshal(lines.Bytes(), &c.Passages[len(c.Passages)-1]); err != nil {
				return nil, err
			}
			continue
		}
		if schema.Schema == "dpdissect/compare/1" {
			whole = true
			if err := json.Unmarshal(lines.Bytes(), c); err != nil {
				return nil, err
			}
		}
	}
	if !whole {
		return nil, errors.New("compare wrote no document")
	}
	return c, lines.Err()
}

// WritePair writes the captures of a pair, and what is true of it beside them, and gives the
// names of the captures.
func WritePair(p *pairs.Pair, prefix string) (files [2]string, err error) {
	for point := range files {
		ext := ".pcap"
		if p.Plan.Points[point].PcapNG {
			ext = ".pcapng"
		}
		files[point] = fmt.Sprintf("%s.%d%s", prefix, point+1, ext)
		f, err := os.Create(files[point])
		if err != nil {
			return files, err
		}
		if err := errors.Join(p.Write(f, point), f.Close()); err != nil {
			return files, err
		}
	}
	truth, err := json.MarshalIndent(struct {
		Plan  pairs.Plan  `json:"plan"`
		Truth pairs.Truth `json:"truth"`
	}{p.Plan, p.Truth}, "", " ")
	if err != nil {
		return files, err
	}
	return files, os.WriteFile(prefix+".truth.json", truth, 0o644)
}
