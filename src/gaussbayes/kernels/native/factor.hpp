// Covariances -> whiteners: the correlation matrix R = U'U is factored, and U' inverted.
// Included inside the variant's namespace: it must include nothing itself.
//
// Both process strips of a few rows from the top. The part explained by the rows above is
// subtracted from a strip, a product that is summed in the registers; the remainder is done row by
// row.

namespace factoring {

constexpr std::size_t width = lanes<double>, most_vectors = 3;

// Rows of padded length: whole tiles, so that none has to be cut, and no power of two apart, so that
// the rows of a column fall into different cache sets.
inline std::size_t stride_of(std::size_t d) {
    const std::size_t whole = (d + width - 1) / width * width + most_vectors * width;
    return whole % 64 == 0 ? whole + width : whole;
}

// to -= left' right over the rows from `begin` to `end`, for V vectors of columns.
template <std::size_t V>
__attribute__((noinline)) void subtract_product(const double* left, const double* right,
                                                std::size_t stride, std::size_t begin,
                                                std::size_t end, double* to) {
    Vec<double> sum[width * V];
#pragma GCC unroll 32
    for (std::size_t t = 0; t < width * V; ++t) sum[t] = Vec<double>{};
    for (std::size_t r = begin; r < end; ++r) {
        Vec<double> x[V];
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) x[v] = load(right + r * stride + v * width);
#pragma GCC unroll 32
        for (std::size_t t = 0; t < width * V; ++t) sum[t] += x[t % V] * left[r * stride + t / V];
    }
#pragma GCC unroll 32
    for (std::size_t t = 0; t < width * V; ++t) {
        double* const place = to + t / V * stride + t % V * width;
        store(place, load(place) - sum[t]);
    }
}

// The rows of a strip minus the part explained by those above: columns from `first` to `last` and a
// few more. If rows begin at the diagonal, the rows above have zeros in a column.
inline void subtract_above(const double* upper, const double* right, std::size_t stride,
                           std::size_t strip, std::size_t first, std::size_t last, bool lower,
                           double* to) {
    std::size_t j = first;
    const auto step = [&](auto V) {
        subtract_product<V>(upper + strip, right + j, stride, lower ? j : 0, strip,
                            to + strip * stride + j);
        j += V * width;
    };
    while (j + 2 * width < last) step(std::integral_constant<std::size_t, most_vectors>{});
    while (j < last) step(std::integral_constant<std::size_t, 1>{});
}

// row -= factor * other, from `first` to `last`
inline void subtract_row(double factor, const double* other, std::size_t first, std::size_t last,
                         double* row) {
    for (std::size_t j = first; j < last; ++j) row[j] -= factor * other[j];
}

// Replace the upper half of R by U; false if R is not positive definite.
inline bool factor_upper(double* matrix, std::size_t d, std::size_t stride) {
    for (std::size_t strip = 0; strip < d; strip += width) {
        subtract_above(matrix, matrix, stride, strip, strip, d, false, matrix);
        for (std::size_t i = strip; i < std::min(d, strip + width); ++i) {
            double* const row = matrix + i * stride;
            for (std::size_t l = strip; l < i; ++l)
                subtract_row(matrix[l * stride + i], matrix + l * stride, i, d, row);
            if (!(row[i] > 0 && row[i] <= std::numeric_limits<double>::max())) return false;
            const double pivot = std::sqrt(row[i]);
            for (std::size_t j = i; j < d; ++j) row[j] /= pivot;
        }
    }
    return true;
}

// The inverse of U', lower triangular, into zeros.
inline void invert(const double* upper, std::size_t d, std::size_t stride, double* inverse) {
    for (std::size_t strip = 0; strip < d; strip += width) {
        subtract_above(upper, inverse, stride, strip, 0, strip, true, inverse);
        for (std::size_t i = strip; i < std::min(d, strip + width); ++i) {
            double* const row = inverse + i * stride;
            for (std::size_t l = strip; l < i; ++l)
                subtract_row(upper[l * stride + i], inverse + l * stride, 0, l + 1, row);
            row[i] = 1;
            const double pivot = upper[i * stride + i];
            for (std::size_t j = 0; j <= i; ++j) row[j] /= pivot;
        }
    }
}

// The whitener (d, d) of a covariance, its log determinant, and the least proportion of a variance
// that the other features leave unexplained: 0 if the covariance has no factor.
inline void factor(const double* covariance, std::size_t d, double* whitener, double& log_det,
                   double& unexplained) {
    const std::size_t stride = stride_of(d), rows = (d + width - 1) / width * width;
    Block<double> space(2 * rows * stride + 2 * stride);
    std::memset(space.data(), 0, sizeof(double) * (2 * rows * stride + 2 * stride));
    double *const upper = space.data(), *const inverse = upper + rows * stride;
    double *const scale = inverse + rows * stride, *const squares = scale + stride;
    log_det = unexplained = 0;
    for (std::size_t j = 0; j < d; ++j) {
        const double variance = covariance[j * d + j];
        if (!(variance > 0 && variance <= std::numeric_limits<double>::max())) return;
        scale[j] = 1 / std::sqrt(variance);
    }
    for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = i; j < d; ++j)
            upper[i * stride + j] = covariance[i * d + j] * scale[i] * scale[j];
    if (!factor_upper(upper, d, stride)) return;
    invert(upper, d, stride, inverse);
    for (std::size_t i = 0; i < d; ++i) {
        const double* const row = inverse + i * stride;
        for (std::size_t j = 0; j <= i; ++j) {
            squares[j] += row[j] * row[j];
            whitener[i * d + j] = row[j] * scale[j];
        }
        for (std::size_t j = i + 1; j < d; ++j) whitener[i * d + j] = 0;
        log_det += std::log(upper[i * stride + i]) - std::log(scale[i]);
    }
    log_det *= 2;
    double most = 0;
    for (std::size_t j = 0; j < d; ++j) most = squares[j] > most ? squares[j] : most;
    unexplained = 1 / most;
}

}  // namespace factoring

using factoring::factor;
