package main

import "testing"

// TestDamagedProgram loads a program with a wrong byte, and one that is cut. Neither may start.
func TestDamagedProgram(t *testing.T) {
	t.Parallel()
	const start = `
		globalThis.asked = new Map();
		const empty = [0, 97, 115, 109, 1, 0, 0, 0];
		const custom = (byte) => new Uint8Array([...empty, 0, 2, 0, byte]); // a custom section: every byte is valid
		globalThis.document = { getElementById: () => ({ dataset: { sums: '{"a.wasm": 194483884}' } }) };
		const { compile } = await import("./shell/load.js");
		const load = async (bytes, url = "a.wasm") => {
			let arrived = "";
			globalThis.fetch = async () => new Response(bytes, { headers: { "content-type": "application/wasm" } });
			try {
				return String(await compile(url, () => {}, () => { arrived = ", arrived"; })) + arrived;
			} catch (error) {
				return (error.message.includes("damaged") ? "refused" : error.message) + arrived;
			}
		};
`
	tests := []nodeTest{
		{"as built", `return load(custom(7))`, "[object WebAssembly.Module], arrived"},
		{"a wrong byte", `return load(custom(6))`, "refused"},
		{"cut to another program", `return load(new Uint8Array(empty))`, "refused"},
		{"a program without a sum", `return load(custom(6), "b.wasm")`, "[object WebAssembly.Module], arrived"},
	}
	for i := range tests {
		tests[i].script = start + tests[i].script
	}
	checkInNode(t, tests)
}
