package track

// A View is what a Judge may read of a connection.
type View struct{ c *conn }
