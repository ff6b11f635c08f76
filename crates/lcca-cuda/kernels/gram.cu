// The Gram matrix of dense rows of both views, on and below the diagonal: what narrow views are solved with.
//
// parts[chunk] (cols x cols) = Z[chunk of rows]^T * Z[chunk of rows], where a row of Z is a row of both views
// less the means, and one factor is multiplied by the weights of the rows. Columns follow each other, as the
// host has them.

struct Wide {
    const void *values[2];
    u32 cols[2];
    int is_single[2];
};

// One column of Z. A column beyond the last one is zero.
struct Column {
    const char *first;
    u64 pitch;
    bool is_single;
    double mean;

    __device__ Column(const Wide &views, const double *means, u32 col) {
        u32 view = col >= views.cols[0], own = view ? col - views.cols[0] : col;
        is_single = views.is_single[view];
        u32 bytes = is_single ? 4 : 8;
        first = own < views.cols[view] ? (const char *)views.values[view] + (u64)own * bytes : nullptr;
        pitch = (u64)views.cols[view] * bytes;
        mean = first && means ? means[col] : 0.0;
    }
    __device__ double operator()(u64 row, u64 last) const {
        if (!first || row >= last) return 0.0;
        const char *place = first + row * pitch;
        return (is_single ? (double)__ldg((const float *)place) : __ldg((const double *)place)) - mean;
    }
};

// For any GPU, and for views of different numbers. A block of 4 warps forms 64 x 64 numbers; blockIdx.x runs
// over the lower triangle of blocks.
extern "C" __global__ void __launch_bounds__(128)
    dense_gram(u64 rows, u64 chunk, double *parts, Wide views, const double *means, const double *weights) {
    __shared__ double as[2][DEPTH][PITCH(64)];
    __shared__ double bs[2][DEPTH][PITCH(64)];
    u32 cols = views.cols[0] + views.cols[1], t = threadIdx.x;
    u32 i = lower_row(blockIdx.x), a0 = i * 64, b0 = (blockIdx.x - i * (i + 1) / 2) * 64;
    u64 first = (u64)blockIdx.z * chunk, last = first + chunk < rows ? first + chunk : rows;
    // A thread reads one column of each slice, every second row, and the next slice while this one is
    // multiplied.
    u32 c = t % 64, r1 = t / 64;
    Column left(views, means, a0 + c), right(views, means, b0 + c);
    u32 wa = t / 64 * 32, wb = t / 32 % 2 * 32;
    double next_a[DEPTH / 2], next_b[DEPTH / 2];
    auto read = [&](u64 r0) {
#pragma unroll
        for (u32 r = 0; r < DEPTH / 2; r++) {
            u64 row = r0 + r1 + 2 * r;
            next_a[r] = left(row, last);
            if (weights && row < last) next_a[r] *= weights[row];
            next_b[r] = right(row, last);
        }
    };
    Tile tile;
    tile.clear();
    read(first);
    u32 slot = 0;
    for (u64 r0 = first; r0 < last; r0 += DEPTH) {
#pragma unroll
        for (u32 r = 0; r < DEPTH / 2; r++) {
            as[slot][r1 + 2 * r][c] = next_a[r];
            bs[slot][r1 + 2 * r][c] = next_b[r];
        }
        __syncthreads();
        if (r0 + DEPTH < last) read(r0 + DEPTH);
        tile.add(&as[slot][0][wa], PITCH(64), &bs[slot][0][wb], PITCH(64));
        slot ^= 1;
    }
    double *own = parts + (u64)blockIdx.z * cols * cols;
    for (u32 p = 0; p < 4; p++)
        for (u32 q = 0; q < 8; q++) {
            u32 row = a0 + wa + Tile::row(p), col = b0 + wb + Tile::col(q / 2, q % 2);
            if (row < cols && col <= row) own[(u64)col * cols + row] = tile.sums[p][q / 2][q % 2];
        }
}

#if __CUDA_ARCH__ >= 800
// The same with tensor cores, if the numbers of both views are of one kind. A block of 8 warps forms 128 x
// 128 numbers, a warp 64 x 32 of them. Rows go to shared memory as they are, a few at a time and three steps
// ahead; they become f64 numbers and lose their means on the way to the registers, so that shared memory,
// which is read eight times as often as it is written, holds half as many bytes of f32 numbers. Blocks never
// span both views.
#define SIDE 128
#define STAGES 4

