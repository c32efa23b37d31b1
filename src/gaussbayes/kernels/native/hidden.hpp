// Conditional expectations of the missing features of rows, given the others.
// Included inside the variant's namespace: it must include nothing itself.
//
// With the precision P of all features, the missing features h of a cell of rows have the
// covariance C = P_hh^-1 given the others, and the conditional mean -C (P x)_h, where x is 0 in h.
// Arrays have as many columns as the largest number of missing features, with -1 beyond those of a
// cell. Both are computed from columns of the whitener W, P = W'W: squaring its condition would
// lose half of the digits.

namespace hiding {

constexpr std::size_t width = lanes<double>, group = 4;

inline std::size_t count_of(const std::int64_t* columns, std::size_t most) {
    std::size_t count = 0;
    while (count < most && columns[count] >= 0) ++count;
    return count;
}

// As many matrices side by side as a vector has lanes: entry (i, j) of all is one vector.
struct Stack {
    double* data;
    std::size_t stride;  // vectors a row: whole groups

    double* at(std::size_t i, std::size_t j) const { return data + (i * stride + j) * width; }
    Vec<double> get(std::size_t i, std::size_t j) const { return load(at(i, j)); }
    void put(std::size_t i, std::size_t j, Vec<double> value) const { store(at(i, j), value); }
};

// Replace symmetric matrices by their lower factors L, with 1 / L_ii on the diagonal; also the
// squares of the pivots (n). Rows of zeros fill a group.
inline void factor_stack(const Stack& lower, std::size_t n, double* pivots) {
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = j; i < n; i += group) {
            Vec<double> sum[group];
#pragma GCC unroll 4
            for (std::size_t t = 0; t < group; ++t) sum[t] = lower.get(i + t, j);
            for (std::size_t l = 0; l < j; ++l) {
                const Vec<double> other = lower.get(j, l);
#pragma GCC unroll 4
                for (std::size_t t = 0; t < group; ++t) sum[t] -= lower.get(i + t, l) * other;
            }
#pragma GCC unroll 4
            for (std::size_t t = 0; t < group; ++t) lower.put(i + t, j, sum[t]);
        }
        Vec<double> scale = lower.get(j, j);
        store(pivots + j * width, scale);
        for (std::size_t lane = 0; lane < width; ++lane) scale[lane] = 1 / std::sqrt(scale[lane]);
        lower.put(j, j, scale);
        for (std::size_t i = j + 1; i < n; ++i) lower.put(i, j, lower.get(i, j) * scale);
    }
}

// The inverse of L, into zeros.
inline void invert_stack(const Stack& lower, std::size_t n, const Stack& inverse) {
    for (std::size_t i = 0; i < n; ++i) {
        const Vec<double> scale = lower.get(i, i);
        for (std::size_t j = 0; j < i; j += group) {
            Vec<double> sum[group]{};
            for (std::size_t l = j; l < i; ++l) {
                const Vec<double> factor = lower.get(i, l);
#pragma GCC unroll 4
                for (std::size_t t = 0; t < group; ++t) sum[t] -= factor * inverse.get(l, j + t);
            }
#pragma GCC unroll 4
            for (std::size_t t = 0; t < group; ++t) inverse.put(i, j + t, sum[t] * scale);
        }
        inverse.put(i, i, scale);
    }
}

// The product of the transpose with a lower triangle: what lies on and below the diagonal.
inline void square_stack(const Stack& inverse, std::size_t n, const Stack& to) {
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; j += group) {
            Vec<double> sum[group]{};
            for (std::size_t l = i; l < n; ++l) {
                const Vec<double> factor = inverse.get(l, i);
#pragma GCC unroll 4
                for (std::size_t t = 0; t < group; ++t) sum[t] += factor * inverse.get(l, j + t);
            }
#pragma GCC unroll 4
            for (std::size_t t = 0; t < group; ++t) to.put(i, j + t, sum[t]);
        }
}

// Covariances (cells, most, most), 0 beyond the missing features of a cell, and log |P_hh| (cells).
inline void condition(const double* precision, std::size_t d, const std::int64_t* columns,
                      std::size_t cells, std::size_t most, double* covariance, double* log_det) {
    // A group may begin at any row, and at a whole group of columns.
    const std::size_t stride = (most + 2 * group - 1) / group * group;
    const std::size_t size = stride * stride * width;
    Block<double> space(2 * size + stride * width);
    const Stack lower{space.data(), stride}, inverse{space.data() + size, stride};
    double* const pivots = space.data() + 2 * size;
    for (std::size_t first = 0; first < cells; first += width) {
        const std::size_t here = std::min(width, cells - first);
        std::size_t count[width] = {}, n = 0;
        for (std::size_t lane = 0; lane < here; ++lane) {
            count[lane] = count_of(columns + (first + lane) * most, most);
            n = std::max(n, count[lane]);
        }
        std::memset(space.data(), 0, sizeof(double) * 2 * size);
        for (std::size_t lane = 0; lane < width; ++lane) {
            const std::int64_t* const mine = columns + (first + lane) * most;
            for (std::size_t i = 0; i < count[lane]; ++i)
                for (std::size_t j = 0; j <= i; ++j)
                    lower.at(i, j)[lane] = precision[mine[i] * d + mine[j]];
            for (std::size_t i = count[lane]; i < n; ++i) lower.at(i, i)[lane] = 1;
        }
        factor_stack(lower, n, pivots);
        invert_stack(lower, n, inverse);
        square_stack(inverse, n, lower);
        for (std::size_t lane = 0; lane < here; ++lane) {
            double total = 0;
            for (std::size_t i = 0; i < count[lane]; ++i) total += std::log(pivots[i * width + lane]);
            log_det[first + lane] = total;
            double* const to = covariance + (first + lane) * most * most;
            std::memset(to, 0, sizeof(double) * most * most);
            for (std::size_t i = 0; i < count[lane]; ++i)
                for (std::size_t j = 0; j <= i; ++j)
                    to[i * most + j] = to[j * most + i] = lower.at(i, j)[lane];
        }
    }
}

