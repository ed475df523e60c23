//go:build !js

package wireshark

import "embed"

//go:embed lua/*.lua
var templates embed.FS
