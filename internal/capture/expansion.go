package capture

import "fmt"

// An Expansion bounds what a compressed input may expand to: reading it further is
// work that whoever made it did not have. The zero value stands for the defaults.
type Expansion struct {
	Bytes int64 // of content at most; when it is given, it alone counts
}

// The defaults. Captures compress to a fiftieth or so, those of one packet again and
// again to some hundredth; what is small may expand however much it likes.
const (
	mostRatio   = 1000      // bytes of content from one compressed byte, …
	freeContent = 256 << 20 // … when there are more than these
	mostContent = 64 << 30  // bytes of content
)

// verdict says why content is not read on, nil when it is: so many bytes of it came
// from so many compressed ones.
func (e Expansion) verdict(kind string, content, compressed int64) error {
	const raise = "; --max-expansion raises the limit"
	switch {
	case e.Bytes > 0 && content > e.Bytes:
		return &Damage{Offset: -1, Reason: fmt.Sprintf("not read to its end: the %s stream expands to more than %s, as --max-expansion says", kind, binarySize(e.Bytes))}
	case e.Bytes > 0:
		return nil
	case content > mostContent:
		return &Damage{Offset: -1, Reason: fmt.Sprintf("not read to its end: the %s stream expands to more than %s%s", kind, binarySize(mostContent), raise)}
	case content > freeContent && content/mostRatio > compressed:
		return &Damage{Offset: -1, Reason: fmt.Sprintf("not read to its end: the %s stream expands to more than %s and %d times its size%s", kind, binarySize(freeContent), mostRatio, raise)}
	}
	return nil
}

// binarySize is a size for people.
func binarySize(n int64) string {
	if n >= 1<<30 && n%(1<<30) == 0 {
		return fmt.Sprintf("%d GiB", n>>30)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
