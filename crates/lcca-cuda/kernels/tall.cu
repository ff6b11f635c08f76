// Products of tall panels with small matrices and with each other. Warps read panels straight into registers,
// in the order in which tensor cores take numbers, and need neither shared memory nor each other. Panels are
// row-major with strides of whole multiples of 8 numbers.

// Blocks of four warps that a multiprocessor is to run at the same time. Without tensor cores a thread needs
// more registers.
#if __CUDA_ARCH__ >= 800
#define MANY 3
#else
#define MANY 2
#endif

// Sums of products that a warp forms: 32 x 8N numbers. `group` is a thread's place in 8, `own` its place
// in 4.
template<u32 N> struct Sums {
    double sums[4][N][2];

    static __device__ u32 group() { return threadIdx.x % 32 / 4; }
    static __device__ u32 own() { return threadIdx.x % 4; }

    __device__ void clear() {
#pragma unroll
        for (u32 i = 0; i < 4; i++)
#pragma unroll
            for (u32 j = 0; j < N; j++) sums[i][j][0] = sums[i][j][1] = 0.0;
    }

    // Adds the product of a 32 x 8 and an 8 x 8N matrix, four columns and rows at a time. A thread has the
    // numbers left[k][i] of row 8i + group and column 4k + own, and right[k][j] of row 4k + own and column 8j
    // + group; sums[i][j][h] is that of row 8i + group and column 8j + 2 own + h.
    __device__ void add(const double (&left)[2][4], const double (&right)[2][N]) {
#if __CUDA_ARCH__ >= 900
#pragma unroll
        for (u32 i = 0; i < 4; i += 2)
#pragma unroll
            for (u32 j = 0; j < N; j++)
                asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                    "{%8, %9}, {%0, %1, %2, %3};"
                    : "+d"(sums[i][j][0]), "+d"(sums[i][j][1]), "+d"(sums[i + 1][j][0]),
                      "+d"(sums[i + 1][j][1])
                    : "d"(left[0][i]), "d"(left[0][i + 1]), "d"(left[1][i]), "d"(left[1][i + 1]),
                      "d"(right[0][j]), "d"(right[1][j]));
#else
#pragma unroll
        for (u32 k = 0; k < 2; k++) add_four(left[k], right[k]);
#endif
    }

    // The same for four columns and rows. From compute capability 8.0 on, tensor cores multiply f64 numbers;
    // those of 9.0 are faster with eight.
    __device__ void add_four(const double (&left)[4], const double (&right)[N]) {
#if __CUDA_ARCH__ >= 800
#pragma unroll
        for (u32 i = 0; i < 4; i++)
#pragma unroll
            for (u32 j = 0; j < N; j++)
                asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                    : "+d"(sums[i][j][0]), "+d"(sums[i][j][1])
                    : "d"(left[i]), "d"(right[j]));
#else
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            double a[4];
#pragma unroll
            for (u32 i = 0; i < 4; i++) a[i] = __shfl_sync(0xffffffffu, left[i], 4 * group() + k);
#pragma unroll
            for (u32 j = 0; j < N; j++)
#pragma unroll
                for (u32 h = 0; h < 2; h++) {
                    double b = __shfl_sync(0xffffffffu, right[j], 4 * (2 * own() + h) + k);
#pragma unroll
                    for (u32 i = 0; i < 4; i++) sums[i][j][h] = fma(a[i], b, sums[i][j][h]);
                }
        }
#endif
    }
};

// Two neighboring numbers of a panel. The numbers around them are wanted soon, and fetched from memory with
// them.
__device__ __forceinline__ double2 two(const double *at) {
#if __CUDA_ARCH__ >= 800
    double2 numbers;
    asm("ld.global.nc.L2::256B.v2.f64 {%0, %1}, [%2];"
        : "=d"(numbers.x), "=d"(numbers.y)
        : "l"(__cvta_generic_to_global(at)));
    return numbers;
#else
    return __ldg(reinterpret_cast<const double2 *>(at));
#endif
}
__device__ __forceinline__ void set_two(double *at, double a, double b) {
    *reinterpret_cast<double2 *>(at) = make_double2(a, b);
}

