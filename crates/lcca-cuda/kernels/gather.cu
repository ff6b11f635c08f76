// Products of sparse rows with a panel: out[row] = sum of value * panel[column] over the entries of the row.
//
// A panel is row-major; a row is `pitch` units of 16 bytes, of which `units` are wanted. A group of `units`
// threads sums up one segment of a row, each thread its own 16 bytes, so that every read of the panel is one
// whole row. A row of many entries is cut into segments, which `add_segments` adds up in their order: no
// atomics, and the same sums on every run.

template<class T> struct Unit;
template<> struct __align__(16) Unit<double> {
    double a, b;
    __device__ void clear() { a = b = 0.0; }
    __device__ void add(double f, const Unit &v) {
        a = fma(f, v.a, a);
        b = fma(f, v.b, b);
    }
    __device__ void shift(const Unit &o, double f) {
        a = (a - o.a) * f;
        b = (b - o.b) * f;
    }
};
template<> struct __align__(16) Unit<float> {
    float a, b, c, d;
    __device__ void clear() { a = b = c = d = 0.0f; }
    __device__ void add(float f, const Unit &v) {
        a = fmaf(f, v.a, a);
        b = fmaf(f, v.b, b);
        c = fmaf(f, v.c, c);
        d = fmaf(f, v.d, d);
    }
    __device__ void shift(const Unit &o, float f) {
        a = (a - o.a) * f;
        b = (b - o.b) * f;
        c = (c - o.c) * f;
        d = (d - o.d) * f;
    }
};

template<class T> __device__ __forceinline__ Unit<T> load(const Unit<T> *p);
template<> __device__ __forceinline__ Unit<double> load(const Unit<double> *p) {
    double2 v = __ldg(reinterpret_cast<const double2 *>(p));
    Unit<double> u;
    u.a = v.x;
    u.b = v.y;
    return u;
}
template<> __device__ __forceinline__ Unit<float> load(const Unit<float> *p) {
    float4 v = __ldg(reinterpret_cast<const float4 *>(p));
    Unit<float> u;
    u.a = v.x;
    u.b = v.y;
    u.c = v.z;
    u.d = v.w;
    return u;
}

struct Ones {
    __device__ Ones(const void *) {}
    __device__ double operator()(u64) const { return 1.0; }
};
struct Floats {
    const float *values;
    __device__ Floats(const void *p) : values(static_cast<const float *>(p)) {}
    __device__ double operator()(u64 i) const { return __ldg(values + i); }
};
struct Doubles {
    const double *values;
    __device__ Doubles(const void *p) : values(static_cast<const double *>(p)) {}
    __device__ double operator()(u64 i) const { return __ldg(values + i); }
};

// What is done to the sum of a row before it is stored.
template<class T> struct Store {
    Unit<T> *out;          // one row of `units` per row
    const Unit<T> *offset; // subtracted from every row, or null
    const double *weights; // one per row, or null
    int adds;              // whether the sum is added to what is there
    u32 pitch;             // units from one row to the next
    __device__ void operator()(u64 row, u32 unit, Unit<T> sum) const {
        Unit<T> zero;
        zero.clear();
        if (offset || weights) { sum.shift(offset ? offset[unit] : zero, weights ? (T)weights[row] : (T)1); }
        Unit<T> *place = out + row * pitch + unit;
        if (adds) {
            Unit<T> before = *place;
            before.add((T)1, sum);
            sum = before;
        }
        *place = sum;
    }
};