inline double dot(const double* a, const double* b, std::size_t n) {
    Vec<double> sum{};
    std::size_t j = 0;
    for (; j + width <= n; j += width) sum += load(a + j) * load(b + j);
    double total = 0;
    for (std::size_t lane = 0; lane < width; ++lane) total += sum[lane];
    for (; j < n; ++j) total += a[j] * b[j];
    return total;
}

// y += factor x
inline void add_multiple(double factor, const double* x, std::size_t n, double* y) {
    for (std::size_t j = 0; j < n; ++j) y[j] += factor * x[j];
}

// The columns h of a whitener W, as rows (count, d): W_h = Q R by Gram-Schmidt: each column is
// removed from the following ones. Q replaces them, R is above the diagonal of a matrix (most,
// most).
inline void orthogonalise(double* basis, std::size_t d, std::size_t count, double* triangle,
                          std::size_t most) {
    for (std::size_t i = 0; i < count; ++i) {
        double* const q = basis + i * d;
        const double length = std::sqrt(dot(q, q, d));
        triangle[i * most + i] = length;
        for (std::size_t l = 0; l < d; ++l) q[l] /= length;
        for (std::size_t j = i + 1; j < count; ++j) {
            double* const other = basis + j * d;
            triangle[i * most + j] = dot(q, other, d);
            add_multiple(-triangle[i * most + j], q, d, other);
        }
    }
}

// Invert an upper triangle (most, most) of `count` rows in place.
inline void invert_triangle(double* triangle, std::size_t count, std::size_t most) {
    for (std::size_t i = count; i-- > 0;) {
        double* const row = triangle + i * most;
        const double scale = 1 / row[i];
        for (std::size_t j = count; j-- > i + 1;) {
            double sum = 0;
            for (std::size_t l = i + 1; l <= j; ++l) sum += row[l] * triangle[l * most + j];
            row[j] = -scale * sum;
        }
        row[i] = scale;
    }
}

// For cells (cells, most), given the transpose (d, d) of a whitener W: covariances of missing
// features (cells, most, most), log |P_hh| (cells). For points (n, d), sorted by cell: conditional
// expectations of missing features, in place, and squared distances (n). W (x - E x) is orthogonal
// to the columns h of W, so everything follows from these as in a regression.
inline void complete(const double* transposed, std::size_t d, const std::int64_t* columns,
                     std::size_t cells, std::size_t most, const std::int64_t* cell, std::size_t n,
                     double* points, double* covariance, double* log_det, double* squares) {
    Block<double> basis(most * d), triangle(most * most), white(d), along(most);
    std::memset(covariance, 0, sizeof(double) * cells * most * most);
    for (std::size_t c = 0, q = 0; c < cells; ++c) {
        const std::int64_t* const mine = columns + c * most;
        const std::size_t count = count_of(mine, most);
        for (std::size_t i = 0; i < count; ++i)
            std::memcpy(&basis[i * d], transposed + mine[i] * d, sizeof(double) * d);
        double* const inverse = triangle.data();
        orthogonalise(basis.data(), d, count, inverse, most);
        double total = 0;
        for (std::size_t i = 0; i < count; ++i) total += std::log(inverse[i * most + i]);
        log_det[c] = 2 * total;
        invert_triangle(inverse, count, most);
        double* const spread = covariance + c * most * most;
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t j = 0; j <= i; ++j)
                spread[i * most + j] = spread[j * most + i] =
                    dot(inverse + i * most + i, inverse + j * most + i, count - i);
        for (; q < n && cell[q] == static_cast<std::int64_t>(c); ++q) {
            double* const x = points + q * d;
            for (std::size_t i = 0; i < count; ++i) x[mine[i]] = 0;
            std::memset(white.data(), 0, sizeof(double) * d);
            for (std::size_t j = 0; j < d; ++j)  // W is lower triangular
                add_multiple(x[j], transposed + j * d + j, d - j, &white[j]);
            for (std::size_t i = 0; i < count; ++i) {
                along[i] = dot(&basis[i * d], white.data(), d);
                add_multiple(-along[i], &basis[i * d], d, white.data());
            }
            for (std::size_t i = 0; i < count; ++i)
                x[mine[i]] = -dot(inverse + i * most + i, &along[i], count - i);
            squares[q] = dot(white.data(), white.data(), d);
        }
    }
}

// to (d, d) += weight C of each cell, at the rows and columns of its missing features.
inline void spread(const double* covariance, const std::int64_t* columns, std::size_t cells,
                   std::size_t most, const double* weight, std::size_t d, double* to) {
    for (std::size_t c = 0; c < cells; ++c) {
        if (weight[c] == 0) continue;
        const std::int64_t* const mine = columns + c * most;
        const double* const matrix = covariance + c * most * most;
        const std::size_t count = count_of(mine, most);
        for (std::size_t i = 0; i < count; ++i) {
            double* const row = to + mine[i] * d;
            for (std::size_t j = 0; j < count; ++j) row[mine[j]] += weight[c] * matrix[i * most + j];
        }
    }
}

}  // namespace hiding

using hiding::complete;
using hiding::spread;
