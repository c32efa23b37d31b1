// The interface of the native kernels, once for each instruction set.
//
// ../reference.py specifies each function. All are single-threaded, allocate at most a few
// cache-sized blocks, and do not use Python.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gaussbayes {

// A view of a table: any strides, counted in elements; nothing is copied.
template <class T>
struct Rows {
    const T* data;
    std::ptrdiff_t row_stride;
    std::ptrdiff_t column_stride;
    std::size_t n;  // rows
    std::size_t d;  // features
    // The starts of columns, if they are separate: then `column_stride` is ignored. Accumulate
    // reads such tables, the scores do not.
    const T* const* apart = nullptr;
};

enum class Layout { full, pooled, diagonal };
enum class Task { log_joint, log_posterior, posterior, label };

// Bits of the result of a scoring kernel.
constexpr int not_finite = 1;    // a row holds NaN or infinity
constexpr int out_of_range = 2;  // a row's square overflows for every class
constexpr int impossible = 4;    // with its bias a row has probability 0 in every class

template <class T>
struct MomentsOf {
    T* weight;   // (k)
    T* anchor;   // (k, d)
    T* offset;   // (k, d)
    T* scatter;  // (k, d, d), (d, d) or (k, d)
};
using Moments = MomentsOf<double>;  // accumulate adds to zeros
using GivenMoments = MomentsOf<const double>;

// log p(x, c) = log_constant_c - 1/2 |whitener_c (x - center - offset_c - remainder_c)|^2
template <class T>
struct Quadratic {
    std::size_t d;
    std::size_t k;
    bool diagonal;        // whitener is (k or 1, d) instead of packed triangles
    bool shared;          // one whitener for all classes
    const T* center;      // (d)
    const T* offset;      // (k, d)
    const T* remainder;   // (k, d), or null if it is 0
    const T* whitener;    // (k or 1, d), or as pack() has laid it out
    const T* log_constant;  // (k)
};

// log p(x, c) = log_constant_c + coefficient_c . (x - center), up to a term without c
template <class T>
struct Linear {
    std::size_t d;
    std::size_t k;
    const T* center;
    const T* coefficient;  // (k, d)
    const T* log_constant;
};

// log p(x, c) = log_constant_c - 1/2 |whitener (x - center) - mean_c|^2: rows are whitened once.
template <class T>
struct Whitened {
    std::size_t d;
    std::size_t k;
    const T* center;        // (d)
    const T* mean;          // (k, d), whitened
    const T* whitener;      // as pack() has laid it out
    const T* log_constant;  // (k)
};

// Rows with NaN: log p(x, c) = log_constant_c + sum_j log_feature_cj - 1/2 log |R_c| - 1/2 z^T R_c^-1 z
// with z_j = scale_cj (x_j - center_j - offset_cj - remainder_cj) where j and R_c are restricted to
// the observed features.
struct Masked {
    std::size_t d;
    std::size_t k;
    bool diagonal;              // R is the identity
    bool shared;                // one R, scale and log_feature for all classes
    bool density;               // otherwise the term -1/2 z^T R^-1 z alone, and the constant
    const double* center;       // (d)
    const double* offset;       // (k, d)
    const double* remainder;    // (k, d), or null if it is 0
    const double* scale;        // (k or 1, d)
    const double* correlation;  // (k or 1, d, d), not there when diagonal
    const double* log_feature;  // (k or 1, d)
    const double* log_constant;  // (k)
};

template <class T>
struct TypedKernels {
    void (*accumulate)(const Rows<T>&, const std::int32_t* codes, const double* weights,
                       std::size_t k, Layout, const Moments&);
    // How many T one packed triangle takes, and the packing of one lower triangle (d, d).
    std::size_t (*packed_size)(std::size_t d);
    void (*pack)(const T* triangle, std::size_t d, T* packed);
    // Exactly one of `values` (n, k) and `labels` (n) is written, as the task says. `bias` (n, k) is
    // added to the log joints; a null pointer adds nothing.
    int (*score_quadratic)(const Quadratic<T>&, const Rows<T>&, const Rows<T>* bias, Task,
                           bool prune, T* values, std::int64_t* labels);
    int (*score_linear)(const Linear<T>&, const Rows<T>&, const Rows<T>* bias, Task, T* values,
                        std::int64_t* labels);
    int (*score_whitened)(const Whitened<T>&, const Rows<T>&, const Rows<T>* bias, Task, T* values,
                          std::int64_t* labels);
};

struct Kernels {
    const char* instruction_set;
    TypedKernels<float> narrow;
    TypedKernels<double> wide;
    int (*score_masked)(const Masked&, const Rows<double>&, const Rows<double>* bias, Task,
                        double* values, std::int64_t* labels);
    // Of one covariance (d, d) the whitener, the log determinant, and the least proportion of a
    // variance that the other features leave unexplained, 0 if there is no factor.
    void (*factor)(const double* covariance, std::size_t d, double* whitener, double& log_det,
                   double& unexplained);
    // Conditional expectations of the missing features of points (n, d) in cells (cells, most), and
    // covariances summed over cells. See hidden.hpp.
    void (*complete)(const double* transposed, std::size_t d, const std::int64_t* columns,
                     std::size_t cells, std::size_t most, const std::int64_t* cell, std::size_t n,
                     double* points, double* covariance, double* log_det, double* squares);
    void (*spread)(const double* covariance, const std::int64_t* columns, std::size_t cells,
                   std::size_t most, const double* weight, std::size_t d, double* to);
    // The moments of the rows of two tables.
    void (*merge)(const GivenMoments& a, const GivenMoments& b, std::size_t k, std::size_t d,
                  Layout layout, const Moments& to);
    // The positions (n) of labels in a span, and which of them occur; then new numbers for the
    // positions. False if a label is outside, or a position has no number.
    bool (*renumber)(std::int32_t* codes, std::size_t n, const std::int32_t* numbers, std::size_t m);
    bool (*encode)(const std::int64_t* labels, std::size_t n, std::int64_t lowest, std::size_t span,
                   std::int32_t* codes, bool* present);
    // Log-densities (n, k) of levels (n, d) by a table of pairs (size, size, k). See pairs.hpp.
    bool (*score_pairs)(const std::int32_t* codes, std::size_t n, std::size_t d, const double* table,
                        std::size_t size, std::size_t k, double share, double* out);
    bool (*score_pairs_without)(const std::int32_t* codes, const std::int64_t* own,
                                const double* lost, std::size_t n, std::size_t d,
                                const double* count, const double* beside, const double* observed,
                                const double* n_levels, std::size_t size, std::size_t k,
                                const double* backoffs, std::size_t s, bool exact, double smallest,
                                double* out, bool* reliable);
};

// One table for each time variant.cpp is compiled.
namespace baseline {
const Kernels& kernels();
}
namespace avx2 {
const Kernels& kernels();
}
namespace avx512 {
const Kernels& kernels();
}

}  // namespace gaussbayes
