package verdict

// Several is the verdict on captures of which each was judged on its own, with what
// rules file and baseline came to over all of them.
type Several struct {
	Outcome      Outcome // the worst
	Suppressions []SuppressionResult
	Baseline     *BaselineResult // nil without one
}

// Together adds up what came of several captures, judged by one policy and baseline.
func Together(base *Baseline, results []*Result) *Several {
	s := &Several{}
	matched := map[string]bool{}
	for i, r := range results {
		s.Outcome = s.Outcome.Worse(r.Outcome)
		if i == 0 {
			s.Suppressions = append(s.Suppressions, r.Suppressions...)
		} else {
			for j := range r.Suppressions {
				s.Suppressions[j].Findings += r.Suppressions[j].Findings
			}
		}
		for key := range r.matched {
			matched[key] = true
		}
		if r.Baseline == nil {
			continue
		}
		if s.Baseline == nil {
			s.Baseline = &BaselineResult{}
		}
		s.Baseline.Known += r.Baseline.Known
		s.Baseline.New += r.Baseline.New
		s.Baseline.Gone = base.gone(matched)
	}
	return s
}
