// Dense products of tall panels, dense rows and small matrices.

// out (rows x cols) = beta * out + A (rows x inner) * B (inner x cols), all row-major with strides. A block
// of 2 warps forms 64 x 32 numbers.
template<class A>
__device__ void times(u64 rows, u32 cols, u32 inner, double *out, u32 out_stride, const A *a, u64 a_stride,
                      const double *b, u32 b_stride, double beta) {
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
#define TIMES(NAME, A)                                                                                       \
    extern "C" __global__ void __launch_bounds__(64)                                                         \
        NAME(u64 rows, u32 cols, u32 inner, double *out, u32 out_stride, const A *a, u64 a_stride,           \
             const double *b, u32 b_stride, double beta) {                                                   \
        times<A>(rows, cols, inner, out, out_stride, a, a_stride, b, b_stride, beta);                        \
    }
TIMES(times_f64, double)
TIMES(times_f32, float)

// parts[chunk] (a_cols x b_cols) = A[chunk of rows]^T * B[chunk of rows]. A block of 1 warp forms 32 x 32
// numbers.
template<class A>
__device__ void cross(u64 rows, u64 chunk, double *parts, u32 a_cols, u64 a_stride, const A *a, u32 b_cols,
                      u64 b_stride, const double *b) {
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
#define CROSS(NAME, A)                                                                                       \
    extern "C" __global__ void __launch_bounds__(32)                                                         \
        NAME(u64 rows, u64 chunk, double *parts, u32 a_cols, u64 a_stride, const A *a, u32 b_cols,           \
             u64 b_stride, const double *b) {                                                                \
        cross<A>(rows, chunk, parts, a_cols, a_stride, a, b_cols, b_stride, b);                              \
    }
CROSS(cross_f64, double)
CROSS(cross_f32, float)
