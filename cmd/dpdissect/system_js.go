package main

import (
	"errors"
	"os"
	"syscall"

	"github.com/spf13/cobra"
)

// No signal ever comes in the browser: a page that wants a run to end ends the worker.
func notifyEnds(chan<- os.Signal)   {}
func endingSignals() chan os.Signal { return nil }

// There are no pipes in the browser.
func ignoreBrokenPipes()          {}
func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// setTemplates leaves help as cobra prints it: with templates, which call methods by their
// names, the linker keeps all methods, and the page is a seventh larger.
func setTemplates(*cobra.Command) {}
