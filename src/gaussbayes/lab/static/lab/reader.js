/**
 * Reads a table from a file that the reader drops on the page: text with commas, semicolons or tabs.
 *
 * Invalid input is a `Problem` with one sentence: the input and the remedy. No data are sent.
 */

/** A sentence for the reader; the page keeps its state. */
export class Problem extends Error {}

const LARGEST_FILE = 50e6;
const MOST_READ = 100000;
const LARGEST_NUMBER = 1e30; // squares of larger ones overflow sooner or later: they are missing values
const MOST_TARGETS = 200; // classes
const MOST_LEVELS = 60; // of a feature that holds categories; a column with more is free text
const SLICE = 1 << 18; // characters that are parsed before the page may paint again

/** Strings that mean a missing value: the list of `gaussbayes.data.schema`. */
export const MISSING_MARKS = new Set([
	"", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None", "?", ".",
	"<NA>", "#N/A", "#N/A N/A", "#NA", "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN",
]);
const INFINITE = /^[+-]?inf(inity)?$/i;
const NUMERAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const DECIMAL_COMMA = /^[+-]?\d*,\d+(e[+-]?\d+)?$/i;
const DECIMAL_POINT = /^[+-]?\d*\.\d+(e[+-]?\d+)?$/i;
const THOUSANDS = /^[+-]?\d{1,3}(,\d{3})+$/;
const TEXT_FILES = /\.(csv|tsv|tab|txt|dat|data)$/i;
const TARGET_NAMES = /^(class|classes|target|label|labels|species|y|type|group|diagnosis|outcome|category)$/i;

/**
 * Read a file.
 * @param {File} file what was dropped or chosen
 * @param {(proportion: number) => void} progress is called with the proportion that was read
 * @returns {Promise<object>} name, columns (name, kind and values), nRows (of the file), sampled, notes (sentences)
 */
export async function readFile(file, progress = () => {}) {
	const name = file.name || "the file";
	const command = `open it with the command “gaussbayes lab ${/[\s"'$]/.test(name) ? "FILE" : name}”`;
	const size = Math.round(file.size / 1e6);
	refuseIf(file.size > LARGEST_FILE, `${name} has ${size} MB, and the page reads at most 50 MB: ${command}.`);
	const isOther = /\.\w+$/.test(name) && !TEXT_FILES.test(name);
	refuseIf(isOther, `The page reads CSV and TSV files, and ${name} has another format: ${command}.`);
	const bytes = new Uint8Array(await file.arrayBuffer());
	refuseIf(!bytes.length, `${name} is empty: choose a file with a line of names and rows below it.`);
	const text = decoded(bytes);
	refuseIf(text === null, `${name} is not a text file: save it as CSV, or ${command}.`);
	return readText(text, name, progress);
}

function refuseIf(isWrong, sentence) {
	if (isWrong) throw new Problem(sentence);
}

/** The text of a file: UTF-8, UTF-16 with its mark, or else Latin-1 (as Windows writes it); null for binary data. */
function decoded(bytes) {
	const [first, second] = bytes;
	if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
		return new TextDecoder(first === 0xff ? "utf-16le" : "utf-16be").decode(bytes);
	}
	const start = bytes.subarray(0, 65536);
	if (start.some((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27))) return null;
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		return new TextDecoder("windows-1252").decode(bytes);
	}
}

/** Read a table from text, which messages call by its name; see `readFile`. */
export async function readText(text, name, progress = () => {}) {
	if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
	if (!text.includes("\n")) text = text.replaceAll("\r", "\n"); // line ends of old Macintoshes
	const separator = separatorOf(text);
	const [notes, rows] = [[], []];
	let [header, nRagged, firstRagged, pause, next] = [null, 0, 0, performance.now(), SLICE];
	for (const { cells, line, end } of records(text, separator, name)) {
		if (cells.length === 1 && !cells[0].trim()) continue;
		if (header === null) {
			header = cells.map((cell) => cell.trim());
			checkHeader(header, name);
		} else if (cells.length !== header.length) {
			nRagged++;
			firstRagged ||= line;
		} else rows.push(cells);
		if (end > next && performance.now() - pause > 40) {
			progress(end / text.length);
			await new Promise((go) => setTimeout(go));
			[next, pause] = [end + SLICE, performance.now()];
		}
	}
	const nRows = rows.length;
	refuseIf(!nRows, `${name} has no rows below its line of names: add rows, or choose another file.`);
	const ragged = `(first: line ${firstRagged}).`;
	refuseIf(nRagged > nRows, `In ${name} most rows do not have the ${header.length} values that its first line names ${ragged}`);
	if (nRagged) notes.push(`${counted(nRagged, "row")} with a different number of values skipped ${ragged}`);
	const kept = nRows > MOST_READ ? someOf(rows, MOST_READ) : rows;
	const comma = separator !== "," && hasDecimalCommas(kept, name);
	const columns = uniqueNames(header).map((title, j) => columnOf(title, kept, j, comma, notes));
	return { name, columns, nRows, sampled: nRows > MOST_READ, notes };
}

