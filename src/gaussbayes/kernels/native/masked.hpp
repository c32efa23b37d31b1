// Log joints of rows in which features are missing (NaN): these are integrated out.
// Included inside the variant's namespace: it must include nothing itself.
//
// The marginal of a Gaussian has the same entries of mean and covariance. Missing features are not
// removed from the correlations: their rows and columns become those of the identity, and their
// deviations 0. Determinant and squared distance are then those of the marginal, and all rows have
// matrices of one size, so that rows can be lanes with any missing features.

// log_constant_c + sum over the observed features of
// log_feature_cj - 1/2 (scale_cj (u_j - offset_cj - remainder_cj))^2
template <class T>
struct MaskedTerm {
    static constexpr bool takes_nan = true;
    const Masked form;

    Vec<T> add(std::size_t c, std::size_t j, Vec<T> u, Vec<T> sum) const {
        const std::size_t own = (form.shared ? 0 : c * form.d) + j;
        Vec<T> white = u - form.offset[c * form.d + j];
        if (form.remainder) white = white - form.remainder[c * form.d + j];
        white = white * form.scale[own];
        return u == u ? sum + (form.log_feature[own] - white * white * T(0.5)) : sum;
    }
    Vec<T> log_joint(std::size_t c, Vec<T> sum) const { return sum + form.log_constant[c]; }
};

// Rows and columns of the matrices are processed in squares of this size, whose entries, with those
// of a row and a column before them, fit in the registers.
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr std::size_t square_size = 4;
#else
constexpr std::size_t square_size = 3;
#endif

// One number for each of as many rows as a vector has lanes.
inline Vec<double> entry(const double* from, std::size_t i) { return load(from + i * lanes<double>); }
inline void set_entry(double* to, std::size_t i, Vec<double> v) { store(to + i * lanes<double>, v); }

// R = L D L^T for the correlations R of the observed features, one matrix per lane.
class MaskedFactor {
  public:
    explicit MaskedFactor(std::size_t d)
        : size_((d + square_size - 1) / square_size * square_size),
          lower_(size_ * size_ * lanes<double>),
          inverse_pivot_(size_ * lanes<double>),
          rows_(square_size * size_ * lanes<double>) {}

    // Entries of a row of a matrix: the features, filled up to whole squares.
    std::size_t size() const { return size_; }

    // `correlation` is (size, size), filled up with 0; `there` (size) is 1 for observed features, 0
    // for others and for padding.
    void factor(const double* correlation, const double* there) {
        log_det_ = Vec<double>{};
        Vec<double> product = broadcast(1.0);
        for (std::size_t first = 0, end; first < size_; first = end) {
            const double* row = correlation + first * size_;
            const std::size_t size = size_;
            const auto masked = [=](std::size_t i, std::size_t j) {
                return entry(there, first + i) * row[i * size + j] * entry(there, j);
            };
            eliminate<square_size>(masked, rows_.data(), first);
            product *= factor_rows(masked, first);
            end = first + square_size;
            // Logarithms are expensive: one for several pivots, as many as cannot make the product
            // underflow, because each is above the rounding of 1.
            if (end == size_ || end % (5 * square_size) == 0) {
                for (std::size_t lane = 0; lane < lanes<double>; ++lane)
                    log_det_[lane] += std::log(product[lane]);
                product = broadcast(1.0);
            }
        }
    }
    Vec<double> log_det() const { return log_det_; }

    // z^T R^-1 z for each of `height` rows z of deviations, which are overwritten.
    template <std::size_t height>
    void squares(double* deviations, Vec<double>* square) {
        const std::size_t size = size_;
        const double* inverse = inverse_pivot_.data();
        const auto given = [=](std::size_t i, std::size_t j) { return entry(deviations, i * size + j); };
        eliminate<height>(given, deviations, size);
        for (std::size_t i = 0; i < height; ++i) {
            Vec<double> sum = {};
            for (std::size_t j = 0; j < size; ++j) {
                const Vec<double> z = entry(deviations, i * size + j);
                sum += z * z * entry(inverse, j);
            }
            square[i] = sum;
        }
    }

