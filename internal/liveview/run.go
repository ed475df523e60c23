//go:build !js

package liveview

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/dpdissect/dpdissect/internal/sampler"
)

// Options say how Run shows snapshots.
type Options struct {
	Color bool // whatever NO_COLOR says: the caller has decided
}

// OpenTerminal opens the terminal for keys and for output, whatever standard input and
// output are.
func OpenTerminal() (in, out *os.File, err error) { return tea.OpenTTY() }

// framesPerSecond limits drawing: more than a terminal shows would only take time.
const framesPerSecond = 30

// Run shows snapshots on the terminal out, and takes keys from in, until the user
// quits, the channel is closed or the context ends; it returns nil then. It returns
// when the terminal is as it was. SIGINT and SIGTERM end it as quitting does.
func Run(ctx context.Context, in io.Reader, out io.Writer, snapshots <-chan *sampler.Snapshot, opts Options) error {
	return run(ctx, in, out, snapshots, newModel(opts), opts.Color)
}

func run(ctx context.Context, in io.Reader, out io.Writer, snapshots <-chan *sampler.Snapshot, m *model, color bool, more ...tea.ProgramOption) error {
	all := append([]tea.ProgramOption{
		tea.WithInput(in), tea.WithOutput(out), tea.WithFPS(framesPerSecond), tea.WithEnvironment(environment(os.Environ(), color)),
	}, more...)
	p := tea.NewProgram(m, all...)
	over, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		feed(over, p, snapshots)
	}()
	_, err := p.Run()
	stop()
	<-done
	if err != nil && !errors.Is(err, tea.ErrInterrupted) {
		return fmt.Errorf("terminal: %w", err)
	}
	return nil
}

// feed sends what comes to the program.
func feed(ctx context.Context, p *tea.Program, snapshots <-chan *sampler.Snapshot) {
	for {
		select {
		case <-ctx.Done():
			p.Quit()
			return
		case s, ok := <-snapshots:
			if !ok {
				p.Quit()
				return
			}
			p.Send(snapshotMsg{s})
		}
	}
}

// environment makes the terminal library agree on colour.
func environment(env []string, color bool) []string {
	var out []string
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TEA_TRACE", "TEA_DEBUG":
		default:
			out = append(out, v)
		}
	}
	if !color {
		out = append(out, "NO_COLOR=1")
	}
	return out
}
