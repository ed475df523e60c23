package whole

import (
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/excerpt"
)

// TestExcerpts checks that the file of an unedited trace says what the trace says.
func TestExcerpts(t *testing.T) {
	for _, protocol := range protocolFolders {
		for _, path := range excerpt.Traces(t, protocol) {
			if !strings.Contains(path, "clean") {
				continue
			}
			whole := excerpt.Read(t, path)
			y := runEverything(t, excerpt.AsFile(whole), plan{workers: 1})
			if n := strings.Count(y.frames, "dpdissect/frame/1"); n*20 < len(whole)*19 {
				t.Errorf("%s: %d frames of %d packets", path, n, len(whole))
			}
			if len(y.conns) == 0 || y.conns[0].Protocol.Name != protocol || !strings.Contains(y.frames, "dpdissect/message/1") {
				t.Errorf("%s: connections %v", path, y.conns)
			}
		}
	}
}
