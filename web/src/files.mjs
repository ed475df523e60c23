// The file system that the program sees in a worker: the files that were chosen, by name,
// read in slices and never whole, and what it writes to standard output and error. It
// speaks as much of Node's fs as Go asks for: see syscall/fs_js.go of Go.

// What is read of a file at once, in bytes: a call of FileReaderSync costs as much as
// reading some hundred thousand.
const chunkSize = 1 << 20;

// Bits of a mode, as POSIX has them.
const regularFile = 0o100444, characterDevice = 0o020666;

const writing = ["chmod", "chown", "fchmod", "fchown", "ftruncate", "lchown", "link", "mkdir", "rename", "rmdir", "symlink", "truncate", "unlink", "utimes"];

// An error whose code Go knows.
function fault(code) {
	return Object.assign(new Error(code), { code });
}

// A file that is open.
class Opened {
	constructor(blob) {
		this.blob = blob;
		this.position = 0;
		this.chunk = new Uint8Array(0);
		this.chunkAt = 0;
	}

	// Gives what stands at a position, at most length bytes; none at the end.
	at(position, length) {
		let from = position - this.chunkAt;
		if (from < 0 || from >= this.chunk.length) {
			const slice = this.blob.slice(position, position + chunkSize);
			this.chunk = new Uint8Array(slice.size === 0 ? 0 : new FileReaderSync().readAsArrayBuffer(slice));
			this.chunkAt = position;
			from = 0;
		}
		return this.chunk.subarray(from, from + length);
	}
}

export class FileSystem {
	constants = { O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536 };

	// files is a Map of names to Blobs; read is called with how many bytes from the
	// beginning on were read of which name.
	constructor(files, read) {
		this.files = files;
		this.told = read;
		this.opened = new Map();
		this.next = 3;
		this.output = { 1: [], 2: [] };
		for (const name of writing) {
			this[name] = (...args) => args.at(-1)(fault("EROFS"));
		}
	}

	open(path, flags, mode, done) {
		if (flags & (this.constants.O_WRONLY | this.constants.O_RDWR | this.constants.O_CREAT)) {
			return done(fault("EROFS"));
		}
		if (!this.files.has(path)) {
			return done(fault("ENOENT"));
		}
		const file = new Opened(this.files.get(path));
		file.path = path;
		this.opened.set(this.next, file);
		done(null, this.next++);
	}

	close(fd, done) {
		done(this.opened.delete(fd) ? null : fault("EBADF"));
	}

	read(fd, buffer, offset, length, position, done) {
		const file = this.opened.get(fd);
		if (!file) {
			return fd === 0 ? done(null, 0) : done(fault("EBADF"));
		}
		const from = position ?? file.position;
		let bytes;
		try {
			bytes = file.at(from, length);
		} catch {
			return done(fault("EIO")); // it was changed or removed since it was chosen
		}
		buffer.set(bytes, offset);
		if (position === null) {
			file.position += bytes.length;
		}
		this.told(file.path, from + bytes.length);
		done(null, bytes.length);
	}

	write(fd, buffer, offset, length, position, done) {
		if (!(fd in this.output)) {
			return done(fault("EBADF"));
		}
		done(null, this.writeSync(fd, buffer.subarray(offset, offset + length)));
	}

	// The words of a Go program that fails come this way.
	writeSync(fd, bytes) {
		this.output[fd].push(bytes.slice());
		return bytes.length;
	}

	fsync(fd, done) {
		done(null);
	}

	fstat(fd, done) {
		const file = this.opened.get(fd);
		if (file) {
			return done(null, this.describe(fd, regularFile, file.blob.size));
		}
		fd <= 2 ? done(null, this.describe(fd, characterDevice, 0)) : done(fault("EBADF"));
	}

	stat(path, done) {
		const place = [...this.files.keys()].indexOf(path);
		place < 0 ? done(fault("ENOENT")) : done(null, this.describe(1000 + place, regularFile, this.files.get(path).size));
	}

	lstat(path, done) {
		this.stat(path, done);
	}

	readdir(path, done) {
		done(fault("ENOENT"));
	}

	readlink(path, done) {
		done(fault("EINVAL"));
	}

	describe(ino, mode, size) {
		return {
			dev: 1, ino, mode, nlink: 1, uid: 0, gid: 0, rdev: 0, size, blksize: 4096, blocks: 0, atimeMs: 0, mtimeMs: 0, ctimeMs: 0,
			isDirectory: () => false,
		};
	}
}
