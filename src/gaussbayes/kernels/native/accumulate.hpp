// Rows of many classes -> weight, mean (anchor + offset) and scatter of each class, in one read.
// Included inside the variant's namespace: it must include nothing itself.
//
// Rows go through in sub-blocks that stay in the cache. Of each sub-block, the rows of a class are
// brought together, their mean is taken, then their scatter about that mean, and both are merged
// into the moments of the class. The scatter is a sum of squares (diagonal), or a product Z'Z of
// the centred rows, laid out in panels for the registers (full, pooled).
//
// Rows are read in whole vectors: the last vector of a row takes in what follows the row in memory.
// Those lanes are computed with and never written out; a sub-block whose rows would be read past
// the end of the table is copied first.

namespace accumulation {

constexpr std::size_t width = lanes<double>;  // columns of a panel
constexpr std::size_t run = 64;               // rows summed before their sum is added to the total

inline std::size_t clamp(std::size_t x, std::size_t low, std::size_t high) {
    return x < low ? low : x > high ? high : x;
}

inline std::size_t panels_of(std::size_t d) { return (d + width - 1) / width; }

inline Vec<double> widen(const double* from) { return load(from); }
inline Vec<double> widen(const float* from) {
    typedef float Narrow __attribute__((vector_size(vector_bytes / 2)));
    Narrow v;
    std::memcpy(&v, from, sizeof v);
    return __builtin_convertvector(v, Vec<double>);
}

// The rows of one class in a sub-block.
template <class T>
struct Group {
    const T* const* row;
    const double* weight;
    const double* root;  // square roots of the weights
    std::size_t size;
};

// A sub-block of rows, sorted by class; rows of weight 0 are left out.
template <class T>
class SubBlock {
  public:
    SubBlock(const Rows<T>& rows, std::size_t k, std::size_t most)
        : rows_(rows), k_(k), most_(most), end_(k), row_(most), weight_(most), root_(most) {
        const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(rows.n - 1) * rows.row_stride;
        limit_ = rows.data + (last > 0 ? last : 0) + rows.d;
        // Without weights these stay.
        for (std::size_t i = 0; i < most; ++i) weight_[i] = root_[i] = 1.0;
    }

    void take(std::size_t first, std::size_t count, const std::int32_t* codes,
              const double* weights) {
        const T* from = rows_.data + static_cast<std::ptrdiff_t>(first) * rows_.row_stride;
        std::ptrdiff_t stride = rows_.row_stride;
        if (!readable(from, count)) {
            from = copied(from, count);
            stride = static_cast<std::ptrdiff_t>(padded());
        }
        sort(from, stride, count, codes + first, weights ? weights + first : nullptr);
    }

    Group<T> group(std::size_t c) {
        const std::size_t begin = c ? end_[c - 1] : 0;
        return {row_.data() + begin, weight_.data() + begin, root_.data() + begin, end_[c] - begin};
    }

  private:
    std::size_t padded() const { return panels_of(rows_.d) * width; }

    // Whether the rows can be read in whole vectors.
    bool readable(const T* from, std::size_t count) const {
        const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(count - 1) * rows_.row_stride;
        const std::ptrdiff_t room = limit_ - (from + (last > 0 ? last : 0));
        return (rows_.column_stride == 1 || rows_.d == 1) &&
               room >= static_cast<std::ptrdiff_t>(padded());
    }

    // The rows one after the other, a few columns at a time: quick for columns that lie
    // one after the other, too.
    const T* copied(const T* from, std::size_t count) {
        const std::size_t d = rows_.d, stride = padded();
        if (!copy_) {
            copy_.reset(new Block<T>(most_ * stride));
            std::memset(static_cast<void*>(copy_->data()), 0, sizeof(T) * most_ * stride);
        }
        for (std::size_t j = 0; j < d; j += 8) {
            const std::size_t columns = clamp(d - j, 1, 8);
            for (std::size_t i = 0; i < count; ++i) {
                const T* x = from + static_cast<std::ptrdiff_t>(i) * rows_.row_stride +
                             static_cast<std::ptrdiff_t>(j) * rows_.column_stride;
                T* to = copy_->data() + i * stride + j;
                for (std::size_t l = 0; l < columns; ++l)
                    to[l] = x[static_cast<std::ptrdiff_t>(l) * rows_.column_stride];
            }
        }
        return copy_->data();
    }