/** The separator that splits the first lines most evenly. */
function separatorOf(text) {
	const lines = text.slice(0, 20000).split(/\r\n|\r|\n/).slice(0, 20).filter((line) => line.trim());
	const score = (mark) => {
		const counts = lines.map((line) => line.replace(/"[^"]*"/g, "").split(mark).length - 1);
		const alike = counts.filter((count) => count === counts[0]).length;
		return counts[0] ? (alike / counts.length) * 1000 + Math.min(counts[0], 500) : 0;
	};
	return [",", ";", "\t", "|"].reduce((best, mark) => (score(mark) > score(best) ? mark : best));
}

/** Yields the cells of every record with its line, also where quotes hold separators, quotes and line ends. */
function* records(text, separator, name) {
	const n = text.length;
	const plain = !text.includes('"');
	let [at, line] = [0, 1];
	while (at < n) {
		const start = line;
		let end = lineEnd(text, at);
		if (plain || text.slice(at, end).indexOf('"') < 0) {
			const cells = text.slice(at, end).split(separator);
			at = end + (text[end] === "\r" && text[end + 1] === "\n" ? 2 : 1);
			line++;
			yield { cells, line: start, end: at };
			continue;
		}
		const cells = [];
		for (;;) {
			let cell = "";
			if (text[at] === '"') {
				for (at++; ; at++) {
					const close = text.indexOf('"', at);
					if (close < 0) throw new Problem(`In ${name} a quotation mark that opens in line ${start} is never closed.`);
					cell += text.slice(at, close);
					at = close + 1;
					if (text[at] !== '"') break;
					cell += '"';
				}
				line += cell.split("\n").length - 1;
			}
			end = at;
			while (end < n && text[end] !== separator && text[end] !== "\n" && text[end] !== "\r") end++;
			cells.push(cell + text.slice(at, end));
			at = end + 1;
			if (text[end] !== separator) break;
		}
		if (text[end] === "\r" && text[at] === "\n") at++;
		line++;
		yield { cells, line: start, end: at };
	}
}

/** The end of the line that begins at a position. */
function lineEnd(text, at) {
	const feed = text.indexOf("\n", at);
	const end = feed < 0 ? text.length : feed;
	return end > at && text[end - 1] === "\r" ? end - 1 : end;
}

function checkHeader(header, name) {
	refuseIf(header.length < 2, `${name} has one column, or a separator other than comma, semicolon and tab: two are needed.`);
	const holdsNumbers = header.every((cell) => NUMERAL.test(cell) || DECIMAL_COMMA.test(cell) || MISSING_MARKS.has(cell));
	refuseIf(holdsNumbers, `The first line of ${name} holds numbers: add a line with the names of the columns above it.`);
}

/** Whether numbers are written 1,5; both ways at once, or what may be thousands, is a problem. */
function hasDecimalCommas(rows, name) {
	let [commas, points, thousands] = [0, 0, 0];
	for (const cells of rows.slice(0, 2000)) {
		for (const cell of cells) {
			const value = cell.trim();
			if (DECIMAL_COMMA.test(value)) commas++;
			if (DECIMAL_POINT.test(value)) points++;
			if (THOUSANDS.test(value)) thousands++;
		}
	}
	refuseIf(commas && points, `${name} has numbers with commas and with points: write all decimals with a point.`);
	const isUnclear = commas && commas === thousands;
	refuseIf(isUnclear, `${name} has numbers such as 1,234, which may be thousands or decimals: write decimals with a point.`);
	return commas > 0;
}

/** Names that differ: an empty one is called by its number, the second of two gets “(2)”. */
function uniqueNames(header) {
	const taken = new Set();
	return header.map((name, j) => {
		const title = name || `column ${j + 1}`;
		let unique = title;
		for (let copy = 2; taken.has(unique); copy++) unique = `${title} (${copy})`;
		taken.add(unique);
		return unique;
	});
}

/** One column: numbers, categories, or text that is not used. */
function columnOf(name, rows, j, comma, notes) {
	const values = new Array(rows.length);
	let [nNumbers, nOther, example] = [0, 0, ""];
	for (let i = 0; i < rows.length; i++) {
		const cell = rows[i][j].trim();
		values[i] = MISSING_MARKS.has(cell) ? null : cell;
		if (values[i] === null) continue;
		const number = comma ? cell.replace(",", ".") : cell;
		if (INFINITE.test(cell) || NUMERAL.test(number)) nNumbers++;
		else {
			nOther++;
			example ||= cell;
		}
	}
	if (nNumbers && !nOther) {
		const numbers = values.map((cell) => (cell === null ? NaN : Number(comma ? cell.replace(",", ".") : cell)));
		return { name, kind: "number", values: numbers.map((x) => (Math.abs(x) < LARGEST_NUMBER ? x : null)) };
	}
	const nLevels = new Set(values).size - (values.includes(null) ? 1 : 0);
	if (nNumbers > 3 * nOther && nLevels > 20) {
		const others = `${counted(nOther, "other value")}, such as “${example.slice(0, 20)}”`;
		notes.push(`${name} is not used: it holds numbers and ${others}.`);
		return { name, kind: "text", values };
	}
	return { name, kind: nLevels && nLevels <= MOST_LEVELS ? "category" : "text", values };
}

/** Rows drawn at random, the same at every call, in their order. */
function someOf(rows, most) {
	let seed = 12345;
	const kept = [];
	for (let i = 0; i < rows.length; i++) {
		seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
		if (seed / 2 ** 32 < (most - kept.length) / (rows.length - i)) kept.push(rows[i]);
	}
	return kept;
}

/** “1 row” or “7 rows”. */
export function counted(n, noun) {
	return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
}

/** The names of the columns of a table that may hold the classes, the likeliest first. */
export function targetsOf(columns) {
	const candidates = columns.map((column, j) => {
		const levels = new Set(column.values);
		levels.delete(null);
		const named = TARGET_NAMES.test(column.name);
		const whole = column.kind !== "number" || column.values.every((x) => x === null || Number.isInteger(x));
		const isNumber = column.kind === "number";
		const most = isNumber && !named ? Math.min(20, column.values.length / 5) : Math.min(MOST_TARGETS, column.values.length / 2);
		if (levels.size < 2 || levels.size > most || !whole) return null;
		return { name: column.name, rank: (named ? 2 : 0) + (isNumber ? 0 : 3) + j / columns.length };
	});
	return candidates.filter(Boolean).sort((a, b) => b.rank - a.rank).map(({ name }) => name);
}

/**
 * The data of a figure: a table with one of its columns as the classes.
 * @param {object} table from `readFile`
 * @param {string} target the name of the column with the classes; the likeliest one if it is not given
 * @returns {object} `data` of a figure's spec
 */
export function dataOf(table, target = targetsOf(table.columns)[0]) {
	const { name, columns } = table;
	const classes = columns.find((column) => column.name === target);
	refuseIf(!classes, `${name} has no column with classes: one needs 2 to ${MOST_TARGETS} different values that repeat.`);
	const n = new Set(classes.values.filter((value) => value !== null)).size;
	refuseIf(n < 2, `All rows of ${name} have the same ${target}: choose a column with at least two classes.`);
	refuseIf(n > MOST_TARGETS, `${target} has ${n} different values: choose a column with at most ${MOST_TARGETS} classes.`);
	const features = columns.filter((column) => column !== classes && column.kind !== "text");
	refuseIf(!features.some(varies), `${name} has no column of numbers besides ${target}: the page draws numbers.`);
	return { columns: features, labels: classes.values, target, name, n_rows: table.nRows, sampled: table.sampled };
}

/** Whether a column holds numbers that differ. */
function varies({ kind, values }) {
	if (kind !== "number") return false;
	const first = values.find((x) => x !== null);
	return values.some((x) => x !== null && x !== first);
}
