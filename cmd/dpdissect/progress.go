package main

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// progressFrom is from how many bytes of input on progress is shown.
const progressFrom = 64 << 20

// showProgress shows how far reading has come, when w is a terminal and there is
// enough to read. What it gives removes the bar; it may be called twice.
func showProgress(src *capture.Source, w io.Writer) (stop func()) {
	f, ok := w.(*os.File)
	if _, total := src.Progress(); !ok || total < progressFrom || !term.IsTerminal(int(f.Fd())) {
		return func() {}
	}
	_, total := src.Progress()
	p := mpb.New(mpb.WithOutput(w), mpb.WithWidth(60), mpb.WithRefreshRate(refresh))
	bar := p.AddBar(total, mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.CountersKibiByte("% .0f / % .0f")),
		mpb.AppendDecorators(decor.Percentage(), decor.Name(" "), decor.OnComplete(decor.AverageETA(decor.ET_STYLE_GO), "")))
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { follow(bar, src, done) })
	return sync.OnceFunc(func() {
		close(done)
		wg.Wait()
		bar.Abort(true)
		p.Wait()
	})
}

const refresh = 200 * time.Millisecond

// follow moves the bar until done is closed.
func follow(bar *mpb.Bar, src *capture.Source, done <-chan struct{}) {
	tick := time.NewTicker(refresh)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			n, _ := src.Progress()
			bar.SetCurrent(n)
		}
	}
}
