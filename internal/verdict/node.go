package verdict

import (
	"go.yaml.in/yaml/v3"

	"github.com/dpdissect/dpdissect/internal/yamlfile"
)

// A Mistake is what is wrong with a rules file or a baseline, and where.
type Mistake = yamlfile.Mistake

// A reader takes a YAML document apart. The first mistake sticks.
type reader struct{ *yamlfile.Reader }

// quantity gives a number with its unit, as budgets write it.
func (r *reader) quantity(n *yaml.Node, what string) float64 {
	s := r.Text(n, what)
	if r.Err != nil {
		return 0
	}
	v, err := parseQuantity(s)
	if err != nil {
		r.Fail(n, "%s: %v", what, err)
	}
	return v
}

// share is a quantity between 0 and 1.
func (r *reader) share(n *yaml.Node, what string) *float64 {
	v := r.quantity(n, what)
	if r.Err == nil && (v < 0 || v > 1) {
		r.Fail(n, "%s needs a share from 0%% to 100%%", what)
	}
	return &v
}
