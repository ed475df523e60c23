// Package docs holds the pages of this folder that the program shows as help.
package docs

import "embed"

// Pages are the pages, by the names of their files.
//
//go:embed filters.md ci.md exit-codes.md time.md readings.md
var Pages embed.FS
