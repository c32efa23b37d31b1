// Rows of many classes -> weight, mean (anchor + offset) and scatter of each class, in one read.
// Included inside the variant's namespace: it must include nothing itself.
//
// Rows go through in sub-blocks that stay in the cache. Of each sub-block, the rows of a class are
// brought together, centred and summed up, as squares (diagonal) or as a product Z'Z (full,
// pooled), and join the moments of the class. With w_a, mean_a, S_a what the class has so far,
// w_b, mean_b what comes, w = w_a + w_b, delta = mean_b - mean_a and Z_c the rows about c:
//
//   scatter = S_a + Z_c'Z_c - w_b (mean_b - c)(mean_b - c)' + (w_a w_b / w) delta delta'
//
// With c = mean_a, which needs no pass of its own over the rows, the last two terms are
// -(w_b^2 / w) delta delta'. Taking that off costs digits only if it outweighs what is left, which
// is at least (w_a w_b / w) delta delta': the error grows by 1 + w_b / w_a at most. So the mean of
// the class is the centre once the class has half the weight of what comes; before that the centre
// is mean_b, found in a pass of its own, and nothing is taken off.

namespace accumulation {

// sums_j = sum of w z_j and squares_j = sum of w z_j^2, where z = (x - anchor) - center. The rows
// are summed up a few at a time: fewer roundings add up. Meanwhile what will be read next is fetched
// into the cache.
template <bool weighted, class T>
void sum_rows(const Group<T>& rows, std::size_t panels, const double* anchor, const double* center,
              Span& upcoming, double* sums, double* squares) {
    for_columns(panels, [&](auto V, std::size_t column) {
        constexpr std::size_t chains = 4 / V, run = 32 * chains;
        Vec<double> a[V], c[V], sum[V] = {}, square[V] = {};
        for (std::size_t v = 0; v < V; ++v) {
            a[v] = load(anchor + column + v * width);
            c[v] = load(center + column + v * width);
        }
        for (std::size_t i = 0; i < rows.size;) {
            const std::size_t stop = std::min(rows.size, i + run);
            const std::size_t step = upcoming.begin < upcoming.end ? sizeof(T) * width : 0;
            const char* ahead = upcoming.begin;
            Vec<double> s[chains][V] = {}, q[chains][V] = {};
            const auto add = [&](std::size_t chain, std::size_t row) {
                for (std::size_t v = 0; v < V; ++v, ahead += step) {
                    __builtin_prefetch(ahead, 0, 2);
                    const Vec<double> z = (widen(rows.row[row] + column + v * width) - a[v]) - c[v];
                    const Vec<double> counted = weighted ? z * rows.weight[row] : z;
                    s[chain][v] += counted;
                    q[chain][v] += counted * z;
                }
            };
            for (; i + chains <= stop; i += chains)
                for (std::size_t chain = 0; chain < chains; ++chain) add(chain, i + chain);
            for (; i < stop; ++i) add(0, i);
            upcoming.begin = ahead;
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

template <class T>
class Accumulator {
  public:
    Accumulator(std::size_t d, std::size_t k, bool weighted, Layout layout, const Moments& moments)
        : d_(d),
          k_(k),
          panels_(panels_of(d)),
          weighted_(weighted),
          layout_(layout),
          moments_(moments),
          z_(layout == Layout::diagonal ? 1 : d),
          scratch_(5 * panels_ * width),
          anchor_(scratch_.data()),
          center_(anchor_ + panels_ * width),
          rest_(center_ + panels_ * width),
          squares_(rest_ + panels_ * width),
          delta_(squares_ + panels_ * width) {
        std::memset(scratch_.data(), 0, sizeof(double) * 5 * panels_ * width);
    }

    void fetch(Span upcoming) { upcoming_ = upcoming; }

    // Rows of class c join its moments.
    void add(std::size_t c, const Group<T>& rows) {
        double& weight = moments_.weight[c];
        double* const offset = moments_.offset + c * d_;
        double* const scatter = scatter_of(c);
        const double own =
            weighted_ ? sum_weights(rows.weight, rows.size) : static_cast<double>(rows.size);
        const double part = own / (weight + own);
        const bool settled = 2 * weight >= own;
        if (settled)
            center_on_class(c);
        else
            center_on(rows, own, c);
        if (layout_ == Layout::diagonal)
            sum(rows);
        else
            z_.add(rows, anchor_, center_, rest_, upcoming_, scatter);
        for (std::size_t j = 0; j < d_; ++j) {
            rest_[j] /= own;
            delta_[j] = (center_[j] - offset[j]) + rest_[j];
            offset[j] += delta_[j] * part;
        }
        if (layout_ == Layout::diagonal)
            for (std::size_t j = 0; j < d_; ++j)
                scatter[j] += squares_[j] + (weight * part * delta_[j] * delta_[j] -
                                             own * rest_[j] * rest_[j]);
        else if (settled)
            z_.subtract(std::sqrt(own * part), rest_, upcoming_, scatter);
        else {
            // Their own mean is the centre but for rounding, which counts beside a far first row.
            z_.subtract(std::sqrt(own), rest_, upcoming_, scatter);
            if (weight > 0) z_.add(std::sqrt(weight * part), delta_, upcoming_, scatter);
        }
        if (layout_ == Layout::full) z_.flush(upcoming_, scatter);
        weight += own;
    }

    void finish() {
        if (layout_ == Layout::diagonal) return;
        if (layout_ == Layout::pooled) z_.flush(upcoming_, moments_.scatter);
        const std::size_t count = layout_ == Layout::full ? k_ : 1;
        for (std::size_t c = 0; c < count; ++c) mirror(moments_.scatter + c * d_ * d_);
    }

  private:
    double* scatter_of(std::size_t c) const {
        if (layout_ == Layout::pooled) return moments_.scatter;
        return moments_.scatter + c * (layout_ == Layout::full ? d_ * d_ : d_);
    }

    void sum(const Group<T>& rows) {
        const auto add = weighted_ ? sum_rows<true, T> : sum_rows<false, T>;
        add(rows, panels_, anchor_, center_, upcoming_, rest_, squares_);
    }

    void center_on_class(std::size_t c) {
        std::memcpy(anchor_, moments_.anchor + c * d_, sizeof(double) * d_);
        std::memcpy(center_, moments_.offset + c * d_, sizeof(double) * d_);
    }

    // The centre is the rows' own mean. The first rows of a class also give it its anchor: their
    // mean, found relative to the first of them, rounded to a float.
    void center_on(const Group<T>& rows, double own, std::size_t c) {
        const bool first = moments_.weight[c] == 0;
        double* const anchor = moments_.anchor + c * d_;
        for (std::size_t j = 0; j < d_; ++j) {
            anchor_[j] = first ? static_cast<double>(rows.row[0][j]) : anchor[j];
            center_[j] = 0;
        }
        sum(rows);
        for (std::size_t j = 0; j < d_; ++j) {
            const double mean = rest_[j] / own;
            if (first) anchor[j] = anchor_[j] + mean;
            center_[j] = (anchor_[j] - anchor[j]) + mean;
            anchor_[j] = anchor[j];
        }
    }

    void mirror(double* scatter) const {
        for (std::size_t i = 0; i < d_; ++i)
            for (std::size_t j = 0; j < i; ++j) scatter[i * d_ + j] = scatter[j * d_ + i];
    }

    const std::size_t d_, k_, panels_;
    const bool weighted_;
    const Layout layout_;
    const Moments moments_;
    Panels z_;
    Block<double> scratch_;
    // Whole panels each: where z_ and sum_rows centre, the mean of the rows relative to that and to
    // the class, and the sums of squares.
    double *const anchor_, *const center_, *const rest_, *const squares_, *const delta_;
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
    const std::size_t step = std::min(rows.n, rows_at_a_time(rows.d * sizeof(T), k, layout));
    SubBlock<T> block(rows, k, step);
    Accumulator<T> accumulator(rows.d, k, weights != nullptr, layout, moments);
    for (std::size_t first = 0; first < rows.n; first += step) {
        block.take(first, std::min(rows.n - first, step), codes, weights);
        accumulator.fetch(block.upcoming());
        for (std::size_t c = 0; c < k; ++c)
            if (const Group<T> group = block.group(c); group.size > 0) accumulator.add(c, group);
    }
    accumulator.finish();
}

}  // namespace accumulation

using accumulation::accumulate;
