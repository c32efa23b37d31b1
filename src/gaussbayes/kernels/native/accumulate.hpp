// Rows of many classes -> weight, mean (anchor + offset) and scatter of each class, in one read.
// Included inside the variant's namespace: it must include nothing itself.
//
// Rows go through in sub-blocks that stay in the cache. In each sub-block, the rows of a class are
// gathered, centred and summed, as squares (diagonal) or as a product Z'Z (full, pooled), and join
// the moments of the class. Squares of few classes and features, whose sums stay in the first-level
// cache, are summed in the order of the rows, without gathering. With w_a, mean_a, S_a the moments
// of the class so far, w_b, mean_b those of the new rows, w = w_a + w_b, delta = mean_b - mean_a
// and Z_c the rows about c:
//
//   scatter = S_a + Z_c'Z_c - w_b (mean_b - c)(mean_b - c)' + (w_a w_b / w) delta delta'
//
// With c = mean_a, which needs no separate pass over the rows, the last two terms are -(w_b^2 / w)
// delta delta'. Subtracting this loses digits only if it exceeds the result, which is at least (w_a
// w_b / w) delta delta': the error grows by at most 1 + w_b / w_a. The mean of the class is
// therefore the centre once the class has half the weight of the new rows; before that the centre
// is mean_b, computed in a separate pass, and nothing is subtracted. Sums of squares continue about
// one centre, from sub-block to sub-block, as long as the class has half their weight.
//
// A centre is a float: the class's anchor + offset, rounded. Hence x - c is exact for nearby
// floats, and c - anchor is the distance of the centre from the anchor.

