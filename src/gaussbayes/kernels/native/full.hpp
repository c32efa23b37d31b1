// Log joints of quadratic forms with full whiteners, leaving out work that cannot change the answer.
// Included inside the variant's namespace: it must include nothing itself.
//
// A sum of squares only grows, also in floating point, so a class's log joint only falls while its
// coordinates are added. Once it is low enough for every row of a tile it is taken as minus infinity:
// - for labels, when it is below another class's;
// - for posteriors, when it is so far below that its exponential rounds to 0 (see exponential.hpp);
// - for logarithms never.

// How far below the best a log joint must be to count for nothing.
template <class T>
inline T prune_margin(Task task) {
    return task == Task::label ? T(0) : sizeof(T) == sizeof(double) ? T(746) : T(104);
}

template <class T>
class FullScorer {
  public:
    FullScorer(const Quadratic<T>& form, Task task, bool prune, std::size_t tiles)
        : form_(form),
          margin_(prune_margin<T>(task)),
          groups_(form, prune && (task == Task::label || task == Task::posterior)),
          centred_((one_stretch(form.d) ? 1 : tiles) * form.d * tile_rows<T>),
          square_(tiles * tile_rows<T>),
          limit_(tiles * tile_rows<T>),
          active_(tiles) {}

    // The order in which the rows of a group are best scored; whether it differs from their own.
    bool order(const Rows<T>& group, std::uint32_t* row) { return groups_.order(group, row); }

    // Log joints (tiles, k, tile_rows) of tiles (tiles, d, tile_rows).
    void score(const Selection& selection, const T* tile, T* log_joint) {
        const std::size_t count = selection.tiles * tile_rows<T>;
        std::fill(limit_.data(), limit_.data() + count, -std::numeric_limits<T>::infinity());
        groups_.find_likely(selection);
        // The likely classes of each tile first: they set the limit that the others fall below.
        for (const bool likely : {true, false}) {
            for (std::size_t c = 0; c < form_.k; ++c) {
                active_count_ = 0;
                for (std::size_t t = 0; t < selection.tiles; ++t)
                    if (groups_.is_likely(t, c) == likely) active_[active_count_++] = t;
                score_class(c, tile, log_joint);
            }
        }
    }

  private:
    // Panels that stay in the first-level cache while the tiles of a block pass by.
    static constexpr std::size_t stretch_bytes = std::size_t{1} << 16;
    static bool one_stretch(std::size_t d) { return panel_start(d) * sizeof(T) <= stretch_bytes; }

    std::size_t stretch_end(std::size_t row) const {
        const std::size_t start = panel_start(row);
        std::size_t end = row == 0 ? first_panel_height(form_.d) : row + panel_height;
        while (end < form_.d && (panel_start(end) - start) * sizeof(T) < stretch_bytes)
            end += panel_height;
        return std::min(end, form_.d);
    }

    // The log joints of one class for the active tiles.
    void score_class(std::size_t c, const T* tile, T* log_joint) {
        const std::size_t size = form_.d * tile_rows<T>;
        const Whitening<T> whitening = whitening_of(form_, c);
        for (std::size_t a = 0; a < active_count_; ++a)
            store_lanes(&square_[active_[a] * tile_rows<T>], Lanes<T>{});
        for (std::size_t row = 0, end; row < form_.d && active_count_ > 0; row = end) {
            end = stretch_end(row);
            std::size_t kept = 0;
            for (std::size_t a = 0; a < active_count_; ++a) {
                const std::size_t t = active_[a];
                T* centred = &centred_[one_stretch(form_.d) ? 0 : t * size];
                if (advance(whitening, row, end, c, t, tile + t * size, centred))
                    active_[kept++] = t;
                else
                    drop(log_joint + (t * form_.k + c) * tile_rows<T>);
            }
            active_count_ = kept;
        }
        for (std::size_t a = 0; a < active_count_; ++a)
            complete(c, active_[a], log_joint + (active_[a] * form_.k + c) * tile_rows<T>);
    }

    // Adds the coordinates from `row` to `end` of a tile; false when the class can be left out.
    bool advance(const Whitening<T>& whitening, std::size_t row, std::size_t end, std::size_t c,
                 std::size_t t, const T* tile, T* centred) {
        Lanes<T> square = load_lanes(&square_[t * tile_rows<T>]);
        while (row < end) {
            row = add_next_panel(whitening, form_.d, row, tile, centred, square);
            if (groups_.prunes() && below_limit(c, t, square)) {
                groups_.count_work(row);
                return false;
            }
        }
        store_lanes(&square_[t * tile_rows<T>], square);
        return true;
    }

    bool below_limit(std::size_t c, std::size_t t, const Lanes<T>& square) {
        const Lanes<T> limit = load_lanes(&limit_[t * tile_rows<T>]);
        Mask<T> below = ~Mask<T>{};
        for (std::size_t v = 0; v < tile_vectors; ++v)
            below &= form_.log_constant[c] - square.part[v] * T(0.5) < limit.part[v];
        return every_lane<T>(below);
    }

    void drop(T* log_joint) {
        std::fill(log_joint, log_joint + tile_rows<T>, -std::numeric_limits<T>::infinity());
    }

    void complete(std::size_t c, std::size_t t, T* log_joint) {
        Lanes<T> x = load_lanes(&square_[t * tile_rows<T>]);
        Lanes<T> limit = load_lanes(&limit_[t * tile_rows<T>]);
        for (std::size_t v = 0; v < tile_vectors; ++v) {
            x.part[v] = quadratic_log_joint<T>(form_.log_constant[c], x.part[v]);
            const Vec<T> own = x.part[v] - margin_;
            limit.part[v] = own > limit.part[v] ? own : limit.part[v];
        }
        store_lanes(log_joint, x);
        store_lanes(&limit_[t * tile_rows<T>], limit);
        groups_.count_work(form_.d);
    }

    const Quadratic<T>& form_;
    const T margin_;
    Groups<T> groups_;
    Block<T> centred_, square_, limit_;
    Block<std::size_t> active_;
    std::size_t active_count_ = 0;
};
