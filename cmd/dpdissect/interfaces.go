package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

func newInterfaces() *cobra.Command {
	var rows []interfaceRow
	cmd := newReference(&cobra.Command{
		Use:   "interfaces",
		Short: "List the network interfaces, as -i names them",
		Long: `List the network interfaces of this machine: name, link type, state and
addresses. Those that are up and have a carrier come first, loopback last. On
Linux, any stands for all of them.

The list needs no privileges, but capturing does. If this user may not capture,
the list is followed by what is missing and how to grant it, and the exit code
is 2.`,
		Example: `  dpdissect interfaces
  dpdissect interfaces --format json | jq -r '.[] | select(.up) | .name'`,
	}, func(width int) []byte { return interfacesText(rows, width) },
		func() []byte { return indented(rows) })
	show := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		list, err := capture.Devices()
		if err != nil {
			return err
		}
		may := capture.MayCapture()
		rows = interfaceRows(list, may == nil)
		if err := show(cmd, args); err != nil {
			return err
		}
		return may
	}
	return cmd
}

// interfaceRow is an interface in JSON.
type interfaceRow struct {
	Name        jsonText `json:"name"`
	Description jsonText `json:"description,omitempty"`
	Addresses   []string `json:"addresses"`
	Link        string   `json:"link_type,omitempty"`
	Up          bool     `json:"up"`
	Running     bool     `json:"running"`
	Loopback    bool     `json:"loopback"`
	MayCapture  bool     `json:"may_capture"`
}

// jsonText is text of unknown origin: systems allow nearly any byte in names of
// interfaces. Escapes of JSON keep it off the terminal.
type jsonText string

func (s jsonText) MarshalJSON() ([]byte, error) { return render.AppendJSONString(nil, string(s)), nil }

// escaped is the text for people.
func (s jsonText) escaped() string { return string(render.AppendEscaped(nil, string(s))) }

func interfaceRows(list []capture.DeviceInfo, may bool) []interfaceRow {
	rows := make([]interfaceRow, len(list))
	for i := range list {
		d := &list[i]
		rows[i] = interfaceRow{jsonText(d.Name), jsonText(d.Description), orEmpty(d.Addresses), d.LinkName, d.Up, d.Running, d.Loopback, may}
	}
	return rows
}

// state is the words of what an interface is.
func (r *interfaceRow) state() string {
	words := "down"
	if r.Up {
		words = "up"
	}
	if r.Running {
		words += ", running"
	}
	if r.Loopback {
		words += ", loopback"
	}
	return words
}

func interfacesText(rows []interfaceRow, width int) []byte {
	cells := make([][]string, len(rows))
	for i := range rows {
		r := &rows[i]
		capture := "no"
		if r.MayCapture {
			capture = "yes"
		}
		about := strings.Join(r.Addresses, " ")
		if about != "" && r.Description != "" {
			about += "; "
		}
		cells[i] = []string{r.Name.escaped(), r.Link, r.state(), capture, about + r.Description.escaped()}
	}
	return terminal.AppendReference(nil, []terminal.Column{
		{Head: "Interface"}, {Head: "Link type", Rank: 3}, {Head: "State", Rank: 1}, {Head: "May capture", Rank: 2},
		{Head: "Addresses; description", Least: leastText, Whole: jsonHasIt},
	}, cells, width)
}
