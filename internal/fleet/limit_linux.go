package fleet

import "golang.org/x/sys/unix"

// limitMemory bounds what the program may have of memory that it writes to. It leaves no core file when
// it is too little.
func limitMemory(n int64) {
	unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	if n > 0 {
		unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: uint64(n), Max: uint64(n)})
	}
}

// freeBytes is how much room a folder's disk has.
func freeBytes(dir string) (int64, error) {
	var st unix.Statfs_t
	err := unix.Statfs(dir, &st)
	return int64(st.Bavail) * int64(st.Bsize), err
}