// A panel that is multiplied with some of the coefficients: its columns are taken in slices of 8.
template<class T> struct Source {
    const T *numbers;
    u32 stride;
    u32 slices;
};

// step = T Ct + P Cp, and next = step + W Cw if W has slices. Coefficients are in the order in which they are
// read: for each 8N columns of the result and each slice of T, P and W, N times two numbers per thread, as
// `pack_coefficients` leaves them. A warp forms 32 rows of 8N columns; the numbers of the panels are read two
// slices ahead.
template<u32 N, class T>
__device__ void advance(u64 rows, u32 tiles, Source<T> t, Source<T> p, Source<T> w,
                        const double2 *coefficients, u32 stride, T *step, T *next) {
    u32 group = Sums<N>::group(), own = Sums<N>::own(), tile = blockIdx.x % tiles;
    u64 row0 = ((u64)(blockIdx.x / tiles) * 4 + threadIdx.x / 32) * 32 + group;
    u32 before_w = t.slices + p.slices, slices = before_w + w.slices;
    const double2 *right_at = coefficients + (u64)tile * slices * N * 32 + threadIdx.x % 32;
    // Rows beyond the last are read as the last, and not stored.
    u32 most = row0 < rows ? (u32)(rows - 1 - row0 < 24 ? rows - 1 - row0 : 24) : 0;
    u64 first = row0 < rows ? row0 : rows - 1;
    auto read = [&](u32 slice, double2(&to)[4]) {
        Source<T> from = slice < t.slices ? t : slice < before_w ? p : w;
        u32 place = slice < t.slices ? slice : slice < before_w ? slice - t.slices : slice - before_w;
        const T *at = from.numbers + first * from.stride + 8 * place + 2 * own;
#pragma unroll
        for (u32 i = 0; i < 4; i++) to[i] = two(at + (u64)(8 * i < most ? 8 * i : most) * from.stride);
    };
    Sums<N> sums;
    sums.clear();
    auto store = [&](T *out) {
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            u64 row = row0 + 8 * i;
            if (row >= rows) continue;
#pragma unroll
            for (u32 j = 0; j < N; j++) {
                u32 col = (tile * N + j) * 8 + 2 * own;
                if (col < stride) set_two(out + row * stride + col, sums.sums[i][j][0], sums.sums[i][j][1]);
            }
        }
    };
    auto multiply = [&](u32 slice, const double2(&rows_of)[4]) {
        double left[2][4], right[2][N];
#pragma unroll
        for (u32 j = 0; j < N; j++) {
            double2 both = __ldg(right_at + (u64)(slice * N + j) * 32);
            right[0][j] = both.x;
            right[1][j] = both.y;
        }
#pragma unroll
        for (u32 i = 0; i < 4; i++) left[0][i] = rows_of[i].x, left[1][i] = rows_of[i].y;
        sums.add(left, right);
        if (slice + 1 == before_w) store(step);
    };
    if (before_w == 0) store(step);
    double2 even[4], odd[4];
    if (slices > 0) read(0, even);
    if (slices > 1) read(1, odd);
    for (u32 slice = 0; slice < slices; slice += 2) {
        multiply(slice, even);
        if (slice + 2 < slices) read(slice + 2, even);
        if (slice + 1 == slices) break;
        multiply(slice + 1, odd);
        if (slice + 3 < slices) read(slice + 3, odd);
    }
    if (slices > before_w || (next && slices == before_w)) store(next);
}
#define ADVANCE(NAME, N, T, BLOCKS)                                                                          \
    extern "C" __global__ void __launch_bounds__(128, BLOCKS)                                                \
        NAME(u64 rows, u32 tiles, Source<T> t, Source<T> p, Source<T> w, const void *coefficients,           \
             u32 stride, T *step, T *next) {                                                                 \
        advance<N, T>(rows, tiles, t, p, w, (const double2 *)coefficients, stride, step, next);              \
    }
