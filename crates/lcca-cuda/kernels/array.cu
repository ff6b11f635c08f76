// What is found out about dense rows that lie on the device: row-major, without padding.

// found = the index of the first number that is not finite, if it is smaller than what is there.
template<class T> __device__ void first_not_finite(u64 n, const T *values, u64 *found) {
    EACH(i, n) {
        // Infinity less infinity is not a number, and neither is equal to anything.
        if (!(values[i] - values[i] == (T)0)) {
            atomicMin(found, i);
            return;
        }
    }
}
#define FIRST_NOT_FINITE(NAME, T)                                                                            \
    extern "C" __global__ void NAME(u64 n, const T *values, u64 *found) {                                    \
        first_not_finite<T>(n, values, found);                                                               \
    }
FIRST_NOT_FINITE(first_not_finite_f64, double)
FIRST_NOT_FINITE(first_not_finite_f32, float)

// A sum and what rounding took away from it: Knuth's two-sum, in operations that are not contracted.
struct Sum {
    double sum, lost;

    __device__ void add(double term) {
        double next = __dadd_rn(sum, term), added = __dsub_rn(next, sum);
        lost = __dadd_rn(lost, __dadd_rn(__dsub_rn(sum, __dsub_rn(next, added)), __dsub_rn(term, added)));
        sum = next;
    }
};

// parts[chunk] = the sums of the numbers of every column, of their squares, and how many are not zero, over a
// chunk of rows; rows are weighted if there are weights. A block sums up `width` columns, in lanes that it
// adds in their order.
template<class T>
__device__ void column_moments(u64 rows, u64 chunk, u32 cols, u32 width, double *parts, const T *a,
                               const double *weights) {
    __shared__ Sum sums[2][256];
    __shared__ double counts[256];
    u32 lanes = blockDim.x / width, lane = threadIdx.x / width, j = blockIdx.x * width + threadIdx.x % width;
    u64 first = (u64)blockIdx.y * chunk, last = first + chunk < rows ? first + chunk : rows;
    bool is_column = lane < lanes && j < cols;
    Sum sum = {0.0, 0.0}, square = {0.0, 0.0};
    double nonzero = 0.0;
    if (is_column) {
        for (u64 i = first + lane; i < last; i += lanes) {
            double value = a[i * cols + j], weighted = weights ? __dmul_rn(weights[i], value) : value;
            sum.add(weighted);
            square.add(__dmul_rn(weighted, value));
            nonzero += value != 0.0;
        }
    }
    sums[0][threadIdx.x] = sum;
    sums[1][threadIdx.x] = square;
    counts[threadIdx.x] = nonzero;
    __syncthreads();
    if (is_column && lane == 0) {
        for (u32 l = 1; l < lanes; l++) {
            Sum other = sums[0][l * width + threadIdx.x], other_square = sums[1][l * width + threadIdx.x];
            sum.add(other.sum);
            sum.lost += other.lost;
            square.add(other_square.sum);
            square.lost += other_square.lost;
            nonzero += counts[l * width + threadIdx.x];
        }
        double *own = parts + (u64)blockIdx.y * 3 * cols + j;
        own[0] = sum.sum + sum.lost;
        own[cols] = square.sum + square.lost;
        own[2 * (u64)cols] = nonzero;
    }
}
#define COLUMN_MOMENTS(NAME, T)                                                                              \
    extern "C" __global__ void __launch_bounds__(256)                                                        \
        NAME(u64 rows, u64 chunk, u32 cols, u32 width, double *parts, const T *a, const double *weights) {   \
        column_moments<T>(rows, chunk, cols, width, parts, a, weights);                                      \
    }
COLUMN_MOMENTS(column_moments_f64, double)
COLUMN_MOMENTS(column_moments_f32, float)