namespace accumulation {

// sums_j += sum of w z_j and squares_j += sum of w z_j^2, where z = x - center. The rows are summed
// up a few at a time: fewer roundings add up.
template <bool weighted, class T>
void sum_rows(const Group<T>& rows, std::size_t panels, const double* center, double* sums,
              double* squares) {
    for_columns(panels, [&](auto V, std::size_t column) {
        constexpr std::size_t chains = 4 / V, run = 64 * chains;
        Vec<double> c[V], sum[V], square[V];
        for (std::size_t v = 0; v < V; ++v) {
            c[v] = load(center + column + v * width);
            sum[v] = load(sums + column + v * width);
            square[v] = load(squares + column + v * width);
        }
        for (std::size_t i = 0; i < rows.size;) {
            const std::size_t stop = std::min(rows.size, i + run);
            Vec<double> s[chains][V] = {}, q[chains][V] = {};
            const auto add = [&](std::size_t chain, std::size_t row) {
                for (std::size_t v = 0; v < V; ++v) {
                    const Vec<double> z = widen(rows.row[row] + column + v * width) - c[v];
                    const Vec<double> counted = weighted ? z * rows.weight[row] : z;
                    s[chain][v] += counted;
                    q[chain][v] += counted * z;
                }
            };
            for (; i + chains <= stop; i += chains)
                for (std::size_t chain = 0; chain < chains; ++chain) add(chain, i + chain);
            for (; i < stop; ++i) add(0, i);
            for (std::size_t chain = 0; chain < chains; ++chain)
                for (std::size_t v = 0; v < V; ++v) {
                    sum[v] += s[chain][v];
                    square[v] += q[chain][v];
                }
        }
        for (std::size_t v = 0; v < V; ++v) {
            store(sums + column + v * width, sum[v]);
            store(squares + column + v * width, square[v]);
        }
    });
}

// V doubles that follow one another.
template <std::size_t V>
struct Piece {
    typedef double vec __attribute__((vector_size(V * sizeof(double))));
    static vec load(const double* from) {
        vec v;
        std::memcpy(&v, from, sizeof v);
        return v;
    }
    static vec load(const float* from) {
        double wide[V];
        for (std::size_t l = 0; l < V; ++l) wide[l] = from[l];
        return load(wide);
    }
    // The contribution of x to the sums and squares about a centre.
    template <class T>
    static void add(const T* x, const double* center, double* sums, double* squares) {
        const vec z = load(x) - load(center), s = load(sums) + z, q = load(squares) + z * z;
        std::memcpy(sums, &s, sizeof s);
        std::memcpy(squares, &q, sizeof q);
    }
};

// The columns from j on that do not fill a vector.
template <std::size_t rest, std::size_t V, class T>
inline void add_rest(const T* x, const double* center, double* sums, double* squares) {
    if constexpr (V > 0) {
        constexpr std::size_t own = rest & V;
        if constexpr (own > 0) Piece<V>::add(x, center, sums, squares);
        add_rest<rest, V / 2>(x + own, center + own, sums + own, squares + own);
    }
}

// Adds rows to the sums of their classes. Of each class `spaces` has a centre, sums and squares, whole
// panels each. d is a multiple of the width and `rest`.
template <std::size_t rest, class T>
void add_rows(const T* row, std::ptrdiff_t stride, std::size_t count, const std::int32_t* codes,
              std::size_t d, double* spaces) {
    const std::size_t padded = panels_of(d) * width;
    for (std::size_t i = 0; i < count; ++i, row += stride) {
        double* const center = spaces + static_cast<std::size_t>(codes[i]) * 3 * padded;
        double *const sums = center + padded, *const squares = sums + padded;
        std::size_t j = 0;
        for (; j + width <= d; j += width)
            Piece<width>::add(row + j, center + j, sums + j, squares + j);
        add_rest<rest, width / 2>(row + j, center + j, sums + j, squares + j);
    }
}

template <class T, std::size_t rest = width - 1>
auto add_rows_for(std::size_t d) {
    if constexpr (rest == 0)
        return &add_rows<0, T>;
    else
        return d % width == rest ? &add_rows<rest, T> : add_rows_for<T, rest - 1>(d);
}

inline double sum_weights(const double* weight, std::size_t count) {
    constexpr std::size_t run = 32;
    double total = 0;
    for (std::size_t i = 0; i < count; i += run) {
        double part = 0;
        for (std::size_t l = i; l < std::min(count, i + run); ++l) part += weight[l];
        total += part;
    }
    return total;
}

// The sums over rows of a class about a centre, until they join the class's moments. Whole
// panels each.
struct Sums {
    double* center;
    double* sums;
    double* squares;
};

template <class T>
class Accumulator {
  public:
    Accumulator(std::size_t d, std::size_t k, bool weighted, Layout layout, const Moments& moments)
        : d_(d),
          k_(k),
          padded_(panels_of(d) * width),
          weighted_(weighted),
          layout_(layout),
          moments_(moments),
          z_(layout == Layout::diagonal ? 1 : d),
          pending_(k),
          space_(3 * padded_ * (layout == Layout::diagonal ? k : 1)),
          in_place_(in_place(d, k, weighted, layout) ? 3 * k * padded_ : 0),
          rest_(padded_),
          delta_(padded_) {
        std::memset(space_.data(), 0,
                    sizeof(double) * 3 * padded_ * (layout == Layout::diagonal ? k : 1));
        std::memset(rest_.data(), 0, sizeof(double) * padded_);
        std::memset(delta_.data(), 0, sizeof(double) * padded_);
        std::fill(pending_.data(), pending_.data() + k, 0.0);
    }

    void fetch(Span upcoming) { upcoming_ = upcoming; }

    // Add rows of class c to its moments, or to its pending sums.
    void add(std::size_t c, const Group<T>& rows) {
        const double own =
            weighted_ ? sum_weights(rows.weight, rows.size) : static_cast<double>(rows.size);
        const Sums about = sums_of(c);
        if (layout_ == Layout::diagonal) {
            make_room(c, own);
            if (pending_[c] == 0 && !start(about, c, own)) start(about, c, rows, own);
            sum(rows, about);
            pending_[c] += own;
        } else {
            if (!start(about, c, own)) start(about, c, rows, own);
            z_.add(rows, about.center, about.sums, upcoming_, scatter_of(c));
            join_product(c, own);
        }
    }

    // Whether there are so few sums that adding rows in order is fastest.
    static bool in_place(std::size_t d, std::size_t k, bool weighted, Layout layout) {
        return layout == Layout::diagonal && !weighted &&
               3 * k * panels_of(d) * width * sizeof(double) <= 16 << 10;
    }

    // How many rows are added in place before their sums join the others: about 32 for each sum,
    // because rounding errors accumulate.
    static std::size_t rows_in_place(std::size_t k) { return 32 * k; }

