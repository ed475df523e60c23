package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/inputs"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/verdict"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A chapter is the rules of one protocol, or those about captures and networks.
type chapter struct {
	name, title string
	rules       []conform.Rule
}

func chapters() (all []chapter) {
	for _, p := range protocols.All(protocols.Options{}) {
		all = append(all, chapter{p.Name, p.Title, p.Rules})
	}
	split := slices.IndexFunc(session.Quality, func(r conform.Rule) bool { return strings.HasPrefix(r.ID, "FLD-") })
	return append(all, chapter{"capture", "Quality of the capture", session.Quality[:split]}, chapter{"field", "Diagnosis of the network", session.Quality[split:]})
}

// ruleBook holds all rules.
func ruleBook() *verdict.Book {
	var all []conform.Rule
	for _, p := range protocols.All(protocols.Options{}) {
		all = append(all, p.Rules...)
	}
	return verdict.NewBook(all, session.Quality)
}

func chapterNames() (names []string) {
	for _, h := range chapters() {
		names = append(names, h.name)
	}
	return names
}

func levelNames() (names []string) {
	for l := conform.Must; l <= conform.Impl; l++ {
		names = append(names, l.String())
	}
	return names
}

// readPolicy reads a rules file; without one nothing is said.
func readPolicy(path string, book *verdict.Book) (*verdict.Policy, error) {
	if path == "" {
		return verdict.NewPolicy(), nil
	}
	text, err := inputs.ReadBounded(path, maxRules)
	if err != nil {
		return nil, fmt.Errorf("--rules: %w", err)
	}
	return verdict.ReadPolicy(path, text, book)
}

// dayOf is the day of --today, or today.
func dayOf(today string) (string, error) {
	if today == "" {
		return time.Now().UTC().Format(time.DateOnly), nil
	}
	if _, err := time.Parse(time.DateOnly, today); err != nil {
		return "", exit.Usagef("--today: want a day such as 2026-12-31")
	}
	return today, nil
}

// fieldTables are all tables of fields: those of packets first.
func fieldTables() []*dissect.Protocol {
	return append([]*dissect.Protocol{render.Packet}, protocols.Tables()...)
}
