// Numbers as text.

const MINUS = "−";
const signedText = (text) => text.replace("-", MINUS);

/** A power as superscript: −12 → "⁻¹²". */
export const superscript = (power) => [...String(power)].map((character) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[character] ?? "⁻").join("");

function withPower(value, decimals) {
	const [front, power] = value.toExponential(Math.max(0, decimals)).split("e");
	return `${signedText(front)}·10${superscript(Number(power))}`;
}

/** A few significant digits, as 0.0123 or 1.23·10⁻⁷; "–" for NaN. */
export function shortNumber(value, digits = 3) {
	if (Math.abs(value) === Infinity) return value > 0 ? "∞" : `${MINUS}∞`;
	if (typeof value !== "number" || Number.isNaN(value)) return "–";
	const isPlain = value === 0 || (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e5);
	return isPlain ? signedText(String(Number(value.toPrecision(digits)))) : withPower(value, digits - 1);
}

/** Round a value to the visible digits, given the smallest visible difference `unit`. */
export function roundTo(value, unit) {
	if (value === 0 || !(unit > 0)) return value;
	const digits = Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(unit)) + 2;
	return digits < 1 ? 0 : Number(value.toPrecision(Math.min(17, digits)));
}

/** The digits that distinguish a value from its neighbours a unit away: 1000000001, 8.54123, 2·10⁻¹². */
export function exactNumber(value, unit) {
	const near = roundTo(value, unit);
	const isRound = Math.abs(near) >= 1e6 && Number(near.toPrecision(6)) === near;
	if (near === 0 || (Math.abs(near) >= 1e-4 && Math.abs(near) < 1e15 && !isRound)) return signedText(String(near));
	return withPower(near, 5).replace(/\.?0+·/, "·");
}

/** A proportion as per cent: 4.5 %, and 0 % or 100 % only if it is that. */
export function percentText(proportion) {
	if (!Number.isFinite(proportion)) return "–";
	if (proportion > 0.9995 && proportion < 1) return "> 99.9 %";
	return `${shortNumber(100 * proportion, proportion < 0.001 ? 2 : 3)} %`;
}

/** A probability with three decimals; a very small one with two significant digits. */
export function probabilityText(value) {
	if (!Number.isFinite(value)) return "–";
	return value > 0 && value < 0.001 ? shortNumber(value, 2) : value.toFixed(3);
}

/** An integer with thin spaces: 12 345. */
export const countText = (value) => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");

const NUMBER = /([+−-]?)(\d[\d,]*)(?:\.(\d+))?((?:e|·10)[+−⁻-]?[\d⁰¹²³⁴-⁹]+)?(\s?%)?/;

/** A value in the format of a text: "0.672" has three decimals, "8.33 %" is a percentage, "4.9e-26" has a power of ten. */
export function numberLike(value, text) {
	const found = NUMBER.exec(text);
	if (!found || !Number.isFinite(value)) return found ? text.replace(NUMBER, "–") : shortNumber(value);
	const [whole, sign, integer, { length: decimals } = "", power, percent = ""] = found;
	const scaled = percent ? 100 * value : value;
	const isTiny = scaled !== 0 && decimals > 0 && Math.abs(scaled) < 0.5 * 10 ** -decimals;
	const hasPower = power || isTiny || Math.abs(scaled) >= 1e15;
	let written = hasPower ? withPower(scaled, power ? decimals : 1) : signedText(scaled.toFixed(decimals));
	if (integer.includes(",")) written = written.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
	if (/^−[0.]+$/.test(written)) written = written.slice(1);
	if (sign === "+" && scaled > 0) written = `+${written}`;
	return text.slice(0, found.index) + written + percent + text.slice(found.index + whole.length);
}
