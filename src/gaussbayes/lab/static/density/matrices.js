// Small symmetric matrices as arrays of rows. What is factored is the correlation matrix, Σ = D R D with R = L Lᵀ, so
// that units cannot matter: a matrix is singular where others leave no proportion of a feature's variance unexplained.

/**
 * The lower factor L of a positive definite matrix, A = L Lᵀ.
 * @param {number[][]} matrix
 * @returns {number[][]|null} null if there is none
 */
export function cholesky(matrix) {
	const d = matrix.length;
	const lower = zeroMatrix(d);
	for (let i = 0; i < d; i++) {
		for (let j = 0; j <= i; j++) {
			let rest = matrix[i][j];
			for (let m = 0; m < j; m++) rest -= lower[i][m] * lower[j][m];
			if (i === j && !(rest > 0 && rest < Infinity)) return null;
			lower[i][j] = i === j ? Math.sqrt(rest) : rest / lower[j][j];
		}
	}
	return lower;
}

/**
 * A square matrix of zeros.
 * @param {number} d
 * @returns {number[][]}
 */
export function zeroMatrix(d) {
	return Array.from({ length: d }, () => new Array(d).fill(0));
}

/**
 * A linear combination of two matrices: a A + b B.
 * @param {number} a
 * @param {number[][]} first
 * @param {number} b
 * @param {number[][]} second
 * @returns {number[][]}
 */
export function blendMatrices(a, first, b, second) {
	return first.map((row, i) => row.map((value, j) => a * value + b * second[i][j]));
}

/**
 * The entries of a matrix for some rows and columns.
 * @param {number[][]} matrix
 * @param {number[]} rows
 * @param {number[]} columns
 * @returns {number[][]}
 */
export function subMatrix(matrix, rows, columns = rows) {
	return rows.map((i) => columns.map((j) => matrix[i][j]));
}

/**
 * Correlations ρᵢⱼ = σᵢⱼ / (σᵢ σⱼ) of a covariance.
 * @param {number[][]} covariance
 * @returns {number[][]}
 */
export function correlationOf(covariance) {
	const scale = covariance.map((row, i) => 1 / Math.sqrt(row[i]));
	return covariance.map((row, i) => row.map((value, j) => (i === j ? 1 : value * scale[i] * scale[j])));
}

/**
 * The inverse of a lower triangular matrix.
 * @param {number[][]} lower
 * @returns {number[][]}
 */
export function invertLower(lower) {
	const d = lower.length;
	const inverse = zeroMatrix(d);
	for (let j = 0; j < d; j++) {
		inverse[j][j] = 1 / lower[j][j];
		for (let i = j + 1; i < d; i++) {
			let sum = 0;
			for (let m = j; m < i; m++) sum -= lower[i][m] * inverse[m][j];
			inverse[i][j] = sum / lower[i][i];
		}
	}
	return inverse;
}

/**
 * The whitener W of a covariance, lower triangular with Σ⁻¹ = WᵀW, and log |Σ|.
 * @param {number[][]} covariance
 * @returns {{whitener: number[][], logDeterminant: number, unexplained: number}} `unexplained` is the least
 *   proportion of a variance that the other features leave unexplained; 0 where there is no whitener
 */
export function factorise(covariance) {
	const deviation = covariance.map((row, i) => Math.sqrt(row[i]));
	const positive = deviation.every((value) => value > 0 && value < Infinity);
	const lower = positive ? cholesky(correlationOf(covariance)) : null;
	if (!lower) return { whitener: null, logDeterminant: NaN, unexplained: 0 };
	const whitener = invertLower(lower);
	let most = 1;
	let logDeterminant = 0;
	for (let j = 0; j < deviation.length; j++) {
		let squares = 0;
		for (let i = j; i < deviation.length; i++) {
			squares += whitener[i][j] ** 2;
			whitener[i][j] /= deviation[j];
		}
		most = Math.max(most, squares);
		logDeterminant += 2 * (Math.log(lower[j][j]) + Math.log(deviation[j]));
	}
	return { whitener, logDeterminant, unexplained: 1 / most };
}

/**
 * The product of a lower triangular matrix and a vector.
 * @param {number[][]} lower
 * @param {number[]} vector
 * @returns {number[]}
 */
export function timesLower(lower, vector) {
	return lower.map((row, i) => {
		let sum = 0;
		for (let j = 0; j <= i; j++) sum += row[j] * vector[j];
		return sum;
	});
}

/**
 * The product of a transposed lower triangular matrix and a vector.
 * @param {number[][]} lower
 * @param {number[]} vector
 * @returns {number[]}
 */
export function timesTransposedLower(lower, vector) {
	return vector.map((_, j) => {
		let sum = 0;
		for (let i = j; i < vector.length; i++) sum += lower[i][j] * vector[i];
		return sum;
	});
}

/**
 * The sum of squares of a vector.
 * @param {number[]} vector
 * @returns {number}
 */
export function sumOfSquares(vector) {
	let sum = 0;
	for (const value of vector) sum += value * value;
	return sum;
}