// starts: segments + 1 offsets into the entries. slots: for each segment the row if it is a whole row, or -1
// - slot of `partial`; null if segments are rows.
template<class V, class T>
__device__ __forceinline__ void gather(u64 segments, const u64 *starts, const u64 base, const u32 *columns,
                                       const void *values, const int *slots, const Unit<T> *panel, u32 units,
                                       Unit<T> *partial, Store<T> store) {
    u32 pitch = store.pitch;
    u32 groups = blockDim.x / units;
    u32 group = threadIdx.x / units, unit = threadIdx.x - group * units;
    u64 segment = (u64)blockIdx.x * groups + group;
    if (group >= groups || segment >= segments) return;
    V value(values);
    u64 i = starts[segment] - base, end = starts[segment + 1] - base;
    Unit<T> sum, other;
    sum.clear();
    other.clear();
    const Unit<T> *own = panel + unit;
    for (; i + 4 <= end; i += 4) {
        u32 c0 = __ldg(columns + i), c1 = __ldg(columns + i + 1), c2 = __ldg(columns + i + 2),
            c3 = __ldg(columns + i + 3);
        Unit<T> p0 = load(own + (u64)c0 * pitch), p1 = load(own + (u64)c1 * pitch);
        Unit<T> p2 = load(own + (u64)c2 * pitch), p3 = load(own + (u64)c3 * pitch);
        sum.add((T)value(i), p0);
        other.add((T)value(i + 1), p1);
        sum.add((T)value(i + 2), p2);
        other.add((T)value(i + 3), p3);
    }
    for (; i < end; i++) sum.add((T)value(i), load(own + (u64)__ldg(columns + i) * pitch));
    sum.add((T)1, other);
    int slot = slots ? slots[segment] : 0;
    if (slot < 0) partial[(u64)(-1 - slot) * units + unit] = sum;
    else store(slots ? (u64)slot : segment, unit, sum);
}

#define GATHER(NAME, V, T)                                                                                   \
    extern "C" __global__ void __launch_bounds__(256)                                                        \
        NAME(u64 segments, const u64 *starts, u64 base, const u32 *columns, const void *values,              \
             const int *slots, const void *panel, u32 units, void *partial, void *out, const void *offset,   \
             const double *weights, int adds, u32 pitch) {                                                   \
        Store<T> store = {(Unit<T> *)out, (const Unit<T> *)offset, weights, adds, pitch};                    \
        gather<V, T>(segments, starts, base, columns, values, slots, (const Unit<T> *)panel, units,          \
                     (Unit<T> *)partial, store);                                                             \
    }
GATHER(gather_ones_f64, Ones, double)
GATHER(gather_f32_f64, Floats, double)
GATHER(gather_f64_f64, Doubles, double)
GATHER(gather_ones_f32, Ones, float)
GATHER(gather_f32_f32, Floats, float)
GATHER(gather_f64_f32, Doubles, float)

// Adds up the segments of rows that have several: those of long row r are slots firsts[r] to firsts[r + 1].
template<class T>
__device__ void add_segments(u32 rows, const u32 *numbers, const u32 *firsts, const Unit<T> *partial,
                             u32 units, Store<T> store) {
    u32 groups = blockDim.x / units;
    u32 group = threadIdx.x / units, unit = threadIdx.x - group * units;
    u32 row = blockIdx.x * groups + group;
    if (group >= groups || row >= rows) return;
    Unit<T> sum;
    sum.clear();
    for (u32 slot = firsts[row]; slot < firsts[row + 1]; slot++)
        sum.add((T)1, partial[(u64)slot * units + unit]);
    store(numbers[row], unit, sum);
}
#define ADD_SEGMENTS(NAME, T)                                                                                \
    extern "C" __global__ void NAME(u32 rows, const u32 *numbers, const u32 *firsts, const void *partial,    \
                                    u32 units, void *out, const void *offset, const double *weights,         \
                                    int adds, u32 pitch) {                                                   \
        Store<T> store = {(Unit<T> *)out, (const Unit<T> *)offset, weights, adds, pitch};                    \
        add_segments<T>(rows, numbers, firsts, (const Unit<T> *)partial, units, store);                      \
    }
ADD_SEGMENTS(add_segments_f64, double)
ADD_SEGMENTS(add_segments_f32, float)
