// Reading the server's binary answers: a length, a JSON head, then arrays on boundaries of 8 bytes.

/** In the place of a class or a category that there is not. */
export const NO_CODE = 255;

const READERS = { f8: Float64Array, f4: Float32Array, u1: Uint8Array, u2: Uint16Array, i4: Int32Array };

/** The head as the server wrote it, and every array as a view into the message, nothing copied. */
export function readAnswer(buffer) {
	const length = new DataView(buffer).getUint32(0, true);
	const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
	const start = Math.ceil((4 + length) / 8) * 8; // the offsets count from here
	const arrays = {};
	for (const { name, dtype, shape, offset } of head.arrays ?? []) {
		const Reader = READERS[dtype];
		if (!Reader) throw new Error(`array ${name} has the unknown type ${dtype}`);
		const size = shape.reduce((product, side) => product * side, 1);
		arrays[name] = { data: new Reader(buffer, start + offset, size), shape };
	}
	return { head, arrays };
}
