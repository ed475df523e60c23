package metrics

import (
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// A Recording makes pages about packets that are written to a file and not analysed. It is used in
// the goroutine that reads them; a nil one does nothing.
type Recording struct {
	src    *capture.Source
	server *Server
	build  []string // labels of build_info
	told   time.Time
}

// StartRecording is Start for a run that follows no connections.
func StartRecording(src *capture.Source, addr, version string) (*Recording, error) {
	if addr == "" {
		return nil, nil
	}
	s, err := listen(addr)
	if err != nil {
		return nil, err
	}
	return &Recording{src: src, server: s, build: []string{"version", version}}, nil
}

// Tick publishes a page if the last one is old enough.
func (r *Recording) Tick(now time.Time) {
	if r == nil {
		return
	}
	if now.Sub(r.told) >= every {
		r.told = now
		p := new(Page)
		captured(p, r.src.Infos())
		built(p, r.build)
		r.server.Publish(p)
	}
	r.src.WakeAt(r.told.Add(every))
}

// Close ends what StartRecording began.
func (r *Recording) Close() {
	if r != nil {
		r.server.Close()
	}
}