  private:
    // The first columns of the rows M that solve M L^T = A, where `of` returns the entries of A.
    template <std::size_t height, class Entries>
    void eliminate(const Entries& of, double* rows, std::size_t columns) {
        const std::size_t size = size_;
        const double* lower = lower_.data();
        for (std::size_t first = 0; first < columns; first += square_size) {
            Vec<double> sum[height][square_size];
#pragma GCC unroll 4
            for (std::size_t i = 0; i < height; ++i)
#pragma GCC unroll 4
                for (std::size_t j = 0; j < square_size; ++j)
                    sum[i][j] = of(i, first + j);
            for (std::size_t t = 0; t < first; ++t)
#pragma GCC unroll 4
                for (std::size_t i = 0; i < height; ++i)
#pragma GCC unroll 4
                    for (std::size_t j = 0; j < square_size; ++j)
                        sum[i][j] -= entry(rows, i * size + t) * entry(lower, (first + j) * size + t);
#pragma GCC unroll 4
            for (std::size_t t = 0; t < square_size; ++t)
#pragma GCC unroll 4
                for (std::size_t j = t + 1; j < square_size; ++j)
#pragma GCC unroll 4
                    for (std::size_t i = 0; i < height; ++i)
                        sum[i][j] -= sum[i][t] * entry(lower, (first + j) * size + first + t);
#pragma GCC unroll 4
            for (std::size_t i = 0; i < height; ++i)
#pragma GCC unroll 4
                for (std::size_t j = 0; j < square_size; ++j)
                    set_entry(rows, i * size + first + j, sum[i][j]);
        }
    }

    // From M = L D to L for the rows that were eliminated last; the product of their pivots.
    template <class Entries>
    Vec<double> factor_rows(const Entries& of, std::size_t first) {
        const std::size_t size = size_;
        const double* rows = rows_.data();
        double* lower = lower_.data() + first * size * lanes<double>;
        double* inverse = inverse_pivot_.data();
        Vec<double> sum[square_size][square_size];
#pragma GCC unroll 4
        for (std::size_t i = 0; i < square_size; ++i)
#pragma GCC unroll 4
            for (std::size_t j = 0; j <= i; ++j)
                sum[i][j] = i == j ? broadcast(1.0) : of(i, first + j);
        for (std::size_t t = 0; t < first; ++t) {
            Vec<double> left[square_size], right[square_size];
#pragma GCC unroll 4
            for (std::size_t i = 0; i < square_size; ++i) {
                left[i] = entry(rows, i * size + t);
                right[i] = left[i] * entry(inverse, t);
                set_entry(lower, i * size + t, right[i]);
#pragma GCC unroll 4
                for (std::size_t j = 0; j <= i; ++j) sum[i][j] -= left[i] * right[j];
            }
        }
        Vec<double> product = broadcast(1.0);
#pragma GCC unroll 4
        for (std::size_t t = 0; t < square_size; ++t) {
            const Vec<double> own = 1.0 / sum[t][t];
            product *= sum[t][t];
            set_entry(inverse, first + t, own);
#pragma GCC unroll 4
            for (std::size_t i = t + 1; i < square_size; ++i) {
                const Vec<double> right = sum[i][t] * own;
                set_entry(lower, i * size + first + t, right);
#pragma GCC unroll 4
                for (std::size_t j = i; j < square_size; ++j) sum[j][i] -= right * sum[j][t];
            }
        }
        return product;
    }

    const std::size_t size_;
    Block<double> lower_;          // (size, size) strictly lower, the diagonal of ones left out
    Block<double> inverse_pivot_;  // (size)
    Block<double> rows_;           // (square_size, size)
    Vec<double> log_det_ = {};
};

template <bool with_bias>
class MaskedScorer {
  public:
    static constexpr bool takes_nan = true;
    static constexpr bool biased = with_bias;

    explicit MaskedScorer(const Masked& form)
        : form_(form),
          factor_(form.d),
          correlation_((form.shared ? 1 : form.k) * factor_.size() * factor_.size()),
          there_(factor_.size() * lanes<double>),
          deviations_(square_size * factor_.size() * lanes<double>) {
        const std::size_t d = form.d, size = factor_.size(), count = form.shared ? 1 : form.k;
        std::fill(there_.data(), there_.data() + size * lanes<double>, 0.0);
        std::fill(correlation_.data(), correlation_.data() + count * size * size, 0.0);
        for (std::size_t c = 0; c < count; ++c)
            for (std::size_t i = 0; i < d; ++i)
                std::copy(form.correlation + (c * d + i) * d, form.correlation + (c * d + i + 1) * d,
                          correlation_.data() + (c * size + i) * size);
    }

