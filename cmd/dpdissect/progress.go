package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// progressFrom is from how many bytes of input on progress is shown.
const progressFrom = 64 << 20

// refresh is the time between two updates of the progress line.
const refresh = 200 * time.Millisecond

// showProgress shows how far reading has come, when w is a terminal and there is
// enough to read. What it gives removes the bar; it may be called twice.
func showProgress(src *capture.Source, w io.Writer) (stop func()) {
	line := newStatusLine(w)
	if _, total := src.Progress(); line == nil || total < progressFrom {
		return func() {}
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { line.follow(src, done) })
	return sync.OnceFunc(func() {
		close(done)
		wg.Wait()
		line.clear()
	})
}

// follow shows the progress of a source until done is closed.
func (l *statusLine) follow(src *capture.Source, done <-chan struct{}) {
	began := time.Now()
	tick := time.NewTicker(refresh)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			n, total := src.Progress()
			l.show(progressText(n, total, time.Since(began), l.columns()))
		}
	}
}

// The bar has so many columns where there is room for them; it leaves when there are
// fewer than the least.
const (
	barColumns      = 58
	leastBarColumns = 10
)

// progressText is "52 MiB / 200 MiB [=====>------------------] 26 % 3s": what was read of
// the total, and how long the rest will take if it goes on like that. columns is the
// room there is, 0 when that is not known.
func progressText(n, total int64, spent time.Duration, columns int) string {
	n = min(n, total)
	text := fmt.Sprintf("%d MiB / %d MiB ", n>>20, total>>20)
	share := fmt.Sprintf(" %d %%", 100*n/total)
	if n > 0 {
		left := time.Duration(float64(spent) * float64(total-n) / float64(n))
		share += " " + left.Round(time.Second).String()
	}
	bar := barColumns
	if columns > 0 {
		bar = min(bar, columns-1-len(text)-len("[]")-len(share))
	}
	if bar < leastBarColumns {
		return strings.TrimSuffix(text, " ") + share
	}
	filled := int(int64(bar) * n / total)
	done := strings.Repeat("=", filled)
	if filled > 0 && filled < bar {
		done = done[:filled-1] + ">"
	}
	return text + "[" + done + strings.Repeat("-", bar-filled) + "]" + share
}
