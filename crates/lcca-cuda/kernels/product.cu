// Dense products of tall panels and small matrices.

typedef unsigned int u32;
typedef unsigned long long u64;

// out (rows x cols) = beta * out + A (rows x inner) * B (inner x cols), all row-major with strides. A block of 128 threads forms 64 x 32
// numbers, each thread 4 x 4 of them.
template <class A>
__device__ void times(u64 rows, u32 cols, u32 inner, double *out, u32 out_stride, const A *a, u64 a_stride, const double *b,
                      u32 b_stride, double beta) {
    __shared__ double as[16][64 + 2];
    __shared__ double bs[16][32];
    u32 t = threadIdx.x, tr = t / 8, tc = t % 8;
    u64 row0 = (u64)blockIdx.x * 64;
    u32 col0 = blockIdx.y * 32;
    double sum[4][4] = {};
    for (u32 k0 = 0; k0 < inner; k0 += 16) {
        for (u32 e = t; e < 64 * 16; e += 128) {
            u32 r = e / 16, k = e % 16;
            as[k][r] = row0 + r < rows && k0 + k < inner ? (double)a[(row0 + r) * a_stride + k0 + k] : 0.0;
        }
        for (u32 e = t; e < 16 * 32; e += 128) {
            u32 k = e / 32, c = e % 32;
            bs[k][c] = k0 + k < inner && col0 + c < cols ? b[(u64)(k0 + k) * b_stride + col0 + c] : 0.0;
        }
        __syncthreads();
#pragma unroll
        for (u32 k = 0; k < 16; k++) {
            double ra[4], rb[4];
#pragma unroll
            for (u32 i = 0; i < 4; i++) { ra[i] = as[k][tr * 4 + i]; rb[i] = bs[k][tc + 8 * i]; }
#pragma unroll
            for (u32 i = 0; i < 4; i++)
#pragma unroll
                for (u32 j = 0; j < 4; j++) sum[i][j] = fma(ra[i], rb[j], sum[i][j]);
        }
        __syncthreads();
    }
    for (u32 i = 0; i < 4; i++) {
        u64 row = row0 + tr * 4 + i;
        if (row >= rows) continue;
        for (u32 j = 0; j < 4; j++) {
            u32 col = col0 + tc + 8 * j;
            if (col >= cols) continue;
            double *place = out + row * out_stride + col;
            *place = beta == 0.0 ? sum[i][j] : beta * *place + sum[i][j];
        }
    }
}
#define TIMES(NAME, A)                                                                                                             \
    extern "C" __global__ void __launch_bounds__(128) NAME(u64 rows, u32 cols, u32 inner, double *out, u32 out_stride, const A *a, \
                                                           u64 a_stride, const double *b, u32 b_stride, double beta) {             \
        times<A>(rows, cols, inner, out, out_stride, a, a_stride, b, b_stride, beta);                                              \
    }
TIMES(times_f64, double)
TIMES(times_f32, float)

// parts[chunk] (a_cols x b_cols) = A[chunk of rows]^T * B[chunk of rows]. A block of 64 threads forms 32 x 32 numbers, each thread 4 x 4.
template <class A>
__device__ void cross(u64 rows, u64 chunk, double *parts, u32 a_cols, u64 a_stride, const A *a, u32 b_cols, u64 b_stride,
                      const double *b) {
    __shared__ double as[16][32 + 1];
    __shared__ double bs[16][32 + 1];
    u32 t = threadIdx.x, ta = t / 8, tb = t % 8;
    u32 a0 = blockIdx.x * 32, b0 = blockIdx.y * 32;
    u64 first = (u64)blockIdx.z * chunk, last = first + chunk < rows ? first + chunk : rows;
    double sum[4][4] = {};
    for (u64 r0 = first; r0 < last; r0 += 16) {
        for (u32 e = t; e < 16 * 32; e += 64) {
            u32 r = e / 32, c = e % 32;
            bool in = r0 + r < last;
            as[r][c] = in && a0 + c < a_cols ? (double)a[(r0 + r) * a_stride + a0 + c] : 0.0;
            bs[r][c] = in && b0 + c < b_cols ? b[(r0 + r) * b_stride + b0 + c] : 0.0;
        }
        __syncthreads();
#pragma unroll
        for (u32 k = 0; k < 16; k++) {
            double ra[4], rb[4];
#pragma unroll
            for (u32 i = 0; i < 4; i++) { ra[i] = as[k][ta + 8 * i]; rb[i] = bs[k][tb + 8 * i]; }
#pragma unroll
            for (u32 i = 0; i < 4; i++)
#pragma unroll
                for (u32 j = 0; j < 4; j++) sum[i][j] = fma(ra[i], rb[j], sum[i][j]);
        }
        __syncthreads();
    }
    double *own = parts + (u64)blockIdx.z * a_cols * b_cols;
    for (u32 i = 0; i < 4; i++)
        for (u32 j = 0; j < 4; j++) {
            u32 r = a0 + ta + 8 * i, c = b0 + tb + 8 * j;
            if (r < a_cols && c < b_cols) own[(u64)r * b_cols + c] = sum[i][j];
        }
}
#define CROSS(NAME, A)                                                                                                             \
    extern "C" __global__ void __launch_bounds__(64) NAME(u64 rows, u64 chunk, double *parts, u32 a_cols, u64 a_stride, const A *a, \
                                                          u32 b_cols, u64 b_stride, const double *b) {                             \
        cross<A>(rows, chunk, parts, a_cols, a_stride, a, b_cols, b_stride, b);                                                    \
    }
CROSS(cross_f64, double)
CROSS(cross_f32, float)