    void sort(const T* from, std::ptrdiff_t stride, std::size_t count, const std::int32_t* codes,
              const double* weights) {
        std::memset(end_.data(), 0, sizeof(std::uint32_t) * k_);
        for (std::size_t i = 0; i < count; ++i)
            if (!weights || weights[i] > 0) ++end_[codes[i]];
        std::uint32_t begin = 0;
        for (std::size_t c = 0; c < k_; ++c) {
            const std::uint32_t size = end_[c];
            end_[c] = begin;
            begin += size;
        }
        // Each begin moves on to its end as the rows are placed.
        for (std::size_t i = 0; i < count; ++i) {
            if (weights && !(weights[i] > 0)) continue;
            const std::uint32_t place = end_[codes[i]]++;
            row_[place] = from + static_cast<std::ptrdiff_t>(i) * stride;
            if (weights) {
                weight_[place] = weights[i];
                root_[place] = std::sqrt(weights[i]);
            }
        }
    }

    Rows<T> rows_;
    const T* limit_;
    std::size_t k_, most_;
    std::unique_ptr<Block<T>> copy_;
    Block<std::uint32_t> end_;
    Block<const T*> row_;
    Block<double> weight_, root_;
};

// out[v] = sum over i of term(i, v), v < V, in short sums: many terms cost few digits.
template <std::size_t V, class Term>
void sum_terms(std::size_t count, Term term, double* out) {
    constexpr std::size_t chains = V < 4 ? 4 : 2;
    Vec<double> total[V] = {};
    for (std::size_t i = 0; i < count;) {
        const std::size_t stop = clamp(count, 0, i + run);
        Vec<double> part[chains][V] = {};
        for (; i + chains <= stop; i += chains)
            for (std::size_t s = 0; s < chains; ++s)
                for (std::size_t v = 0; v < V; ++v) part[s][v] += term(i + s, v);
        for (; i < stop; ++i)
            for (std::size_t v = 0; v < V; ++v) part[0][v] += term(i, v);
        for (std::size_t s = 1; s < chains; ++s)
            for (std::size_t v = 0; v < V; ++v) part[0][v] += part[s][v];
        for (std::size_t v = 0; v < V; ++v) total[v] += part[0][v];
    }
    for (std::size_t v = 0; v < V; ++v) store(out + v * width, total[v]);
}

// step(V, first column) for all panels, in groups of V = 4, 2 and 1.
template <class Step>
void for_columns(std::size_t panels, Step step) {
    std::size_t p = 0;
    for (; p + 4 <= panels; p += 4) step(std::integral_constant<std::size_t, 4>{}, p * width);
    if (p + 2 <= panels) {
        step(std::integral_constant<std::size_t, 2>{}, p * width);
        p += 2;
    }
    if (p < panels) step(std::integral_constant<std::size_t, 1>{}, p * width);
}

// sums_j = sum of w (x_j - anchor_j)
template <class T>
void sum_rows(const Group<T>& rows, std::size_t panels, const double* anchor, double* sums) {
    for_columns(panels, [&](auto V, std::size_t column) {
        Vec<double> a[V];
        for (std::size_t v = 0; v < V; ++v) a[v] = load(anchor + column + v * width);
        sum_terms<V>(
            rows.size,
            [&](std::size_t i, std::size_t v) {
                return (widen(rows.row[i] + column + v * width) - a[v]) * rows.weight[i];
            },
            sums + column);
    });
}

// sums_j = sum of w (x_j - anchor_j - mean_j)^2
template <class T>
void sum_squares(const Group<T>& rows, std::size_t panels, const double* anchor,
                 const double* mean, double* sums) {
    for_columns(panels, [&](auto V, std::size_t column) {
        Vec<double> a[V], m[V];
        for (std::size_t v = 0; v < V; ++v) {
            a[v] = load(anchor + column + v * width);
            m[v] = load(mean + column + v * width);
        }
        sum_terms<V>(
            rows.size,
            [&](std::size_t i, std::size_t v) {
                const Vec<double> z = (widen(rows.row[i] + column + v * width) - a[v]) - m[v];
                return z * z * rows.weight[i];
            },
            sums + column);
    });
}

template <class T>
double sum_weights(const Group<T>& rows, bool weighted) {
    if (!weighted) return static_cast<double>(rows.size);
    double part[width], sum = 0;
    sum_terms<1>(
        rows.size / width,
        [&](std::size_t i, std::size_t) { return load(rows.weight + i * width); }, part);
    for (std::size_t l = 0; l < width; ++l) sum += part[l];
    for (std::size_t i = rows.size / width * width; i < rows.size; ++i) sum += rows.weight[i];
    return sum;
}

// Centred rows in panels: panel p holds their columns p * width ... one row after the other.
class Panels {
  public:
    explicit Panels(std::size_t d)
        : d_(d),
          panels_(panels_of(d)),
          capacity_(clamp((1 << 20) / (panels_ * width * sizeof(double)), 32, 256)),
          z_(panels_ * capacity_ * width) {}

