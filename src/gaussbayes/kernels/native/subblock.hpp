// A sub-block of rows, sorted by class, for accumulate.
// Included inside the variant's namespace: it must include nothing itself.

namespace accumulation {

// Columns are taken in panels, one vector of doubles wide.
constexpr std::size_t width = lanes<double>;

inline std::size_t panels_of(std::size_t d) { return (d + width - 1) / width; }

inline std::size_t clamp(std::size_t x, std::size_t low, std::size_t high) {
    return x < low ? low : x > high ? high : x;
}

// The rows of one class in a sub-block. Each can be read in whole panels.
template <class T>
struct Group {
    const T* const* row;
    const double* weight;
    const double* root;  // square roots of the weights
    std::size_t size;
};

// Some of the table's memory.
struct Span {
    const char* begin = nullptr;
    const char* end = nullptr;
};

// Reading a row in whole panels also reads the following memory. These are other rows, except at
// the end of the table: rows that reach there are copied, as are those whose columns are not
// contiguous or are separate arrays.
template <class T>
class SubBlock {
  public:
    SubBlock(const Rows<T>& rows, std::size_t k, std::size_t capacity)
        : rows_(rows),
          k_(k),
          padded_(panels_of(rows.d) * width),
          limit_(rows.data + rows.d +
                 std::max(std::ptrdiff_t{0},
                          static_cast<std::ptrdiff_t>(rows.n - 1) * rows.row_stride)),
          size_(k),
          end_(parts * k),
          row_(capacity),
          weight_(capacity),
          root_(capacity) {
        for (std::size_t i = 0; i < capacity; ++i) weight_[i] = root_[i] = 1.0;
    }

    // How many rows each class has among `count` from the first on.
    void count(std::size_t first, std::size_t count, const std::int32_t* codes,
               const double* weights) {
        find_places(count, codes + first, weights ? weights + first : nullptr);
    }
    std::size_t size(std::size_t c) { return size_[c]; }

    // The contiguous rows, and the distance between them.
    std::pair<const T*, std::ptrdiff_t> unsorted(std::size_t first, std::size_t count) {
        if (!rows_.apart && (rows_.column_stride == 1 || rows_.d == 1))
            return {rows_.data + static_cast<std::ptrdiff_t>(first) * rows_.row_stride,
                    rows_.row_stride};
        copy(first, count);
        return {copy_->data(), static_cast<std::ptrdiff_t>(padded_)};
    }

    // Gathers the rows of each class, after they were counted. With `touch` they are first read in
    // order, for which the processor's prefetching is fastest.
    void sort(std::size_t first, std::size_t count, const std::int32_t* codes,
              const double* weights, bool touch) {
        codes += first;
        if (weights) weights += first;
        const std::ptrdiff_t stride = rows_.row_stride;
        const T* const from = rows_.data + static_cast<std::ptrdiff_t>(first) * stride;
        const std::size_t direct = readable(from, count);
        upcoming_ = {};
        if (direct < count) copy(first + direct, count - direct);
        place(from, direct, count, codes, weights);
        if (direct == 0 || stride <= 0 || stride > 2 * static_cast<std::ptrdiff_t>(padded_)) return;
        const std::ptrdiff_t reach = static_cast<std::ptrdiff_t>(direct) * stride;
        if (touch) {
            const auto* const bytes = reinterpret_cast<const volatile char*>(from);
            const std::size_t end = sizeof(T) * static_cast<std::size_t>(reach - stride + 1);
            for (std::size_t line = 0; line < end; line += 64) static_cast<void>(bytes[line]);
        } else if (direct == count) {
            const T* const next = from + reach;
            upcoming_ = {reinterpret_cast<const char*>(next),
                         reinterpret_cast<const char*>(next + std::min(reach, limit_ - next))};
        }
    }

    // The rows of class c that have a weight.
    Group<T> group(std::size_t c) {
        const std::size_t begin = c ? end_[c * parts - 1] : 0, end = end_[c * parts + parts - 1];
        return {row_.data() + begin, weight_.data() + begin, root_.data() + begin, end - begin};
    }

    // The position of the next sub-block.
    Span upcoming() const { return upcoming_; }

  private:
    // How many of the rows, from the first on, can be read in whole panels in place.
    std::size_t readable(const T* from, std::size_t count) const {
        if (rows_.apart || (rows_.column_stride != 1 && rows_.d > 1)) return 0;
        const std::ptrdiff_t room = limit_ - from - static_cast<std::ptrdiff_t>(padded_);
        if (room < 0) return 0;
        if (rows_.row_stride <= 0) return count;
        return std::min(count, static_cast<std::size_t>(room / rows_.row_stride) + 1);
    }