ADVANCE(advance_narrow_f64, 4, double, MANY)
ADVANCE(advance_wide_f64, 8, double, 2)

// Coefficients in the order in which `advance` reads them. They come column by column, 8 * slices rows of
// which are T's, P's and W's, each of them filled up with zeros to whole slices.
extern "C" __global__ void pack_coefficients(u64 n, u32 width, u32 slices, u32 cols, double *out,
                                             const double *from) {
    EACH(i, n) {
        u32 lane = i / 2 % 32, j = i / 64 % width;
        u64 slice = i / 64 / width % slices, tile = i / 64 / width / slices;
        u64 k = 8 * slice + 2 * (lane % 4) + i % 2, col = (tile * width + j) * 8 + lane / 4;
        out[i] = col < cols ? from[col * 8 * slices + k] : 0.0;
    }
}

// 32 x 32 numbers, or fewer, of a product A^T B of two panels, and where they go: `height` numbers after each
// other are one column.
template<class T> struct Part {
    const T *a, *b;
    u64 rows, place;
    u32 a_stride, b_stride, a_cols, b_cols, height, unused;
};

// The products of chunks of rows of several pairs of panels: sums[chunk] has `size` numbers. One warp per
// part and chunk; the 8 of a block mostly share what they read. A thread reads two neighboring columns, so
// that rows are read in whole lines: the numbers of a fragment are every other column.
template<class T>
__device__ void cross(u32 parts, const Part<T> *all, u64 chunk, u32 chunks, u64 size, double *sums) {
    u64 index = (u64)blockIdx.x * 8 + threadIdx.x / 32;
    if (index >= (u64)parts * chunks) return;
    u32 group = Sums<4>::group(), own = Sums<4>::own();
    Part<T> part = all[index % parts];
    u64 first = index / parts * chunk, last = first + chunk < part.rows ? first + chunk : part.rows;
    auto read = [&](const T *panel, u32 stride, u32 cols, u64 row, double2(&to)[2]) {
#pragma unroll
        for (u32 i = 0; i < 2; i++) {
            u32 col = 16 * i + 2 * group;
            to[i] = row < last && col < cols ? two(panel + row * stride + col) : make_double2(0.0, 0.0);
        }
    };
    Sums<4> tile;
    tile.clear();
    for (u64 row = first; row < last; row += 16) {
        double2 a[4][2], b[4][2];
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            read(part.a, part.a_stride, part.a_cols, row + 4 * k + own, a[k]);
            read(part.b, part.b_stride, part.b_cols, row + 4 * k + own, b[k]);
        }
#pragma unroll
        for (u32 k = 0; k < 4; k += 2) {
            double left[2][4], right[2][4];
#pragma unroll
            for (u32 e = 0; e < 8; e++) {
                double2 from_a = a[k + e / 4][e / 2 % 2], from_b = b[k + e / 4][e / 2 % 2];
                left[e / 4][e % 4] = e % 2 ? from_a.y : from_a.x;
                right[e / 4][e % 4] = e % 2 ? from_b.y : from_b.x;
            }
            tile.add(left, right);
        }
    }
    double *out = sums + index / parts * size + part.place;
#pragma unroll
    for (u32 i = 0; i < 4; i++)
#pragma unroll
        for (u32 j = 0; j < 8; j++) {
            u32 row = 16 * (i / 2) + 2 * group + i % 2,
                col = 16 * (j / 4) + 2 * (2 * own + j % 2) + j / 2 % 2;
            if (row < part.a_cols && col < part.b_cols)
                out[(u64)col * part.height + row] = tile.sums[i][j / 2][j % 2];
        }
}
extern "C" __global__ void __launch_bounds__(256, (MANY + 1) / 2)
    crosses_f64(u32 parts, const void *all, u64 chunk, u32 chunks, u64 size, double *sums) {
    cross<double>(parts, (const Part<double> *)all, chunk, chunks, size, sums);
}
