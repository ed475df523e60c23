package report

import (
	"io"

	"github.com/dpdissect/dpdissect/internal/compare"
)

// WriteCompareText writes what two captures of one session show together, for people.
func WriteCompareText(w io.Writer, d *compare.Document, opts TextOptions) error { return nil }