    template <class T>
    void add(const Group<T>& rows, const double* anchor, const double* mean, double* scatter) {
        for (std::size_t done = 0; done < rows.size;) {
            if (used_ == capacity_) flush(scatter);
            const std::size_t count = clamp(rows.size - done, 1, capacity_ - used_);
            pack(rows.row + done, rows.root + done, count, anchor, mean);
            used_ += count;
            done += count;
        }
    }

    void add_row(double scale, const double* row, double* scatter) {
        if (used_ == capacity_) flush(scatter);
        for (std::size_t p = 0; p < panels_; ++p)
            store(at(p, used_), load(row + p * width) * scale);
        ++used_;
    }

    // scatter += Z'Z, on and above the diagonal
    void flush(double* scatter) {
        for (std::size_t i = 0; i < panels_; ++i) {
            std::size_t j = i;
            for (; j + 3 <= panels_; j += 3) tile<3>(i, j, scatter);
            if (panels_ - j == 2) tile<2>(i, j, scatter);
            if (panels_ - j == 1) tile<1>(i, j, scatter);
        }
        used_ = 0;
    }

  private:
    double* at(std::size_t panel, std::size_t row) {
        return z_.data() + (panel * capacity_ + row) * width;
    }

    template <class T>
    void pack(const T* const* row, const double* root, std::size_t count, const double* anchor,
              const double* mean) {
        for (std::size_t p = 0; p < panels_; ++p) {
            const std::size_t column = p * width;
            const Vec<double> a = load(anchor + column), m = load(mean + column);
            double* to = at(p, used_);
            for (std::size_t i = 0; i < count; ++i)
                store(to + i * width, ((widen(row[i] + column) - a) - m) * root[i]);
        }
    }

    // The rows i * width ... of the scatter, V panels of columns from panel j on.
    template <std::size_t V>
    void tile(std::size_t i, std::size_t j, double* scatter) {
        double total[width][V * width];
        std::memset(total, 0, sizeof total);
        for (std::size_t first = 0; first < used_; first += run) {
            const std::size_t count = clamp(used_ - first, 1, run);
            const double* left = at(i, first);
            const double* right = at(j, first);
            const std::size_t next = capacity_ * width;
            Vec<double> sum[width][V] = {};
            for (std::size_t r = 0; r < count; ++r) {
                Vec<double> z[V];
                for (std::size_t v = 0; v < V; ++v) z[v] = load(right + v * next + r * width);
                for (std::size_t l = 0; l < width; ++l)
                    for (std::size_t v = 0; v < V; ++v) sum[l][v] += z[v] * left[r * width + l];
            }
            for (std::size_t l = 0; l < width; ++l)
                for (std::size_t v = 0; v < V; ++v)
                    store(total[l] + v * width, load(total[l] + v * width) + sum[l][v]);
        }
        const std::size_t height = clamp(d_ - i * width, 1, width);
        const std::size_t columns = clamp(d_ - j * width, 1, V * width);
        for (std::size_t l = 0; l < height; ++l) {
            double* to = scatter + (i * width + l) * d_ + j * width;
            for (std::size_t c = 0; c < columns; ++c) to[c] += total[l][c];
        }
    }

    std::size_t d_, panels_, capacity_, used_ = 0;
    Block<double> z_;
};

inline void mirror(double* scatter, std::size_t d) {
    for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < i; ++j) scatter[i * d + j] = scatter[j * d + i];
}

