// Small symmetric matrices as arrays of rows. The correlation matrix is factored, Σ = D R D with R = L Lᵀ, so that
// units do not matter: a matrix is singular if other features explain all of a feature's variance.

/** The sum of some numbers. */
export const totalOf = (values) => values.reduce((sum, value) => sum + value, 0);

/** The scalar product of two vectors. */
export const dotProduct = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

/** The product of a matrix and a vector. */
export const timesMatrix = (matrix, vector) => matrix.map((row) => dotProduct(row, vector));

/** Σ⁻¹ v = Wᵀ W v, by the whitener W of Σ. */
export function timesPrecision(whitener, vector) {
	const white = timesMatrix(whitener, vector);
	return vector.map((_, j) => totalOf(whitener.map((row, i) => row[j] * white[i])));
}

/** A matrix whose entries are a function of those of another, f(value, i, j). */
export const mapMatrix = (matrix, f) => matrix.map((row, i) => row.map((value, j) => f(value, i, j)));

/** A square matrix with these values in the diagonal. */
export const diagonalMatrix = (values) => values.map((value, i) => values.map((_, j) => (i === j ? value : 0)));

/** The entries of a matrix for some rows and columns. */
export const subMatrix = (matrix, rows, columns = rows) => rows.map((i) => columns.map((j) => matrix[i][j]));

/** Add w v vᵀ to a symmetric matrix, in place. */
export function addProduct(matrix, vector, weight) {
	for (let i = 0; i < vector.length; i++) {
		const value = weight * vector[i];
		for (let j = 0; j < i; j++) matrix[j][i] = matrix[i][j] += value * vector[j];
		matrix[i][i] += value * vector[i];
	}
}

/** Correlations ρᵢⱼ = σᵢⱼ / (σᵢ σⱼ) of a covariance. */
export function correlationOf(covariance) {
	const scale = covariance.map((row, i) => 1 / Math.sqrt(row[i]));
	return mapMatrix(covariance, (value, i, j) => (i === j ? 1 : value * scale[i] * scale[j]));
}

/** The lower factor L of a positive definite matrix, A = L Lᵀ; null if there is none. */
export function cholesky(matrix) {
	const lower = mapMatrix(matrix, () => 0);
	for (let i = 0; i < matrix.length; i++) {
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
 * The whitener W of a covariance, lower triangular with Σ⁻¹ = WᵀW, and log |Σ|. `unexplained` is the least proportion
 * of a variance that the other features do not explain; 0 without a whitener.
 */
export function factorise(covariance) {
	const deviation = covariance.map((row, i) => Math.sqrt(row[i]));
	const lower = deviation.every((value) => value > 0 && value < Infinity) ? cholesky(correlationOf(covariance)) : null;
	if (!lower) return { whitener: null, logDeterminant: NaN, unexplained: 0 };
	const whitener = mapMatrix(lower, () => 0);
	let [most, logDeterminant] = [1, 0];
	deviation.forEach((scale, j) => {
		let squares = 0;
		for (let i = j; i < deviation.length; i++) {
			let sum = i === j ? 1 : 0;
			for (let m = j; m < i; m++) sum -= lower[i][m] * whitener[m][j];
			whitener[i][j] = sum / lower[i][i];
			squares += whitener[i][j] ** 2;
		}
		for (let i = j; i < deviation.length; i++) whitener[i][j] /= scale;
		most = Math.max(most, squares);
		logDeterminant += 2 * (Math.log(lower[j][j]) + Math.log(scale));
	});
	return { whitener, logDeterminant, unexplained: 1 / most };
}