// Rows of a stage, and numbers from one row to the next, which let a warp read without conflicts.
template<class T> struct Stage;
template<> struct Stage<float> {
    enum { ROWS = 16, PITCH_OF = SIDE + 8, PIECE = 4 };
};
template<> struct Stage<double> {
    enum { ROWS = 8, PITCH_OF = SIDE + 4, PIECE = 2 };
};

// x - mean, of which `minus` is -mean. The bits of an f32 number, moved to where an f64 number has them, are
// that number times 2^-896, for numbers of any size: multiplied back without rounding, which is quicker than
// an instruction that converts.
__device__ __forceinline__ double less_mean(float x, double minus) {
    u32 bits = __float_as_uint(x);
    double moved = __hiloint2double(((int)bits >> 3) & 0x8fffffff, bits << 29);
    return fma(moved, __hiloint2double((1023 + 896) << 20, 0), minus);
}
__device__ __forceinline__ double less_mean(double x, double minus) { return x + minus; }

// Some neighboring columns of one view.
template<class T> struct Columns {
    const T *values;
    u32 stride, count, place;

    // The `index`-th block of columns, blocks of the second view after those of the first.
    __device__ Columns(const Wide &views, u32 index) {
        u32 blocks = (views.cols[0] + SIDE - 1) / SIDE, view = index >= blocks,
            first = (view ? index - blocks : index) * SIDE;
        stride = views.cols[view];
        count = min(stride - first, (u32)SIDE);
        values = (const T *)views.values[view] + first;
        place = (view ? views.cols[0] : 0) + first;
    }
    __device__ double minus(const double *means, u32 col) const {
        return means && col < count ? -means[place + col] : 0.0;
    }

    // Starts to copy rows from `row` on to shared memory, in pieces of 16 bytes, or number by number if rows
    // do not begin at multiples of 16 bytes. Numbers that do not exist are zeros.
    template<u32 PIECE> __device__ void fetch_pieces(T *to, u64 row, u64 last) const {
#pragma unroll 2
        for (u32 e = threadIdx.x; e < Stage<T>::ROWS * SIDE / PIECE; e += 256) {
            u32 r = e / (SIDE / PIECE), c = e % (SIDE / PIECE) * PIECE;
            bool is_there = row + r < last && c < count;
            const T *from = is_there ? values + (row + r) * stride + c : values;
            u32 address = (u32)__cvta_generic_to_shared(to + r * Stage<T>::PITCH_OF + c),
                bytes = is_there ? PIECE * sizeof(T) : 0;
            if (PIECE * sizeof(T) == 16)
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from),
                             "r"(bytes));
            else
                asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(address), "l"(from),
                             "n"(PIECE * sizeof(T)), "r"(bytes));
        }
    }
    __device__ void fetch(T *to, u64 row, u64 last) const {
        if ((u64)values % 16 == 0 && stride % Stage<T>::PIECE == 0)
            fetch_pieces<Stage<T>::PIECE>(to, row, last);
        else fetch_pieces<1>(to, row, last);
    }
};

// What a warp forms: 4 x 4 products of 16 x 8 numbers.
struct WarpSums {
    double sums[4][4][4];

    // Adds the products of one stage. If there are `factors`, one per row, the left rows are multiplied by
    // them.
    template<bool HAS_FACTORS, class T>
    __device__ void add(const T *a, const T *b, const double (&minus_a)[4][2], const double (&minus_b)[4],
                        const double *factors) {
        // What a thread reads has a constant distance from its first number.
        u32 group = threadIdx.x % 32 / 4, own = threadIdx.x % 4;
        a += own * Stage<T>::PITCH_OF + group;
        b += own * Stage<T>::PITCH_OF + group;
#pragma unroll
        for (u32 k = 0; k < Stage<T>::ROWS; k += 8) {
            double right[4][2];
#pragma unroll
            for (u32 j = 0; j < 4; j++)
#pragma unroll
                for (u32 h = 0; h < 2; h++)
                    right[j][h] = less_mean(b[(k + 4 * h) * Stage<T>::PITCH_OF + 8 * j], minus_b[j]);
#pragma unroll
            for (u32 i = 0; i < 4; i++) {
                double left[4];
#pragma unroll
                for (u32 h = 0; h < 4; h++) {
                    u32 row = k + 4 * (h / 2);
                    left[h] =
                        less_mean(a[row * Stage<T>::PITCH_OF + 16 * i + 8 * (h % 2)], minus_a[i][h % 2]);
                    if (HAS_FACTORS) left[h] *= factors[row + own];
                }
#pragma unroll
                for (u32 j = 0; j < 4; j++) multiply_add(sums[i][j], left, right[j]);
            }
        }
    }
};

