// A sub-block of rows, sorted by class: what accumulate works through.
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

// Reading a row in whole panels takes in what follows it in memory. That is other rows, except at
// the end of the table: rows that reach there are copied, as are those whose columns are not next
// to each other or not even in one piece.
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
          end_(k),
          row_(capacity),
          weight_(capacity),
          root_(capacity) {
        for (std::size_t i = 0; i < capacity; ++i) weight_[i] = root_[i] = 1.0;
    }

    void take(std::size_t first, std::size_t count, const std::int32_t* codes,
              const double* weights) {
        codes += first;
        if (weights) weights += first;
        const std::ptrdiff_t stride = rows_.row_stride;
        const T* const from = rows_.data + static_cast<std::ptrdiff_t>(first) * stride;
        const std::size_t direct = readable(from, count);
        find_places(count, codes, weights);
        place(from, stride, 0, direct, codes, weights);
        upcoming_ = {};
        if (direct < count) {
            copy(first + direct, count - direct);
            place(copy_->data(), static_cast<std::ptrdiff_t>(padded_), direct, count, codes,
                  weights);
        } else if (stride > 0 && stride <= 2 * static_cast<std::ptrdiff_t>(padded_)) {
            const T* const next = from + static_cast<std::ptrdiff_t>(count) * stride;
            const std::ptrdiff_t reach = static_cast<std::ptrdiff_t>(count) * stride;
            upcoming_ = {reinterpret_cast<const char*>(next),
                         reinterpret_cast<const char*>(next + std::min(reach, limit_ - next))};
        }
    }

    // The rows of class c that have a weight.
    Group<T> group(std::size_t c) {
        const std::size_t begin = c ? end_[c - 1] : 0;
        return {row_.data() + begin, weight_.data() + begin, root_.data() + begin, end_[c] - begin};
    }

    // Where the next sub-block will be read.
    Span upcoming() const { return upcoming_; }

  private:
    // How many of the rows, from the first on, can be read in whole panels where they are.
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

    // Where the rows of each class will begin, by counting.
    void find_places(std::size_t count, const std::int32_t* codes, const double* weights) {
        std::memset(end_.data(), 0, sizeof(std::uint32_t) * k_);
        for (std::size_t i = 0; i < count; ++i)
            if (!weights || weights[i] > 0) ++end_[codes[i]];
        std::uint32_t begin = 0;
        for (std::size_t c = 0; c < k_; ++c) begin += std::exchange(end_[c], begin);
    }

    // Where a class begins moves on to where it ends as its rows are put in place.
    void place(const T* row, std::ptrdiff_t stride, std::size_t begin, std::size_t end,
               const std::int32_t* codes, const double* weights) {
        for (std::size_t i = begin; i < end; ++i, row += stride) {
            if (weights && !(weights[i] > 0)) continue;
            const std::uint32_t at = end_[codes[i]]++;
            row_[at] = row;
            if (weights) {
                weight_[at] = weights[i];
                root_[at] = std::sqrt(weights[i]);
            }
        }
    }

    const Rows<T> rows_;
    const std::size_t k_, padded_;
    const T* const limit_;  // where the memory of the table ends
    Span upcoming_;
    std::size_t copied_ = 0;  // rows there is room for in the copy
    std::unique_ptr<Block<T>> copy_;
    Block<std::uint32_t> end_;
    Block<const T*> row_;
    Block<double> weight_, root_;
};

}  // namespace accumulation
