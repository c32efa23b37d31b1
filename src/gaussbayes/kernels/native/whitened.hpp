// Log joints of classes that share a full whitener: a row is whitened once, d^2 / 2 multiplications,
// and then compared with the whitened mean of each class, d of them.
// Included inside the variant's namespace: it must include nothing itself.

// log_constant_c - 1/2 sum_j (u_j - mean_cj)^2
template <class T>
struct WhitenedTerm {
    static constexpr bool takes_nan = false;
    const Whitened<T> form;

    Vec<T> add(std::size_t c, std::size_t j, Vec<T> u, Vec<T> sum) const {
        const Vec<T> apart = u - form.mean[c * form.d + j];
        return sum + apart * apart;
    }
    Vec<T> log_joint(std::size_t c, Vec<T> sum) const {
        return quadratic_log_joint<T>(form.log_constant[c], sum);
    }
};

template <class T, bool with_bias>
class WhitenedScorer {
  public:
    static constexpr bool takes_nan = false;
    static constexpr bool biased = with_bias;

    explicit WhitenedScorer(const Whitened<T>& form)
        : term_{form},
          sums_(form.k * side_by_side<T> * lanes<T>),
          centred_(form.d * tile_rows<T>) {}

    const T* log_constant() const { return term_.form.log_constant; }
    std::size_t next_group(const Rows<T>&) const { return largest_group; }
    bool order(const Rows<T>&, const Rows<T>&, std::uint32_t*) const { return false; }

    // Log joints (tiles, k, tile_rows) of rows; where they go the bias is.
    void score(const Rows<T>& rows, const Selection& selection, const T* center, T* tiles,
               T* log_joint) {
        fill_tiles(rows, selection, center, tiles);
        const Whitened<T>& form = term_.form;
        const Whitening<T> whitening{form.whitener, nullptr, nullptr};
        for (std::size_t t = 0; t < selection.tiles; ++t) {
            T* const tile = tiles + t * form.d * tile_rows<T>;
            // In place: the rows of a panel are read before they are written, and never again.
            for (std::size_t row = 0; row < form.d;)
                row = take_next_panel(whitening, form.d, row, tile, centred_.data(), Store<T>{tile});
            score_featurewise<biased>(term_, TileSquares<T>{tile, form.d}, 1, sums_.data(),
                                      log_joint + t * form.k * tile_rows<T>);
        }
    }

  private:
    const WhitenedTerm<T> term_;
    Block<T> sums_, centred_;
};