    // Rows in order, after they were counted. False if a class has no centre yet: then nothing has
    // been done.
    bool add_in_place(SubBlock<T>& block, std::size_t first, std::size_t count,
                      const std::int32_t* codes) {
        for (std::size_t c = 0; c < k_; ++c)
            if (2 * (moments_.weight[c] + pending_[c]) < static_cast<double>(block.size(c)))
                return false;
        for (std::size_t c = 0; c < k_; ++c) {
            const Sums about = sums_of(c);
            const double own = static_cast<double>(block.size(c));
            if (own == 0) continue;
            make_room(c, own);
            if (pending_[c] == 0) start(about, c, own);
            pending_[c] += own;
            double* const to = in_place_.data() + c * 3 * padded_;
            std::memcpy(to, about.center, sizeof(double) * padded_);
            std::memset(to + padded_, 0, sizeof(double) * 2 * padded_);
        }
        const auto [row, stride] = block.unsorted(first, count);
        add_rows_(row, stride, count, codes, d_, in_place_.data());
        for (std::size_t c = 0; c < k_; ++c) {
            if (block.size(c) == 0) continue;
            double* const to = sums_of(c).sums;
            const double* const from = in_place_.data() + c * 3 * padded_ + padded_;
            for (std::size_t j = 0; j < 2 * padded_; ++j) to[j] += from[j];
        }
        return true;
    }

    void finish() {
        if (layout_ == Layout::diagonal) {
            for (std::size_t c = 0; c < k_; ++c) join(c);
            return;
        }
        if (layout_ == Layout::pooled) z_.flush(upcoming_, moments_.scatter);
        const std::size_t count = layout_ == Layout::full ? k_ : 1;
        for (std::size_t c = 0; c < count; ++c) mirror(moments_.scatter + c * d_ * d_);
    }

  private:
    double* scatter_of(std::size_t c) const {
        if (layout_ == Layout::pooled) return moments_.scatter;
        return moments_.scatter + c * (layout_ == Layout::full ? d_ * d_ : d_);
    }

    Sums sums_of(std::size_t c) {
        double* const own = space_.data() + (layout_ == Layout::diagonal ? 3 * c * padded_ : 0);
        return {own, own + padded_, own + 2 * padded_};
    }

    void sum(const Group<T>& rows, const Sums& about) {
        const auto add = weighted_ ? sum_rows<true, T> : sum_rows<false, T>;
        add(rows, padded_ / width, about.center, about.sums, about.squares);
    }

    // Before new weight: close sums about a centre if their weight would become too large for it.
    void make_room(std::size_t c, double own) {
        if (pending_[c] + own > 2 * moments_.weight[c]) join(c);
    }

    // Start sums about the mean of the class; false if it has too little weight.
    bool start(const Sums& about, std::size_t c, double own) {
        std::memset(about.sums, 0, sizeof(double) * 2 * padded_);
        if (2 * moments_.weight[c] < own) return false;
        const double *const anchor = moments_.anchor + c * d_, *const offset = moments_.offset + c * d_;
        for (std::size_t j = 0; j < d_; ++j) about.center[j] = anchor[j] + offset[j];
        return true;
    }

    // Start sums about the mean of the rows. The first rows of a class also determine its anchor:
    // their mean, found relative to the first of them, rounded to a float.
    void start(const Sums& about, std::size_t c, const Group<T>& rows, double own) {
        double* const anchor = moments_.anchor + c * d_;
        const bool first = moments_.weight[c] == 0;
        for (std::size_t j = 0; j < d_; ++j)
            about.center[j] = first ? static_cast<double>(rows.row[0][j]) : anchor[j];
        sum(rows, about);
        for (std::size_t j = 0; j < d_; ++j) {
            about.center[j] += about.sums[j] / own;
            if (first) anchor[j] = about.center[j];
        }
        std::memset(about.sums, 0, sizeof(double) * 2 * padded_);
    }