    const double* log_constant() const { return form_.log_constant; }
    std::size_t next_group(const Rows<double>&) const { return largest_group; }
    bool order(const Rows<double>&, const Rows<double>&, std::uint32_t*) const { return false; }

    // Log joints (tiles, k, tile_rows) of rows; where they go the bias is.
    void score(const Rows<double>& rows, const Selection& selection, const double* center,
               double* tile, double* log_joint) {
        fill_tiles(rows, selection, center, tile);
        for (std::size_t t = 0; t < selection.tiles; ++t) {
            for (std::size_t v = 0; v < tile_vectors; ++v)
                score_lanes(tile + v * lanes<double>, log_joint + v * lanes<double>);
            tile += form_.d * tile_rows<double>;
            log_joint += form_.k * tile_rows<double>;
        }
    }

  private:
    void score_lanes(const double* tile, double* log_joint) {
        for (std::size_t j = 0; j < form_.d; ++j) {
            const Vec<double> u = load(tile + j * tile_rows<double>);
            set_entry(there_.data(), j, u == u ? broadcast(1.0) : Vec<double>{});
        }
        if (!form_.shared) {
            for (std::size_t c = 0; c < form_.k; ++c) {
                factor_.factor(&correlation_[c * factor_.size() * factor_.size()], there_.data());
                score_classes<1>(c, tile, log_joint);
            }
            return;
        }
        factor_.factor(correlation_.data(), there_.data());
        std::size_t c = 0;
        for (; c + square_size <= form_.k; c += square_size)
            score_classes<square_size>(c, tile, log_joint);
        for (; c < form_.k; ++c) score_classes<1>(c, tile, log_joint);
    }

    template <std::size_t count>
    void score_classes(std::size_t c, const double* tile, double* log_joint) {
        Vec<double> square[count];
        for (std::size_t i = 0; i < count; ++i) load_deviations(c + i, tile, i);
        factor_.squares<count>(deviations_.data(), square);
        for (std::size_t i = 0; i < count; ++i) {
            double* const to = log_joint + (c + i) * tile_rows<double>;
            Vec<double> own = log_volume(c + i) +
                              quadratic_log_joint<double>(form_.log_constant[c + i], square[i]);
            if constexpr (biased) own += load(to);
            store(to, own);
        }
    }

    void load_deviations(std::size_t c, const double* tile, std::size_t i) {
        const std::size_t d = form_.d, size = factor_.size();
        const double* offset = form_.offset + c * d;
        const double* scale = form_.scale + (form_.shared ? 0 : c * d);
        double* to = deviations_.data() + i * size * lanes<double>;
        for (std::size_t j = 0; j < d; ++j) {
            const Vec<double> u = load(tile + j * tile_rows<double>);
            Vec<double> apart = u - offset[j];
            if (form_.remainder) apart = apart - form_.remainder[c * d + j];
            set_entry(to, j, u == u ? apart * scale[j] : Vec<double>{});
        }
        for (std::size_t j = d; j < size; ++j) set_entry(to, j, Vec<double>{});
    }

    // The log density at the mean minus the class's constant.
    Vec<double> log_volume(std::size_t c) {
        if (!form_.density) return Vec<double>{};
        const double* log_feature = form_.log_feature + (form_.shared ? 0 : c * form_.d);
        Vec<double> sum = factor_.log_det() * -0.5;
        for (std::size_t j = 0; j < form_.d; ++j) sum += entry(there_.data(), j) * log_feature[j];
        return sum;
    }

    const Masked& form_;
    MaskedFactor factor_;
    Block<double> correlation_;  // (k or 1, size, size)
    Block<double> there_;        // (size), one a lane
    Block<double> deviations_;   // (square_size, size), one a lane
};

inline int score_masked(const Masked& form, const Rows<double>& rows, const Rows<double>* bias,
                        Task task, double* values, std::int64_t* labels) {
    const std::size_t tiles = tiles_of_block<double>(rows.n, form.d, form.k);
    const Destination<double> to{task, form.k, values, labels};
    return with_or_without(bias, [&](auto biased) {
        if (form.diagonal) {
            FeaturewiseScorer<double, MaskedTerm<double>, biased> scorer{{form}};
            return score_rows(rows, bias, form.center, tiles, to, scorer);
        }
        MaskedScorer<biased> scorer(form);
        return score_rows(rows, bias, form.center, tiles, to, scorer);
    });
}
