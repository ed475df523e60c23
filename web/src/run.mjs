// Runs one command line of the program.
import { FileSystem } from "./files.mjs";

// The environment of the program: no configuration.
const environment = { DPDISSECT_CONFIG: "off" };

// Runs the program, a WebAssembly.Module, with files, a Map of names to Blobs; read is
// told how far which of them was read. What comes back are its exit code, what it wrote
// and how many bytes of memory it had in the end.
export async function run(program, args, files, read) {
	const system = new FileSystem(files, read);
	globalThis.fs = system; // where Go looks for it
	const go = new Go();
	go.argv = ["dpdissect", ...args];
	go.env = environment;
	let code = 0;
	go.exit = (c) => { code = c; };
	const instance = await WebAssembly.instantiate(program, go.importObject);
	await go.run(instance);
	for (const timer of go._scheduledTimeouts.values()) { // which would wake a program that has ended
		clearTimeout(timer);
	}
	go._scheduledTimeouts.clear();
	return { code, stdout: new Blob(system.output[1]), stderr: new Blob(system.output[2]), memory: instance.exports.mem.buffer.byteLength };
}
