package capture

// linkOfDLT is the link type that a system's number for it means. The numbers are
// the same everywhere but for a few old ones, which systems chose on their own.
func linkOfDLT(n int, goos string) LinkType {
	switch {
	case goos == "openbsd" && n == 12:
		return LinkLoop
	case goos == "openbsd" && n == 14, goos != "openbsd" && n == 12:
		return LinkRaw
	}
	return LinkType(n)
}