    // The mean of the new rows, relative to the centre (rest) and to the class (delta), moves that
    // of the class. Returns the proportion of the new weight.
    double move_mean(std::size_t c, double own) {
        const Sums about = sums_of(c);
        const double* const anchor = moments_.anchor + c * d_;
        double* const offset = moments_.offset + c * d_;
        const double part = own / (moments_.weight[c] + own), each = 1 / own;
        double *const rest = rest_.data(), *const delta = delta_.data();
        for (std::size_t j = 0; j < d_; ++j) {
            rest[j] = about.sums[j] * each;
            delta[j] = ((about.center[j] - anchor[j]) - offset[j]) + rest[j];
            offset[j] += delta[j] * part;
        }
        return part;
    }

    void join(std::size_t c) {
        const double own = std::exchange(pending_[c], 0.0);
        if (own == 0) return;
        const double before = moments_.weight[c], part = move_mean(c, own);
        const double *const squares = sums_of(c).squares, *const rest = rest_.data(),
                     *const delta = delta_.data();
        double* const scatter = scatter_of(c);
        for (std::size_t j = 0; j < d_; ++j)
            scatter[j] +=
                squares[j] + (before * part * delta[j] * delta[j] - own * rest[j] * rest[j]);
        moments_.weight[c] += own;
    }

    void join_product(std::size_t c, double own) {
        const double before = moments_.weight[c], part = move_mean(c, own);
        double* const scatter = scatter_of(c);
        z_.subtract(std::sqrt(own), rest_.data(), upcoming_, scatter);
        if (before > 0) z_.add(std::sqrt(before * part), delta_.data(), upcoming_, scatter);
        if (layout_ == Layout::full) z_.flush(upcoming_, scatter);
        moments_.weight[c] += own;
    }

    void mirror(double* scatter) const {
        for (std::size_t i = 0; i < d_; ++i)
            for (std::size_t j = 0; j < i; ++j) scatter[i * d_ + j] = scatter[j * d_ + i];
    }

    const std::size_t d_, k_, padded_;
    const bool weighted_;
    const Layout layout_;
    const Moments moments_;
    Panels z_;
    Block<double> pending_;  // the weight of each class's sums, which have not joined its moments
    Block<double> space_;    // the sums of each class, or of products those of the class at hand
    Block<double> in_place_;  // those of rows that are added in place
    decltype(&add_rows<0, T>) const add_rows_ = add_rows_for<T>(d_);
    Block<double> rest_, delta_;
    Span upcoming_;  // what will be read next
};

// How many rows a sub-block has: what the cache holds, or more for many classes, so that the work
// done once a class pays.
inline std::size_t rows_at_a_time(std::size_t row_bytes, std::size_t k, Layout layout) {
    const std::size_t cached = clamp((1 << 17) / row_bytes, 1, 4096);
    const std::size_t most = clamp((1 << 22) / row_bytes, 1, 1 << 16);
    if (layout == Layout::full) return clamp(k * 112, cached, most);
    // What comes next is fetched meanwhile: both must be in the second-level cache.
    return clamp(k * 32, cached, std::max(cached, clamp((3 << 17) / row_bytes, 1, most)));
}

template <class T>
void accumulate(const Rows<T>& rows, const std::int32_t* codes, const double* weights,
                std::size_t k, Layout layout, const Moments& moments) {
    if (rows.n == 0 || rows.d == 0) return;
    const bool in_place = Accumulator<T>::in_place(rows.d, k, weights != nullptr, layout);
    const std::size_t most = in_place ? Accumulator<T>::rows_in_place(k)
                                      : rows_at_a_time(rows.d * sizeof(T), k, layout);
    const std::size_t step = std::min(rows.n, most);
    SubBlock<T> block(rows, k, step);
    Accumulator<T> accumulator(rows.d, k, weights != nullptr, layout, moments);
    // The first rows are read twice, in order to find a centre: of squares they are few.
    const std::size_t fewest = layout == Layout::diagonal ? 8 * k : step;
    for (std::size_t first = 0, count; first < rows.n; first += count) {
        count = std::min({rows.n - first, step, std::max(first, fewest)});
        block.count(first, count, codes, weights);
        if (in_place && accumulator.add_in_place(block, first, count, codes + first)) continue;
        block.sort(first, count, codes, weights, layout == Layout::diagonal);
        accumulator.fetch(block.upcoming());
        for (std::size_t c = 0; c < k; ++c)
            if (const Group<T> group = block.group(c); group.size > 0) accumulator.add(c, group);
    }
    accumulator.finish();
}

}  // namespace accumulation

using accumulation::accumulate;
