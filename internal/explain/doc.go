// Package explain says what happened to connections, in sentences for people who know no
// protocol, each with the frames that prove it.
//
// It adds no state to the tracker. Predicates, one a cause, look at what the tracker knows
// of a connection (session.Conn with its session.Ending) and of the others of the capture,
// and end proved, likely, unknown or refuted. Causes of an end are tried in the order of
// Causes, and the first that is proved, else the first that is likely, is the verdict. What
// made a connection slow stands beside it, the heaviest first.
package explain
