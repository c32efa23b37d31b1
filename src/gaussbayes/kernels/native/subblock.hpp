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
// the end of the table: a sub-block that reaches there is copied, as is one whose columns are not
// next to each other.
template <class T>
class SubBlock {
  public:
    SubBlock(const Rows<T>& rows, std::size_t k, std::size_t capacity)
        : rows_(rows),
          k_(k),
          capacity_(capacity),
          padded_(panels_of(rows.d) * width),
          limit_(rows.data + last_row(rows.n) + rows.d),
          end_(k),
          row_(capacity),
          weight_(capacity),
          root_(capacity) {
        for (std::size_t i = 0; i < capacity; ++i) weight_[i] = root_[i] = 1.0;
    }

    void take(std::size_t first, std::size_t count, const std::int32_t* codes,
              const double* weights) {
        const T* from = rows_.data + static_cast<std::ptrdiff_t>(first) * rows_.row_stride;
        std::ptrdiff_t stride = rows_.row_stride;
        const T* next = from + static_cast<std::ptrdiff_t>(count) * stride;
        const bool dense = stride > 0 && stride <= 2 * static_cast<std::ptrdiff_t>(padded_);
        upcoming_ = {};
        if (!readable(from, count)) {
            copy(from, count);
            from = copy_->data();
            stride = static_cast<std::ptrdiff_t>(padded_);
        } else if (dense && next < limit_) {
            const auto reach = std::min(limit_ - next, static_cast<std::ptrdiff_t>(count) * stride);
            upcoming_ = {reinterpret_cast<const char*>(next),
                         reinterpret_cast<const char*>(next + reach)};
        }
        sort(from, stride, count, codes + first, weights ? weights + first : nullptr);
    }

    // The rows of class c that have a weight.
    Group<T> group(std::size_t c) {
        const std::size_t begin = c ? end_[c - 1] : 0;
        return {row_.data() + begin, weight_.data() + begin, root_.data() + begin, end_[c] - begin};
    }

    // Where the next sub-block will be read.
    Span upcoming() const { return upcoming_; }

  private:
    // Where the row at the highest address of some rows begins.
    std::ptrdiff_t last_row(std::size_t count) const {
        return std::max<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(count - 1) * rows_.row_stride);
    }

    bool readable(const T* from, std::size_t count) const {
        return (rows_.column_stride == 1 || rows_.d == 1) &&
               limit_ - (from + last_row(count)) >= static_cast<std::ptrdiff_t>(padded_);
    }

    // Eight columns at a time: where columns are contiguous, each is read front to back.
    void copy(const T* from, std::size_t count) {
        if (!copy_) {
            copy_.reset(new Block<T>(capacity_ * padded_));
            std::memset(copy_->data(), 0, sizeof(T) * capacity_ * padded_);
        }
        for (std::size_t j = 0; j < rows_.d; j += 8) {
            const std::size_t columns = std::min<std::size_t>(rows_.d - j, 8);
            for (std::size_t i = 0; i < count; ++i) {
                const T* x = from + static_cast<std::ptrdiff_t>(i) * rows_.row_stride +
                             static_cast<std::ptrdiff_t>(j) * rows_.column_stride;
                T* to = copy_->data() + i * padded_ + j;
                for (std::size_t l = 0; l < columns; ++l)
                    to[l] = x[static_cast<std::ptrdiff_t>(l) * rows_.column_stride];
            }
        }
    }

    // By counting. Where a class begins moves on to where it ends as its rows are put in place.
    void sort(const T* from, std::ptrdiff_t stride, std::size_t count, const std::int32_t* codes,
              const double* weights) {
        std::memset(end_.data(), 0, sizeof(std::uint32_t) * k_);
        for (std::size_t i = 0; i < count; ++i)
            if (!weights || weights[i] > 0) ++end_[codes[i]];
        std::uint32_t begin = 0;
        for (std::size_t c = 0; c < k_; ++c) begin += std::exchange(end_[c], begin);
        for (std::size_t i = 0; i < count; ++i, from += stride) {
            if (weights && !(weights[i] > 0)) continue;
            const std::uint32_t place = end_[codes[i]]++;
            row_[place] = from;
            if (weights) {
                weight_[place] = weights[i];
                root_[place] = std::sqrt(weights[i]);
            }
        }
    }

    const Rows<T> rows_;
    const std::size_t k_, capacity_, padded_;
    const T* const limit_;
    Span upcoming_;
    std::unique_ptr<Block<T>> copy_;
    Block<std::uint32_t> end_;
    Block<const T*> row_;
    Block<double> weight_, root_;
};

}  // namespace accumulation
