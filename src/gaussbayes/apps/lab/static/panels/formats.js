// How numbers read. These are texts only: every number was worked out by the server.

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const MINUS = "−";

/** Three digits that count, as 0.0123 or 1.23·10⁻⁷. */
export function short(value, digits = 3) {
	if (value === null || value === undefined) return "–";
	if (value === 0) return "0";
	const size = Math.abs(value);
	if (size >= 1e-3 && size < 1e5) return signed(String(Number(value.toPrecision(digits))));
	const [front, power] = value.toExponential(Math.max(0, digits - 1)).split("e");
	return `${signed(front)}·10${superscript(Number(power))}`;
}

/** As many digits as tell a value from its neighbours a unit away: 1000000001, 8.54123, 2·10⁻¹². */
export function exact(value, unit) {
	const near = round(value, unit);
	if (near === 0 || (Math.abs(near) >= 1e-4 && Math.abs(near) < 1e15)) return signed(String(near));
	return short(near, significant(near, unit)).replace(/\.?0+·/, "·");
}

export function round(value, unit) {
	const digits = significant(value, unit);
	return digits < 1 ? 0 : Number(value.toPrecision(digits));
}

/** How many digits of a value are larger than a tenth of a unit; the 17 of a float at most. */
function significant(value, unit) {
	if (value === 0 || !(unit > 0)) return 17;
	return Math.min(17, Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(unit)) + 2);
}

/** A plain number that may have left the range of floats: then its logarithm says it. */
export function fromLog(plain, log, digits = 3) {
	if (plain !== null && plain !== 0 && Math.abs(plain) > 1e-300) return short(plain, digits);
	if (log === null || log === undefined) return "0";
	const power = Math.floor(log / Math.LN10);
	return `${(10 ** (log / Math.LN10 - power)).toFixed(digits - 1)}·10${superscript(power)}`;
}

/** A proportion as per cent: 4.5 %, and 100 % only if it is all. */
export function percent(proportion) {
	if (proportion === null || proportion === undefined) return "–";
	if (proportion === 0 || proportion === 1) return `${100 * proportion} %`;
	if (proportion < 0.001) return "< 0.1 %";
	if (proportion > 0.999 && proportion < 1) return "> 99.9 %";
	return `${Number((100 * proportion).toPrecision(3))} %`;
}

/** A probability with three decimals, and neither 0 nor 1 unless it is that. */
export function probability(value) {
	if (value === null || value === undefined) return "–";
	if (value > 0 && value < 0.001) return short(value, 2);
	if (value < 1 && value > 0.9995) return "> 0.999";
	return value.toFixed(3);
}

/** With its sign, for what is added: +1.20, −0.31. */
export function added(value) {
	if (value === null || value === undefined) return "∞";
	if (!Number.isFinite(value)) return value < 0 ? `${MINUS}∞` : "+∞";
	return (value < 0 ? MINUS : "+") + short(Math.abs(value));
}

/** An integer with thin spaces: 12 345. */
export function count(value) {
	return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

function signed(text) {
	return text.replace("-", MINUS);
}

export function superscript(power) {
	return [...String(power)].map((character) => SUPERSCRIPTS[character] ?? "⁻").join("");
}
