// Package reduce finds a small capture that still shows a finding: it leaves packets out and
// asks the check again, until none can be left out any more.
package reduce
