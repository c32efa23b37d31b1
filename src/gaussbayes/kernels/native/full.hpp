// Log joints of quadratic forms with full whiteners, without work that cannot change the answer.
// Included inside the variant's namespace: it must include nothing itself.
//
// A sum of squares only grows, also in floating point, so a class's log joint only falls while its
// coordinates are added. Once it is low enough for every row of a tile it is minus infinity:
// - for labels, when it is below that of another class;
// - for posteriors, when it is so far below that its exponential rounds to 0;
// - for logarithms never.
// A bias is added before the comparison: rounding preserves order, so the sum only falls, too.

// The difference below another log joint at which one has no effect. The exponential of less than
// -745.13, in single precision -103.97, is 0 (see exponential.hpp). The margin is for the rounding
// of the difference: up to 1/2 if neighbouring numbers differ by 1; if they differ by more, a
// smaller number is smaller by a whole step.
template <class T>
inline T prune_margin(Task task) {
    return task == Task::label ? T(0) : sizeof(T) == sizeof(double) ? T(746) : T(104.5);
}

template <class T, bool with_bias>
class FullScorer {
  public:
    static constexpr bool takes_nan = false;
    static constexpr bool biased = with_bias;

    FullScorer(const Quadratic<T>& form, Task task, bool prune, std::size_t tiles)
        : form_(form),
          margin_(prune_margin<T>(task)),
          groups_(form, prune && (task == Task::label || task == Task::posterior)),
          centred_(form.d * tile_rows<T>),
          limit_(tiles * tile_rows<T>) {}

    // Groups of rows, and the best order of scoring within a group; false keeps the original order.
    const T* log_constant() const { return form_.log_constant; }
    std::size_t next_group(const Rows<T>& rows) { return groups_.next_group(rows); }
    bool order(const Rows<T>& group, const Rows<T>& bias, std::uint32_t* row) {
        if (groups_.grouped()) groups_.order(group, bias, row);
        return groups_.grouped();
    }

    // Log joints (tiles, k, tile_rows) of rows; where they go the bias is.
    void score(const Rows<T>& rows, const Selection& selection, const T* center, T* tile,
               T* log_joint) {
        fill_tiles(rows, selection, center, tile);
        const std::size_t count = selection.tiles * tile_rows<T>;
        std::fill(limit_.data(), limit_.data() + count, -std::numeric_limits<T>::infinity());
        groups_.find_likely(selection);
        // The likely classes of each tile first: they set the limit that the others fall below. One
        // class for all tiles, then the next, so that its whitener stays in the cache.
        for (const bool likely : {true, false})
            for (std::size_t c = 0; c < form_.k; ++c)
                for (std::size_t t = 0; t < selection.tiles; ++t)
                    if (groups_.is_likely(t, c) == likely)
                        score_tile(c, tile + t * form_.d * tile_rows<T>, &limit_[t * tile_rows<T>],
                                   log_joint + (t * form_.k + c) * tile_rows<T>);
    }

  private:
    // The log joints of one class for one tile; values below `limit` have no effect.
    void score_tile(std::size_t c, const T* tile, T* limit, T* log_joint) {
        const Whitening<T> whitening = whitening_of(form_, c);
        const T log_constant = form_.log_constant[c];
        Lanes<T> square = {};
        for (std::size_t row = 0; row < form_.d;) {
            // With a bias also before the first panel: it may be enough.
            if (biased && row == 0 && groups_.grouped() &&
                every_below(log_constant, square, limit, log_joint))
                return leave_out(0, log_joint);
            row = add_next_panel(whitening, form_.d, row, tile, centred_.data(), square);
            if (groups_.grouped() && every_below(log_constant, square, limit, log_joint))
                return leave_out(row, log_joint);
        }
        groups_.count_work(form_.d);
        Lanes<T> highest = load_lanes(limit);
        for (std::size_t v = 0; v < tile_vectors; ++v) {
            square.part[v] = quadratic_log_joint<T>(log_constant, square.part[v]);
            if constexpr (biased) square.part[v] += load(log_joint + v * lanes<T>);
            const Vec<T> own = square.part[v] - margin_;
            highest.part[v] = own > highest.part[v] ? own : highest.part[v];
        }
        store_lanes(log_joint, square);
        store_lanes(limit, highest);
    }

    void leave_out(std::size_t rows_done, T* log_joint) {
        std::fill(log_joint, log_joint + tile_rows<T>, -std::numeric_limits<T>::infinity());
        groups_.count_work(rows_done);
    }

    static bool every_below(T log_constant, const Lanes<T>& square, const T* limit, const T* bias) {
        const Lanes<T> lowest = load_lanes(limit);
        Mask<T> below = ~Mask<T>{};
        for (std::size_t v = 0; v < tile_vectors; ++v) {
            Vec<T> highest = log_constant - square.part[v] * T(0.5);
            if constexpr (biased) highest += load(bias + v * lanes<T>);
            below &= highest < lowest.part[v];
        }
        return every_lane<T>(below);
    }

    const Quadratic<T>& form_;
    const T margin_;
    Groups<T, biased> groups_;
    Block<T> centred_, limit_;
};
