package tracegen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
)

// An EndTrace is a session whose end is known that is kept with the project.
type EndTrace struct {
	Name               string
	Kind, Event, Place string
}

// endFolder holds them below the output.
const endFolder = "ends"

// EndTraces are those that show what players and operators meet.
func EndTraces() []EndTrace {
	return []EndTrace{
		{"bufferbloat", "knet", "bufferbloat", "a"},
		{"cable-cut", "hazel", "cut", "b"},
		{"cable-cut-idle", "hazel", "idle-cut", "b"},
		{"cable-cut-knet", "knet", "cut", "middle"},
		{"closed", "hazel", "closed-a", "middle"},
		{"kicked", "hazel", "kicked", "a"},
		{"killed-process", "hazel", "killed-icmp-b", "a"},
		{"late-answers", "knet", "server-stalls", "b"},
		{"mtu-black-hole", "hazel", "black-hole", "a"},
		{"nat-expired-inside", "hazel", "nat-resumed", "a"},
		{"nat-expired-outside", "hazel", "nat-resumed", "b"},
		{"nat-rebinding", "knet", "nat-rebinding", "b"},
		{"no-server", "hazel", "no-answer", "a"},
		{"no-server-icmp", "knet", "port-closed-before", "a"},
		{"no-server-knet", "knet", "no-answer", "a"},
		{"one-way", "hazel", "one-way", "a"},
		{"outage", "hazel", "outage", "a"},
		{"refused-version", "hazel", "version", "a"},
		{"secrets-differ", "dp8-full", "secret", "b"},
		{"server-restarted", "knet", "server-restarts", "a"},
		{"window-stalled", "dp4", "window-stall", "a"},
	}
}

// Generate makes the capture file and what is true of it.
func (e *EndTrace) Generate() (pcap []byte, truth []byte, err error) {
	for _, c := range EndCases() {
		if c.Kind != e.Kind || c.Event != e.Event {
			continue
		}
		c.Brief = true
		s, err := c.Play(e.Place, 1)
		if err != nil {
			return nil, nil, err
		}
		s = s.Missing(0, 0) // says whether the end can be told
		var file bytes.Buffer
		if err := s.Write(&file); err != nil {
			return nil, nil, err
		}
		truth, err := json.MarshalIndent(s.Truth, "", "  ")
		return file.Bytes(), append(truth, '\n'), err
	}
	return nil, nil, fmt.Errorf("%s: no session %s/%s", e.Name, e.Kind, e.Event)
}

// File is the capture's path below the output folder.
func (e *EndTrace) File() string { return filepath.Join(endFolder, e.Name+".pcap") }

// TruthFile is the path of what is true.
func (e *EndTrace) TruthFile() string { return filepath.Join(endFolder, e.Name+".end.json") }
