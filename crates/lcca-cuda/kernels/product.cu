// Dense products of tall panels, dense rows and small matrices.

// out (rows x cols) = beta * out + A (rows x inner) * B (inner x cols), all row-major with strides. A block of 2 warps forms 64 x 32
// numbers.
template <class A>
__device__ void times(u64 rows, u32 cols, u32 inner, double *out, u32 out_stride, const A *a, u64 a_stride, const double *b,
                      u32 b_stride, double beta) {
    __shared__ double as[DEPTH][PITCH(64)];
    __shared__ double bs[DEPTH][PITCH(32)];
    u32 t = threadIdx.x, own = t / 32 * 32;
    u64 row0 = (u64)blockIdx.x * 64;
    u32 col0 = blockIdx.y * 32;
    Tile tile;
    tile.clear();
    for (u32 k0 = 0; k0 < inner; k0 += DEPTH) {
        for (u32 e = t; e < 64 * DEPTH; e += 64) {
            u32 r = e / DEPTH, k = e % DEPTH;
            as[k][r] = row0 + r < rows && k0 + k < inner ? (double)a[(row0 + r) * a_stride + k0 + k] : 0.0;
        }
        for (u32 e = t; e < DEPTH * 32; e += 64) {
            u32 k = e / 32, c = e % 32;
            bs[k][c] = k0 + k < inner && col0 + c < cols ? b[(u64)(k0 + k) * b_stride + col0 + c] : 0.0;
        }
        __syncthreads();
        tile.add(&as[0][own], PITCH(64), &bs[0][0], PITCH(32));
        __syncthreads();
    }
    for (u32 i = 0; i < 4; i++) {
        u64 row = row0 + own + Tile::row(i);
        if (row >= rows) continue;
        for (u32 j = 0; j < 8; j++) {
            u32 col = col0 + Tile::col(j / 2, j % 2);
            if (col >= cols) continue;
            double *place = out + row * out_stride + col, sum = tile.sums[i][j / 2][j % 2];
            *place = beta == 0.0 ? sum : beta * *place + sum;
        }
    }
}
#define TIMES(NAME, A)                                                                                                             \
    extern "C" __global__ void __launch_bounds__(64) NAME(u64 rows, u32 cols, u32 inner, double *out, u32 out_stride, const A *a,  \
                                                          u64 a_stride, const double *b, u32 b_stride, double beta) {              \
        times<A>(rows, cols, inner, out, out_stride, a, a_stride, b, b_stride, beta);                                              \
    }
TIMES(times_f64, double)
TIMES(times_f32, float)

// parts[chunk] (a_cols x b_cols) = A[chunk of rows]^T * B[chunk of rows]. A block of 1 warp forms 32 x 32 numbers.
template <class A>
__device__ void cross(u64 rows, u64 chunk, double *parts, u32 a_cols, u64 a_stride, const A *a, u32 b_cols, u64 b_stride,
                      const double *b) {
    __shared__ double as[DEPTH][PITCH(32)];
    __shared__ double bs[DEPTH][PITCH(32)];
    u32 lane = threadIdx.x, a0 = blockIdx.x * 32, b0 = blockIdx.y * 32;
    u64 first = (u64)blockIdx.z * chunk, last = first + chunk < rows ? first + chunk : rows;
    Tile tile;
    tile.clear();
    for (u64 r0 = first; r0 < last; r0 += DEPTH) {
#pragma unroll
        for (u32 r = 0; r < DEPTH; r++) {
            bool in = r0 + r < last;
            as[r][lane] = in && a0 + lane < a_cols ? (double)a[(r0 + r) * a_stride + a0 + lane] : 0.0;
            bs[r][lane] = in && b0 + lane < b_cols ? b[(r0 + r) * b_stride + b0 + lane] : 0.0;
        }
        __syncwarp();
        tile.add(&as[0][0], PITCH(32), &bs[0][0], PITCH(32));
        __syncwarp();
    }
    double *own = parts + (u64)blockIdx.z * a_cols * b_cols;
    for (u32 i = 0; i < 4; i++)
        for (u32 j = 0; j < 8; j++) {
            u32 r = a0 + Tile::row(i), c = b0 + Tile::col(j / 2, j % 2);
            if (r < a_cols && c < b_cols) own[(u64)r * b_cols + c] = tile.sums[i][j / 2][j % 2];
        }
}
#define CROSS(NAME, A)                                                                                                              \
    extern "C" __global__ void __launch_bounds__(32) NAME(u64 rows, u64 chunk, double *parts, u32 a_cols, u64 a_stride, const A *a, \
                                                          u32 b_cols, u64 b_stride, const double *b) {                              \
        cross<A>(rows, chunk, parts, a_cols, a_stride, a, b_cols, b_stride, b);                                                     \
    }
CROSS(cross_f64, double)
CROSS(cross_f32, float)

// parts[chunk] (cols x cols) = Z[chunk of rows]^T * Z[chunk of rows] on and below the diagonal, where a row of Z is a row of both views
// less the means, and one factor is multiplied by the weights of the rows. A block of 4 warps forms 64 x 64 numbers; blockIdx.x runs
// over the lower triangle of blocks.
struct Wide { const void *values[2]; u32 cols[2]; int is_single[2]; };

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

extern "C" __global__ void __launch_bounds__(128) dense_gram(u64 rows, u64 chunk, double *parts, Wide views, const double *means,
                                                             const double *weights) {
    __shared__ double as[2][DEPTH][PITCH(64)];
    __shared__ double bs[2][DEPTH][PITCH(64)];
    u32 cols = views.cols[0] + views.cols[1], t = threadIdx.x;
    u32 i = lower_row(blockIdx.x), a0 = i * 64, b0 = (blockIdx.x - i * (i + 1) / 2) * 64;
    u64 first = (u64)blockIdx.z * chunk, last = first + chunk < rows ? first + chunk : rows;
    // A thread reads one column of each slice, every second row, and the next slice while this one is multiplied.
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
            if (row < cols && col <= row) own[(u64)row * cols + col] = tile.sums[p][q / 2][q % 2];
        }
}
