package main

import (
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/docs"
	"github.com/dpdissect/dpdissect/internal/manual"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/session/conform"
)

// An explained is what findings name beside rules: a guard, or an unclear place of a text.
type explained struct {
	id, about string
	text      func(width int) string
	record    any // in JSON
}

type guardRow struct {
	Guard string   `json:"guard"`
	Asks  string   `json:"asks"`
	Rules []string `json:"rules"`
}

type readingRow struct {
	Reading   string   `json:"reading"`
	Protocol  string   `json:"protocol"`
	Where     string   `json:"where"`
	Problem   string   `json:"problem"`
	DecodedAs string   `json:"decoded_as"`
	JudgedAs  string   `json:"judged_as"`
	Rules     []string `json:"rules"`
}

func explanations() []explained { return append(explainedGuards(), explainedReadings()...) }

func explainedGuards() (all []explained) {
	for g := conform.GuardDup; g <= conform.GuardSample; g++ {
		users := usersOf(func(r *conform.Rule) bool { return (r.Guards | conform.Always).Has(g) })
		all = append(all, explained{
			id: g.String(), about: "guard: " + g.Asks(),
			text:   func(width int) string { return report.GuardText(g, users, width) },
			record: guardRow{g.String(), g.Asks(), orEmpty(users)},
		})
	}
	return all
}

// explainedReadings are the rows of docs/readings.md.
func explainedReadings() (all []explained) {
	page, err := docs.Pages.ReadFile("readings.md")
	must(err)
	for _, row := range manual.Parse(string(page)).Rows() {
		if len(row.Cells) != 5 {
			continue
		}
		id := row.Cells[0]
		users := usersOf(func(r *conform.Rule) bool { return slices.Contains(report.Readings(r), id) })
		var lines [][2]string
		for i := 1; i < len(row.Cells); i++ {
			lines = append(lines, [2]string{row.Heads[i], row.Cells[i]})
		}
		all = append(all, explained{
			id: id, about: row.Cells[2],
			text:   func(width int) string { return report.ReadingText(id, row.Heading, lines, users, width) },
			record: readingRow{id, row.Heading, row.Cells[1], row.Cells[2], row.Cells[3], row.Cells[4], orEmpty(users)},
		})
	}
	return all
}

// usersOf are the rules for which something holds.
func usersOf(holds func(*conform.Rule) bool) (ids []string) {
	for _, h := range chapters() {
		for i := range h.rules {
			if holds(&h.rules[i]) {
				ids = append(ids, h.rules[i].ID)
			}
		}
	}
	slices.SortFunc(ids, strings.Compare)
	return slices.Compact(ids)
}
