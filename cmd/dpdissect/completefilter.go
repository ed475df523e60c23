package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect/filter"
	"github.com/dpdissect/dpdissect/internal/protocols"
)

// relations are the operators that stand after names of a type; the others stand alone.
var relations = map[string][]string{
	"number":  {"==", "!=", ">", "<", ">=", "<=", "in", "&"},
	"text":    {"==", "!=", "contains", "matches", "in"},
	"bytes":   {"==", "!=", "contains", "matches"},
	"address": {"==", "!=", "in"},
	"time":    {"==", "!=", ">", "<", ">=", "<="},
	"seconds": {"==", "!=", ">", "<", ">=", "<="},
}

// joins stand after what is complete.
var joins = []string{"and", "or", "xor"}

// completeFilter completes the last word of a display filter: names where an operand may
// begin, after a name its operators, after these the values that have names.
func completeFilter(_ *cobra.Command, _ []string, typed string) (all []cobra.Completion, _ cobra.ShellCompDirective) {
	set := filter.NewSet(protocols.Tables())
	at := strings.LastIndexAny(typed, " (!{,'\"") + 1
	before, word := typed[:at], typed[at:]
	last := lastWord(before)
	types := map[string]string{}
	names := set.Names()
	for _, n := range names {
		types[n.Name] = n.Type
	}
	offer := func(words []string) {
		for _, w := range words {
			if strings.HasPrefix(w, word) {
				all = append(all, before+w)
			}
		}
	}
	switch kind, isName := types[last]; {
	case isName:
		offer(slices.Concat(relations[kind], joins))
	case isOperator(last):
		if words := strings.Fields(before); len(words) > 1 {
			offer(quotedValues(set, words[len(words)-2]))
		}
	case last == "" || slices.Contains(joins, last) || last == "not" || strings.HasSuffix(before, "(") || strings.HasSuffix(before, "!"):
		for _, n := range names {
			if strings.HasPrefix(n.Name, word) {
				all = append(all, offered(before+n.Name, n.Doc))
			}
		}
		offer([]string{"not"})
	default:
		offer(joins)
	}
	return all, noFiles | cobra.ShellCompDirectiveNoSpace
}

// lastWord is the word before a cursor, "" at the beginning and where a parenthesis or a
// quote that the shell left stands there.
func lastWord(before string) string {
	words := strings.Fields(before)
	if len(words) == 0 {
		return ""
	}
	return strings.Trim(words[len(words)-1], "('\"!")
}

func isOperator(word string) bool {
	for _, list := range relations {
		if slices.Contains(list, word) {
			return true
		}
	}
	return false
}

// quotedValues are the named values of a name, as filters take them.
func quotedValues(set *filter.Set, name string) []string {
	name = strings.Trim(name, "('\"!")
	values := set.Values(name)
	if name == "protocol" {
		for _, p := range protocols.Tables() {
			values = append(values, p.Name)
		}
	}
	for i, v := range values {
		if strings.ContainsAny(v, " -:") || v == "any" || v == "all" { // which are words of the language
			values[i] = `"` + v + `"`
		}
	}
	return values
}