    // Eight columns at a time: where columns are contiguous, each is read front to back.
    void copy(std::size_t first, std::size_t count) {
        if (copied_ < count) {
            copy_.reset(new Block<T>(count * padded_));
            std::memset(copy_->data(), 0, sizeof(T) * count * padded_);
            copied_ = count;
        }
        constexpr std::size_t most = 8;
        for (std::size_t j = 0; j < rows_.d; j += most) {
            const std::size_t columns = std::min(rows_.d - j, most);
            const T* column[most];
            for (std::size_t l = 0; l < columns; ++l) column[l] = column_from(first, j + l);
            T* to = copy_->data() + j;
            for (std::size_t i = 0; i < count; ++i, to += padded_)
                for (std::size_t l = 0; l < columns; ++l)
                    to[l] = column[l][static_cast<std::ptrdiff_t>(i) * rows_.row_stride];
        }
    }

    const T* column_from(std::size_t first, std::size_t j) const {
        const T* const column =
            rows_.apart ? rows_.apart[j]
                        : rows_.data + static_cast<std::ptrdiff_t>(j) * rows_.column_stride;
        return column + static_cast<std::ptrdiff_t>(first) * rows_.row_stride;
    }

    // Calls step(i, p) for the rows of all parts p, each in its order. A part counts and places its
    // rows without waiting for the numbers that another has just written.
    template <class Step>
    static void for_parts(std::size_t count, bool together, Step step) {
        const std::size_t size = (count + parts - 1) / parts, before = (parts - 1) * size;
        const std::size_t common = together && count > before ? count - before : 0;
        for (std::size_t i = 0; i < common; ++i)
#pragma GCC unroll 4
            for (std::size_t p = 0; p < parts; ++p) step(p * size + i, p);
        for (std::size_t p = 0; p < parts; ++p)
            for (std::size_t i = p * size + common; i < std::min(count, (p + 1) * size); ++i)
                step(i, p);
    }

    // The starts of the rows of each class and part, by counting.
    void find_places(std::size_t count, const std::int32_t* codes, const double* weights) {
        std::uint32_t* const end = end_.data();
        std::memset(end, 0, sizeof(std::uint32_t) * parts * k_);
        for_parts(count, true, [=](std::size_t i, std::size_t p) {
            if (!weights || weights[i] > 0) ++end[codes[i] * parts + p];
        });
        std::uint32_t begin = 0;
        for (std::size_t c = 0; c < k_; ++c) {
            const std::uint32_t before = begin;
            for (std::size_t p = 0; p < parts; ++p)
                begin += std::exchange(end[c * parts + p], begin);
            size_[c] = begin - before;
        }
    }

    // The start of a class advances to its end as its rows are placed: the first ones, `direct`,
    // stay in the table, the others are in the copy.
    void place(const T* from, std::size_t direct, std::size_t count, const std::int32_t* codes,
               const double* weights) {
        std::uint32_t* const end = end_.data();
        const T** const row = row_.data();
        double *const weight = weight_.data(), *const root = root_.data();
        const std::ptrdiff_t stride = rows_.row_stride;
        const auto put = [=](std::size_t i, std::size_t p, const T* x) {
            if (weights && !(weights[i] > 0)) return;
            const std::uint32_t at = end[codes[i] * parts + p]++;
            row[at] = x;
            if (weights) {
                weight[at] = weights[i];
                root[at] = std::sqrt(weights[i]);
            }
        };
        if (direct == count)
            return for_parts(count, true, [=](std::size_t i, std::size_t p) {
                put(i, p, from + static_cast<std::ptrdiff_t>(i) * stride);
            });
        const T* const copy = copy_->data();
        for_parts(count, false, [=, this](std::size_t i, std::size_t p) {
            put(i, p, i < direct ? from + static_cast<std::ptrdiff_t>(i) * stride
                                 : copy + (i - direct) * padded_);
        });
    }

    static constexpr std::size_t parts = 4;
    const Rows<T> rows_;
    const std::size_t k_, padded_;
    const T* const limit_;  // where the memory of the table ends
    Span upcoming_;
    std::size_t copied_ = 0;  // rows there is room for in the copy
    std::unique_ptr<Block<T>> copy_;
    Block<std::uint32_t> size_;  // of each class
    Block<std::uint32_t> end_;  // of each class, of each part
    Block<const T*> row_;
    Block<double> weight_, root_;
};

}  // namespace accumulation
