// What is known of the columns of the data, one number per row of a panel: how active they are, which are
// chosen.

#define NONE 0xffffffffu

// The sum over 32 lanes, in a fixed tree; the first lane has it.
__device__ __forceinline__ double warp_sum(double sum) {
    for (u32 step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    return sum;
}

__device__ __forceinline__ double sum_of_squares(const double *row, u32 stride, u32 lane) {
    double sum = 0.0;
    for (u32 j = lane; j < stride; j += 32) sum = fma(row[j], row[j], sum);
    return warp_sum(sum);
}

// out[i] = |w[i, :]|^2 / inverse[i] + |r[i, :]|^2 * inverse[i], or 0 if inverse[i] is. Rounded as the host
// rounds. One warp per row.
extern "C" __global__ void activity_of_rows(u64 rows, u32 w_stride, const double *w, u32 r_stride,
                                            const double *r, const double *inverse, double *out) {
    u64 row = ((u64)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    u32 lane = threadIdx.x % 32;
    if (row >= rows) return;
    double leverage = sum_of_squares(w + row * w_stride, w_stride, lane);
    double residual = sum_of_squares(r + row * r_stride, r_stride, lane);
    if (lane == 0) {
        double own = inverse[row];
        out[row] = own == 0.0 ? 0.0 : __dadd_rn(__ddiv_rn(leverage, own), __dmul_rn(residual, own));
    }
}

// factors[rows[i]] = 0
extern "C" __global__ void clear_factors(u64 n, const u32 *rows, double *factors) {
    EACH(i, n) factors[rows[i]] = 0.0;
}

extern "C" __global__ void no_places(u64 n, u32 *places) { EACH(i, n) places[i] = NONE; }

// The i-th of the chosen columns has place first + i.
extern "C" __global__ void place_columns(u64 n, const u32 *columns, u32 first, u32 *places) {
    EACH(i, n) places[columns[i]] = first + (u32)i;
}

// The entry of largest size in every column, the first of several: parts[block][column] for `chunk` rows
// each. A block has lanes of `width` columns, as in column_sums.
extern "C" __global__ void __launch_bounds__(256)
    largest_entries(u64 rows, u64 chunk, u32 stride, u32 width, double *parts, const double *a) {
    __shared__ double values[256];
    __shared__ u64 places[256];
    u32 lanes = blockDim.x / width, lane = threadIdx.x / width, j = blockIdx.y * width + threadIdx.x % width;
    u64 first = (u64)blockIdx.x * chunk, last = first + chunk < rows ? first + chunk : rows, place = first;
    bool is_column = lane < lanes && j < stride;
    double largest = 0.0;
    if (is_column) {
        for (u64 i = first + lane; i < last; i += lanes) {
            double value = a[i * stride + j];
            if (fabs(value) > fabs(largest)) {
                largest = value;
                place = i;
            }
        }
    }
    values[threadIdx.x] = largest;
    places[threadIdx.x] = place;
    __syncthreads();
    if (is_column && lane == 0) {
        for (u32 l = 1; l < lanes; l++) {
            double value = values[l * width + threadIdx.x];
            u64 other = places[l * width + threadIdx.x];
            bool is_first = fabs(value) == fabs(largest) && other < place;
            if (fabs(value) > fabs(largest) || is_first) {
                largest = value;
                place = other;
            }
        }
        parts[(u64)blockIdx.x * stride + j] = largest;
    }
}

// out[i, j] = a[i, j] * rows[i] * columns[j], but no larger in size than 1. Rounded as the host rounds.
extern "C" __global__ void scale_to_cosines(u64 n, u32 stride, const double *a, const double *rows,
                                            const double *columns, double *out) {
    EACH(i, n) {
        double value = __dmul_rn(__dmul_rn(a[i], rows[i / stride]), columns[i % stride]);
        out[i] = value > 1.0 ? 1.0 : value < -1.0 ? -1.0 : value;
    }
}
