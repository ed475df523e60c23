package syntax

// Compare reports whether a comparison of two numbers holds: > >= < <= == or !=.
func Compare(v float64, op string, limit float64) bool {
	switch op {
	case ">":
		return v > limit
	case ">=":
		return v >= limit
	case "<":
		return v < limit
	case "<=":
		return v <= limit
	case "==":
		return v == limit
	}
	return v != limit
}
