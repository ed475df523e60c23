package source

import "os"

// No signal ever comes in the browser: a page that wants a run to end ends the worker.
func Notify(chan<- os.Signal) {}

// Ending gives no channel, for the same reason.
func Ending() chan os.Signal { return nil }