template<class T>
__device__ __forceinline__ void tensor_gram(u64 rows, u64 chunk, double *parts, const Wide &views,
                                            const double *means, const double *weights) {
    enum { ROWS = Stage<T>::ROWS, SIZE = Stage<T>::ROWS * Stage<T>::PITCH_OF };
    extern __shared__ __align__(16) char memory[];
    __shared__ double factors[2][ROWS];
    T *stages = (T *)memory;
    u32 t = threadIdx.x, group = t % 32 / 4, wa = t / 32 % 2 * 64, wb = t / 64 * 32;
    u32 i = lower_row(blockIdx.x);
    Columns<T> left(views, i), right(views, blockIdx.x - i * (i + 1) / 2);
    u64 first = (u64)blockIdx.z * chunk, last = min(first + chunk, rows);
    double minus_a[4][2], minus_b[4];
#pragma unroll
    for (u32 p = 0; p < 4; p++) {
        minus_a[p][0] = left.minus(means, wa + 16 * p + group);
        minus_a[p][1] = left.minus(means, wa + 16 * p + 8 + group);
        minus_b[p] = right.minus(means, wb + 8 * p + group);
    }
    // Every thread counts a group of copies per stage, even if there is nothing left to copy.
    auto fetch = [&](u32 slot, u64 row) {
        if (row < last) {
            left.fetch(stages + slot * 2 * SIZE, row, last);
            right.fetch(stages + slot * 2 * SIZE + SIZE, row, last);
        }
        asm volatile("cp.async.commit_group;");
    };
    WarpSums tile;
#pragma unroll
    for (u32 e = 0; e < 64; e++) tile.sums[e / 16][e / 4 % 4][e % 4] = 0.0;
#pragma unroll 1
    for (u32 s = 0; s + 1 < STAGES; s++) fetch(s, first + s * ROWS);
    u32 slot = 0, parity = 0;
    for (u64 row = first; row < last; row += ROWS) {
        // Rows that do not exist are zeros, which less their means are not: a factor of zero leaves them out.
        bool has_factors = weights || row + ROWS > last;
        if (has_factors && t < ROWS)
            factors[parity][t] = row + t < last ? (weights ? weights[row + t] : 1.0) : 0.0;
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
        __syncthreads();
        // All warps are done with the stage before, which takes the rows three steps ahead.
        fetch(slot ? slot - 1 : STAGES - 1, row + (STAGES - 1) * ROWS);
        const T *a = stages + slot * 2 * SIZE + wa, *b = stages + slot * 2 * SIZE + SIZE + wb;
        if (has_factors) tile.add<true>(a, b, minus_a, minus_b, factors[parity]);
        else tile.add<false>(a, b, minus_a, minus_b, (const double *)nullptr);
        slot = slot + 1 == STAGES ? 0 : slot + 1;
        parity ^= 1;
    }
    u32 cols = views.cols[0] + views.cols[1];
    double *own = parts + (u64)blockIdx.z * cols * cols;
#pragma unroll
    for (u32 e = 0; e < 64; e++) {
        u32 p = e / 16, q = e / 4 % 4, h = e % 4;
        u32 r = wa + 16 * p + 8 * (h / 2) + group, c = wb + 8 * q + 2 * (t % 4) + h % 2;
        u32 row = left.place + r, col = right.place + c;
        if (r < left.count && c < right.count && col <= row) own[(u64)col * cols + row] = tile.sums[p][q][h];
    }
}
#define TENSOR_GRAM(NAME, T)                                                                                 \
    extern "C" __global__ void __launch_bounds__(256, 1)                                                     \
        NAME(u64 rows, u64 chunk, double *parts, Wide views, const double *means, const double *weights) {   \
        tensor_gram<T>(rows, chunk, parts, views, means, weights);                                           \
    }
TENSOR_GRAM(tensor_gram_f64, double)
TENSOR_GRAM(tensor_gram_f32, float)
#endif
