// Runs command lines of the program for js/wasm in Node, on files of the disk, as the
// worker of the page does:
//
//	node outputs.mjs wasm_exec.js dpdissect.wasm < command lines
//
// Each line of standard input is {"args": […], "files": {name: path}}; each line of
// standard output {"code", "stdout", "stderr", "memory", "read", "seconds"}.
import { openSync, readFileSync, readSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { run } from "../src/run.mjs";

const [glue, program] = process.argv.slice(2);

// A Blob of the disk, of which nothing is in memory.
class DiskBlob {
	constructor(fd, from, to) {
		Object.assign(this, { fd, from, size: to - from });
	}

	slice(from, to) {
		const at = (n) => this.from + Math.min(n, this.size);
		return new DiskBlob(this.fd, at(from), at(to));
	}
}

globalThis.FileReaderSync = class {
	readAsArrayBuffer(blob) {
		const bytes = new Uint8Array(blob.size);
		readSync(blob.fd, bytes, 0, blob.size, blob.from);
		return bytes.buffer;
	}
};

const lines = readFileSync(0, "utf8").split("\n").filter((l) => l !== "");
createRequire(import.meta.url)(glue);
const compiled = await WebAssembly.compile(readFileSync(program));
for (const line of lines) {
	const { args, files } = JSON.parse(line);
	const blobs = new Map(Object.entries(files).map(([name, path]) => [name, new DiskBlob(openSync(path), 0, statSync(path).size)]));
	const began = performance.now();
	const far = {};
	const result = await run(compiled, args, blobs, (name, end) => { far[name] = Math.max(end, far[name] ?? 0); });
	console.log(JSON.stringify({
		...result, stdout: await result.stdout.text(), stderr: await result.stderr.text(), read: far, seconds: (performance.now() - began) / 1000,
	}));
}