// A mean of some rows, on the way into the moments of their class.
class Meeting {
  public:
    explicit Meeting(std::size_t d) : d_(d), panels_(panels_of(d)), all_(4 * panels_ * width) {
        std::memset(all_.data(), 0, sizeof(double) * 4 * panels_ * width);
    }

    template <class T>
    void meet(const Group<T>& rows, bool weighted, double* weight, double* class_anchor,
              double* class_offset) {
        const bool first = *weight == 0;
        for (std::size_t j = 0; j < d_; ++j)
            anchor()[j] = first ? static_cast<double>(rows.row[0][j]) : class_anchor[j];
        const double own = sum_weights(rows, weighted);
        sum_rows(rows, panels_, anchor(), mean());
        for (std::size_t j = 0; j < d_; ++j) mean()[j] /= own;
        if (first) {
            for (std::size_t j = 0; j < d_; ++j) {
                class_anchor[j] = anchor()[j] + mean()[j];
                mean()[j] = (anchor()[j] - class_anchor[j]) + mean()[j];
                anchor()[j] = class_anchor[j];
            }
        }
        const double total = *weight + own;
        share_ = *weight * (own / total);
        for (std::size_t j = 0; j < d_; ++j) {
            delta()[j] = mean()[j] - class_offset[j];
            class_offset[j] += delta()[j] * (own / total);
        }
        *weight = total;
    }

    double* anchor() { return all_.data(); }
    double* mean() { return all_.data() + panels_ * width; }
    double* delta() { return all_.data() + 2 * panels_ * width; }
    double* squares() { return all_.data() + 3 * panels_ * width; }
    double share() const { return share_; }

  private:
    std::size_t d_, panels_;
    double share_ = 0;
    Block<double> all_;
};

// Rows of a sub-block: what the cache holds, more where there are many classes.
inline std::size_t rows_at_a_time(std::size_t n, std::size_t row_bytes, std::size_t k,
                                  Layout layout) {
    const std::size_t cached = (std::size_t{1} << 18) / row_bytes;
    const std::size_t wanted = k * (layout == Layout::full ? 192 : 32);
    const std::size_t most = clamp((std::size_t{1} << 22) / row_bytes, 1, 1 << 16);
    return clamp(clamp(wanted, clamp(cached, 1, 4096), most), 1, n);
}

}  // namespace accumulation

template <class T>
void accumulate(const Rows<T>& rows, const std::int32_t* codes, const double* weights,
                std::size_t k, Layout layout, const Moments& out) {
    using namespace accumulation;
    const std::size_t d = rows.d, panels = panels_of(d);
    if (rows.n == 0 || d == 0) return;
    const std::size_t most = rows_at_a_time(rows.n, d * sizeof(T), k, layout);
    SubBlock<T> block(rows, k, most);
    Meeting meeting(d);
    Panels z(layout == Layout::diagonal ? 1 : d);
    for (std::size_t first = 0; first < rows.n; first += most) {
        block.take(first, clamp(rows.n - first, 1, most), codes, weights);
        for (std::size_t c = 0; c < k; ++c) {
            const Group<T> own = block.group(c);
            if (own.size == 0) continue;
            meeting.meet(own, weights != nullptr, out.weight + c, out.anchor + c * d, out.offset + c * d);
            if (layout == Layout::diagonal) {
                sum_squares(own, panels, meeting.anchor(), meeting.mean(), meeting.squares());
                for (std::size_t j = 0; j < d; ++j)
                    out.scatter[c * d + j] += meeting.squares()[j] + meeting.share() * meeting.delta()[j] * meeting.delta()[j];
                continue;
            }
            double* scatter = out.scatter + (layout == Layout::full ? c * d * d : 0);
            z.add(own, meeting.anchor(), meeting.mean(), scatter);
            if (meeting.share() > 0) z.add_row(std::sqrt(meeting.share()), meeting.delta(), scatter);
            if (layout == Layout::full) z.flush(scatter);
        }
    }
    if (layout == Layout::pooled) z.flush(out.scatter);
    if (layout != Layout::diagonal)
        for (std::size_t c = 0; c < (layout == Layout::full ? k : 1); ++c) mirror(out.scatter + c * d * d, d);
}
