// Rows grouped by a guess of their class, so that a whole tile can skip the other classes.
// Included inside the variant's namespace: it must include nothing itself.
//
// The guess is the most likely class by the first quarter of the features. Because a whitener is
// lower triangular, its first rows are the whitener of those features: the guess costs a few per
// cent of a score. If it does not save a tenth of the work, grouping is suspended for a while. It
// changes the order of computations, never a result. The guess includes the bias.

// The most rows that are grouped together.
constexpr std::size_t largest_group = 4096;

template <class T, bool biased>
class Groups {
  public:
    Groups(const Quadratic<T>& form, bool prune)
        : form_(form),
          leading_(leading_features(form.d)),
          able_(prune && form.k > 1 && form.d >= fewest_features),
          tile_(able_ ? loaded_features() * tile_rows<T> : 0),
          centred_(able_ ? loaded_features() * tile_rows<T> : 0),
          bias_(able_ && biased ? form.k * (tile_rows<T> + 1) : 0) {
        if (!able_) return;
        if constexpr (biased) std::fill(bias_zeros(), bias_zeros() + form.k, T(0));
        start_.resize(form.k + 1);
        constant_.resize(form.k);
        for (std::size_t c = 0; c < form.k; ++c) constant_[c] = marginal_constant(c);
    }

    // With fewer features, a class costs too little for a guess to save time.
    static constexpr std::size_t fewest_features = 24;

    // Whether the current rows are grouped; otherwise pruning saves nothing.
    bool grouped() const { return grouped_; }

    // How many rows to group next: few for a trial, more after a success.
    std::size_t next_group(const Rows<T>& rows) {
        const bool paid = done_ < possible_ - possible_ / 10;
        if (grouped_ && !paid) pause_ = 15;
        done_ = possible_ = 0;
        grouped_ = able_ && pause_ == 0;
        if (pause_ > 0) --pause_;
        if (!grouped_) return largest_group;
        if (!paid) return largest_group / 4;
        // If columns are contiguous, gathering the rows of a guess touches the whole group, which
        // should fit in the second-level cache.
        const std::size_t fitting = (std::size_t{1} << 20) / (sizeof(T) * form_.d);
        return column_major(rows) ? std::min(std::max(fitting, largest_group / 8), largest_group)
                                  : largest_group;
    }

    // Writes the numbers of the group's rows, those with the same guess together.
    void order(const Rows<T>& group, const Rows<T>& bias, std::uint32_t* row) {
        guess_.resize(group.n);
        guess(group, bias, row);
        std::fill(start_.begin(), start_.end(), 0);
        for (std::size_t r = 0; r < group.n; ++r) ++start_[guess_[r] + 1];
        for (std::size_t c = 0; c < form_.k; ++c) start_[c + 1] += start_[c];
        for (std::size_t r = 0; r < group.n; ++r)
            row[start_[guess_[r]]++] = static_cast<std::uint32_t>(r);
    }

    // Notes which classes were guessed for a row of each tile; without guesses all count as likely.
    void find_likely(const Selection& selection) {
        likely_.assign(selection.tiles * form_.k, !grouped_);
        if (!grouped_) return;
        for (std::size_t r = 0; r < selection.tiles * tile_rows<T>; ++r)
            likely_[r / tile_rows<T> * form_.k + guess_[selection.row[r]]] = true;
    }
    bool is_likely(std::size_t tile, std::size_t c) const { return likely_[tile * form_.k + c]; }

    // The first `rows` rows of a class's triangle have been worked through for a tile.
    void count_work(std::size_t rows) {
        done_ += panel_start(rows);
        possible_ += panel_start(form_.d);
    }

  private:
    // Whole panels, a quarter of the features: a sixteenth of the work of a score. One wrong guess
    // prevents skipping a class for a whole tile, so the guess must nearly always be right.
    static std::size_t leading_features(std::size_t d) {
        std::size_t rows = first_panel_height(d);
        while ((rows < 5 || 4 * rows < d) && rows < d) rows += panel_height;
        return rows;
    }
    // Whole vectors of features are faster to transpose than a few.
    std::size_t loaded_features() const { return std::max(leading_, lanes<T>); }

    // Log constant of the density of the leading features: that of all minus the others' scale.
    T marginal_constant(std::size_t c) const {
        const T* packed = whitening_of(form_, c).packed;
        T constant = form_.log_constant[c];
        for (std::size_t row = leading_; row < form_.d; row += panel_height) {
            const T* diagonal = packed + panel_start(row) + row * panel_height;
            for (std::size_t i = 0; i < panel_height; diagonal += panel_height - i++)
                constant -= std::log(*diagonal);
        }
        return constant;
    }

    // The numbers that are subtracted from a bias, after the bias of a tile.
    T* bias_zeros() { return bias_.data() + form_.k * tile_rows<T>; }

    void guess(const Rows<T>& group, const Rows<T>& bias, std::uint32_t* row) {
        const Rows<T> leading{group.data, group.row_stride, group.column_stride, group.n,
                              loaded_features()};
        for (std::size_t first = 0; first < group.n; first += tile_rows<T>) {
            const std::size_t count = std::min(group.n - first, tile_rows<T>);
            for (std::size_t r = 0; r < tile_rows<T>; ++r)
                row[r] = static_cast<std::uint32_t>(first + std::min(r, count - 1));
            const Selection selection{row, 1, count / tile_rows<T>};
            fill_tiles(leading, selection, form_.center, tile_.data());
            if constexpr (biased) fill_tiles(bias, selection, bias_zeros(), bias_.data());
            guess_tile(tile_.data(), centred_.data(), count, &guess_[first]);
        }
    }

    void guess_tile(const T* tile, T* centred, std::size_t count, std::uint32_t* guess) {
        Lanes<T> best;
        Mask<T> label[tile_vectors] = {};
        for (Vec<T>& part : best.part) part = broadcast(-std::numeric_limits<T>::infinity());
        for (std::size_t c = 0; c < form_.k; ++c) {
            Lanes<T> square = {};
            for (std::size_t row = 0; row < leading_;)
                row = add_next_panel(whitening_of(form_, c), form_.d, row, tile, centred, square);
            const Mask<T> number = Mask<T>{} + static_cast<std::int32_t>(c);
            for (std::size_t v = 0; v < tile_vectors; ++v) {
                Vec<T> x = constant_[c] - square.part[v] * T(0.5);
                if constexpr (biased)
                    x += load(bias_.data() + c * tile_rows<T> + v * lanes<T>);
                const Mask<T> higher = x > best.part[v];
                best.part[v] = higher ? x : best.part[v];
                label[v] = higher ? number : label[v];
            }
        }
        for (std::size_t r = 0; r < count; ++r)
            guess[r] = static_cast<std::uint32_t>(label[r / lanes<T>][r % lanes<T>]);
    }

    const Quadratic<T>& form_;
    const std::size_t leading_;
    const bool able_;
    bool grouped_ = false;
    std::size_t done_ = 0, possible_ = 0, pause_ = 0;
    std::vector<std::uint32_t> guess_, start_;
    std::vector<T> constant_;
    std::vector<char> likely_;
    Block<T> tile_, centred_;
    Block<T> bias_;  // (k, tile_rows), then (k) zeros
};
