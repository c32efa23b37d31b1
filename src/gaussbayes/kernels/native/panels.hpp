// Centred rows Z in panels, and scatter += Z'Z by tiles that stay in the registers.
// Included inside the variant's namespace: it must include nothing itself.

namespace accumulation {

inline Vec<double> widen(const double* from) { return load(from); }
inline Vec<double> widen(const float* from) {
    typedef float Narrow __attribute__((vector_size(vector_bytes / 2)));
    Narrow v;
    std::memcpy(&v, from, sizeof v);
    return __builtin_convertvector(v, Vec<double>);
}

// step(V, column) for all panels: V = 4, 2 or 1 of them at a time, from that column on.
template <class Step>
void for_columns(std::size_t panels, Step step) {
    std::size_t p = 0;
    for (; p + 4 <= panels; p += 4) step(std::integral_constant<std::size_t, 4>{}, p * width);
    if (panels - p >= 2) {
        step(std::integral_constant<std::size_t, 2>{}, p * width);
        p += 2;
    }
    if (p < panels) step(std::integral_constant<std::size_t, 1>{}, p * width);
}

// total += sign * left' right over `count` rows, where left is a panel, and right is V panels that
// lie `stride` apart; meanwhile a cache line is fetched for each row. Neither inlined nor left with
// loops over the sum: all of it must stay in the registers.
template <std::size_t V>
__attribute__((noinline)) void add_product(const double* left, const double* right,
                                           std::size_t stride, std::size_t count, double sign,
                                           const char* ahead, std::size_t line,
                                           double (&total)[width][V * width]) {
    Vec<double> sum[width * V];
#pragma GCC unroll 32
    for (std::size_t t = 0; t < width * V; ++t) sum[t] = Vec<double>{};
    for (std::size_t r = 0; r < count; ++r) {
        __builtin_prefetch(ahead + line * r, 0, 2);
        Vec<double> z[V];
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) z[v] = load(right + v * stride + r * width);
#pragma GCC unroll 32
        for (std::size_t t = 0; t < width * V; ++t) sum[t] += z[t % V] * left[r * width + t / V];
    }
#pragma GCC unroll 32
    for (std::size_t t = 0; t < width * V; ++t) {
        double* const to = total[t / V] + t % V * width;
        store(to, load(to) + sum[t] * sign);
    }
}

// Panel p holds the columns from p * width on, one row after the other. Rows to be added fill the
// panels from the front, rows to be subtracted from the back.
class Panels {
  public:
    explicit Panels(std::size_t d)
        : d_(d),
          panels_(panels_of(d)),
          // The capacity of the second-level cache, but enough rows that the pass over the scatter
          // in each flush takes less time than the product.
          capacity_(clamp((5 << 17) / (panels_ * width * sizeof(double)), 128, 256)),
          // One row apart from a power of two: the panels' rows fall into different cache sets.
          stride_((capacity_ + 1) * width),
          z_(panels_ * stride_) {}

    // Adds sqrt(w) z of each row, z = x - center, and sum of w z_j to sums_j on the way. What will be
    // read next is fetched into the cache while the processor multiplies.
    template <class T>
    void add(const Group<T>& rows, const double* center, double* sums, Span& upcoming,
             double* scatter) {
        for (std::size_t done = 0; done < rows.size;) {
            make_room(upcoming, scatter);
            const std::size_t count = std::min(rows.size - done, capacity_ - added_ - subtracted_);
            pack(rows.row + done, rows.root + done, count, center, sums);
            added_ += count;
            done += count;
        }
    }

    void add(double scale, const double* row, Span& upcoming, double* scatter) {
        make_room(upcoming, scatter);
        put(added_++, scale, row);
    }

    void subtract(double scale, const double* row, Span& upcoming, double* scatter) {
        make_room(upcoming, scatter);
        put(capacity_ - ++subtracted_, scale, row);
    }

    // Z'Z into the scatter (d, d), on and above the diagonal.
    void flush(Span& upcoming, double* scatter) {
        for (std::size_t i = 0; i < panels_; ++i) {
            std::size_t j = i;
            for (; j + 3 <= panels_; j += 3) tile<3>(i, j, upcoming, scatter);
            if (panels_ - j == 2) tile<2>(i, j, upcoming, scatter);
            if (panels_ - j == 1) tile<1>(i, j, upcoming, scatter);
        }
        added_ = subtracted_ = 0;
    }

  private:
    double* at(std::size_t panel, std::size_t row) {
        return z_.data() + panel * stride_ + row * width;
    }

    void make_room(Span& upcoming, double* scatter) {
        if (added_ + subtracted_ == capacity_) flush(upcoming, scatter);
    }

    void put(std::size_t place, double scale, const double* row) {
        for (std::size_t p = 0; p < panels_; ++p)
            store(at(p, place), load(row + p * width) * scale);
    }

    template <class T>
    void pack(const T* const* row, const double* root, std::size_t count, const double* center,
              double* sums) {
        for_columns(panels_, [&](auto V, std::size_t column) {
            // By value: the compiler cannot know that storing into z_ leaves them as they are.
            const T* const* const x = row;
            const double* const w = root;
            const std::size_t stride = stride_, n = count;
            double* const to = at(column / width, added_);
            Vec<double> c[V], sum[V] = {};
            for (std::size_t v = 0; v < V; ++v) c[v] = load(center + column + v * width);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t v = 0; v < V; ++v) {
                    const Vec<double> z = (widen(x[i] + column + v * width) - c[v]) * w[i];
                    store(to + v * stride + i * width, z);
                    sum[v] += z * w[i];
                }
            for (std::size_t v = 0; v < V; ++v) {
                double* const s = sums + column + v * width;
                store(s, load(s) + sum[v]);
            }
        });
    }

    // The rows of the scatter from i * width on, V panels of columns from panel j on. The rows of Z
    // are summed a few at a time, so that fewer rounding errors accumulate.
    template <std::size_t V>
    void tile(std::size_t i, std::size_t j, Span& upcoming, double* scatter) {
        constexpr std::size_t run = 64;
        double total[width][V * width] = {};
        for (std::size_t r = 0; r < added_; r += run)
            multiply<V>(i, j, r, std::min(added_ - r, run), 1.0, upcoming, total);
        if (subtracted_ > 0)
            multiply<V>(i, j, capacity_ - subtracted_, subtracted_, -1.0, upcoming, total);
        const std::size_t height = std::min(d_ - i * width, width);
        const std::size_t columns = std::min(d_ - j * width, V * width);
        for (std::size_t l = 0; l < height; ++l) {
            double* const to = scatter + (i * width + l) * d_ + j * width;
            for (std::size_t c = 0; c < columns; ++c) to[c] += total[l][c];
        }
    }

    template <std::size_t V>
    void multiply(std::size_t i, std::size_t j, std::size_t first, std::size_t count, double sign,
                  Span& upcoming, double (&total)[width][V * width]) {
        // A line of the cache for each row of the tiles on the diagonal: as much as was packed.
        const std::size_t line = i == j && upcoming.begin < upcoming.end ? 64 : 0;
        add_product<V>(at(i, first), at(j, first), stride_, count, sign, upcoming.begin, line,
                       total);
        upcoming.begin += line * count;
    }

    const std::size_t d_, panels_, capacity_, stride_;
    std::size_t added_ = 0, subtracted_ = 0;
    Block<double> z_;
};

}  // namespace accumulation
