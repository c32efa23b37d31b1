// Vectors as wide as the instruction set has them, by the compilers' vector extensions.
// Included inside the variant's namespace: it must include nothing itself.

#define ALWAYS_INLINE inline __attribute__((always_inline))

#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t vector_bytes = 32;
#else
constexpr std::size_t vector_bytes = 16;
#endif

template <class T>
struct Simd;
template <>
struct Simd<double> {
    typedef double vec __attribute__((vector_size(vector_bytes)));
    typedef std::int64_t mask __attribute__((vector_size(vector_bytes)));
    static constexpr std::size_t lanes = vector_bytes / sizeof(double);
};
template <>
struct Simd<float> {
    typedef float vec __attribute__((vector_size(vector_bytes)));
    typedef std::int32_t mask __attribute__((vector_size(vector_bytes)));
    static constexpr std::size_t lanes = vector_bytes / sizeof(float);
};

template <class T>
using Vec = typename Simd<T>::vec;
template <class T>
using Mask = typename Simd<T>::mask;
template <class T>
constexpr std::size_t lanes = Simd<T>::lanes;

// Any alignment: memcpy of one vector is one unaligned move.
template <class T>
inline Vec<T> load(const T* from) {
    Vec<T> v;
    std::memcpy(&v, from, sizeof v);
    return v;
}
template <class T>
inline void store(T* to, Vec<T> v) {
    std::memcpy(to, &v, sizeof v);
}
template <class T>
inline Vec<T> broadcast(T x) {
    return x - Vec<T>{};
}

// Memory for blocks, aligned to a cache line, freed with its owner.
template <class T>
class Block {
  public:
    explicit Block(std::size_t count)
        : data_(static_cast<T*>(::operator new(sizeof(T) * (count ? count : 1), std::align_val_t{64}))) {}
    ~Block() { ::operator delete(data_, std::align_val_t{64}); }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    T* data() { return data_; }
    T& operator[](std::size_t i) { return data_[i]; }

  private:
    T* data_;
};
