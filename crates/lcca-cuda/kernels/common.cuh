// What all kernels share. It is put before each of the files when they are compiled.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

// Runs over n numbers in steps of the grid.
#define EACH(i, n)                                                                                           \
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (u64)gridDim.x * blockDim.x)

// The row of the `index`-th place of a lower triangle, counted row by row.
__device__ __forceinline__ u32 lower_row(u32 index) {
    u32 row = (u32)((sqrt(8.0 * index + 1.0) - 1.0) / 2.0);
    while ((u64)(row + 1) * (row + 2) / 2 <= index) row++;
    while ((u64)row * (row + 1) / 2 > index) row--;
    return row;
}

// The part of a product of dense matrices that one warp forms: 32 x 32 numbers, of which a thread has 32.
// Factors come from shared memory in slices of DEPTH: a[k][row] and b[k][col] with `pitch` numbers from one k
// to the next, 4 more than a multiple of 16, so that a warp reads without conflicts.
#define DEPTH 16
#define PITCH(cols) ((cols) + 4)

struct Tile {
    double sums[4][4][2];

    __device__ void clear() {
#pragma unroll
        for (u32 i = 0; i < 4; i++)
#pragma unroll
            for (u32 j = 0; j < 4; j++) sums[i][j][0] = sums[i][j][1] = 0.0;
    }

    // Where sums[i][j][h] belongs.
    static __device__ u32 row(u32 i) { return 8 * i + threadIdx.x % 32 / 4; }
    static __device__ u32 col(u32 j, u32 h) { return 8 * j + 2 * (threadIdx.x % 4) + h; }

    // Adds the products of one slice. From compute capability 8.0 on, tensor cores multiply f64 numbers.
    __device__ void add(const double *a, u32 a_pitch, const double *b, u32 b_pitch) {
#if __CUDA_ARCH__ >= 800
        u32 group = threadIdx.x % 32 / 4, own = threadIdx.x % 4;
#pragma unroll
        for (u32 k = 0; k < DEPTH; k += 4) {
            double left[4], right[4];
#pragma unroll
            for (u32 i = 0; i < 4; i++) {
                left[i] = a[(k + own) * a_pitch + 8 * i + group];
                right[i] = b[(k + own) * b_pitch + 8 * i + group];
            }
#pragma unroll
            for (u32 i = 0; i < 4; i++)
#pragma unroll
                for (u32 j = 0; j < 4; j++)
                    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                        : "+d"(sums[i][j][0]), "+d"(sums[i][j][1])
                        : "d"(left[i]), "d"(right[j]));
        }
#else
#pragma unroll
        for (u32 k = 0; k < DEPTH; k++) {
            double left[4], right[4][2];
#pragma unroll
            for (u32 i = 0; i < 4; i++) {
                left[i] = a[k * a_pitch + row(i)];
                right[i][0] = b[k * b_pitch + col(i, 0)];
                right[i][1] = b[k * b_pitch + col(i, 1)];
            }
#pragma unroll
            for (u32 i = 0; i < 4; i++)
#pragma unroll
                for (u32 j = 0; j < 4; j++) {
                    sums[i][j][0] = fma(left[i], right[j][0], sums[i][j][0]);
                    sums[i][j][1] = fma(left[i], right[j][1], sums[i][j][1]);
                }
        }
#endif
    }
};
