package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/protocols"
)

func newProtocols() *cobra.Command {
	return newReference(&cobra.Command{
		Use:   "protocols",
		Short: "List the protocols and the texts that define them",
		Long: `List the protocols that are recognised, each followed by its neighbours:
protocols on the same ports, which are shown but are no connections.

Ports are hints for people: protocols are recognised by behaviour. --decode-as
and --protocols take the names of all but neighbours.`,
		Example: `  dpdissect protocols
  dpdissect protocols --format json`,
	}, protocolsText, protocolsJSON)
}

// protocolRow is a protocol in JSON.
type protocolRow struct {
	Name        string   `json:"name"`
	Title       string   `json:"title"`
	NeighbourOf string   `json:"neighbour_of,omitempty"`
	Texts       []string `json:"texts"`
	Ports       []uint16 `json:"ports"`
	Dialects    []string `json:"dialects"`
	Types       []string `json:"types"`
}

func protocolRows() []protocolRow {
	var rows []protocolRow
	add := func(p *dissect.Protocol, of string) {
		rows = append(rows, protocolRow{p.Name, p.Title, of, orEmpty(p.Texts), orEmpty(p.Ports), orEmpty(p.Dialects), orEmpty(p.Types)})
	}
	for _, p := range protocols.All(protocols.Options{}) {
		add(p.Protocol, "")
		for _, n := range p.Neighbours {
			add(n, p.Name)
		}
	}
	return rows
}

// orEmpty makes JSON arrays of lists that are not there.
func orEmpty[T any](list []T) []T { return append([]T{}, list...) }

func protocolsText(width int) []byte {
	var rows [][]string
	for _, p := range protocolRows() {
		name, ports := p.Name, strings.Trim(fmt.Sprint(p.Ports), "[]")
		if p.NeighbourOf != "" {
			name = "  " + name
		}
		if len(p.Dialects) > 0 {
			p.Title += "; dialects " + strings.Join(p.Dialects, ", ")
		}
		rows = append(rows, []string{name, ports, strings.Join(p.Texts, ", "), p.Title})
	}
	return appendTable(nil, []string{"Protocol", "Ports", "Text", "Title"}, rows, width)
}

func protocolsJSON() []byte { return indented(protocolRows()) }
