// Arithmetic on tall panels: row-major, f64, rows of `stride` numbers of which the first `cols` count and the
// others are zero.

extern "C" __global__ void add_scaled(u64 n, double *out, double factor, const double *a) {
    EACH(i, n) out[i] += factor * a[i];
}

// out[:, j] = a[:, j] - factors[j] * b[:, j]
extern "C" __global__ void difference(u64 n, u32 stride, double *out, const double *a, const double *factors,
                                      const double *b) {
    EACH(i, n) out[i] = a[i] - factors[i % stride] * b[i];
}

extern "C" __global__ void scale_rows(u64 n, u32 stride, double *a, const double *factors) {
    EACH(i, n) a[i] *= factors[i / stride];
}

extern "C" __global__ void scaled_copy(u64 n, u32 stride, double *out, const double *a,
                                       const double *factors) {
    EACH(i, n) out[i] = a[i] * factors[i / stride];
}

// out[i, :] -= sums[i] * offset
extern "C" __global__ void subtract_outer(u64 n, u32 stride, double *out, const double *sums,
                                          const double *offset) {
    EACH(i, n) out[i] -= sums[i / stride] * offset[i % stride];
}

// z[i, :] = (z[i, :] - offset) * weights[i]
extern "C" __global__ void shift_rows(u64 n, u32 stride, double *z, const double *offset,
                                      const double *weights) {
    EACH(i, n) {
        double value = z[i];
        if (offset) value -= offset[i % stride];
        if (weights) value *= weights[i / stride];
        z[i] = value;
    }
}

extern "C" __global__ void select_columns(u64 n, u32 stride, double *out, u32 cols, const u32 *columns,
                                          u32 a_stride, const double *a) {
    EACH(i, n) {
        u64 row = i / stride;
        u32 j = i % stride;
        out[i] = j < cols ? a[row * a_stride + columns[j]] : 0.0;
    }
}

// out[i, :] = a[rows[i], :], times scale[i] if there is one
extern "C" __global__ void take_rows(u64 n, u32 stride, double *out, const u32 *rows, const double *a,
                                     const double *scale) {
    EACH(i, n) {
        u64 row = i / stride;
        double value = a[(u64)rows[row] * stride + i % stride];
        out[i] = scale ? value * scale[row] : value;
    }
}

// a[rows[i], :] = values[i, :], times scale[i] if there is one
extern "C" __global__ void put_rows(u64 n, u32 stride, double *a, const u32 *rows, const double *values,
                                    const double *scale) {
    EACH(i, n) {
        u64 row = i / stride;
        a[(u64)rows[row] * stride + i % stride] = scale ? values[i] * scale[row] : values[i];
    }
}

extern "C" __global__ void clear_rows(u64 n, u32 stride, double *a, const u32 *rows) {
    EACH(i, n) a[(u64)rows[i / stride] * stride + i % stride] = 0.0;
}

// The sum over rows of weights[i] * a[i, j] * b[i, j], or of weights[i] * a[i, j] without b, for every
// column. A block adds up `chunk` rows of `width` columns, in lanes that it adds in their order; add_parts
// adds the blocks.
extern "C" __global__ void __launch_bounds__(256)
    column_sums(u64 rows, u64 chunk, u32 stride, u32 width, double *parts, const double *a, const double *b,
                const double *weights) {
    __shared__ double sums[256];
    u32 lanes = blockDim.x / width, lane = threadIdx.x / width, j = blockIdx.y * width + threadIdx.x % width;
    u64 first = (u64)blockIdx.x * chunk, last = first + chunk < rows ? first + chunk : rows;
    bool is_column = lane < lanes && j < stride;
    double sum = 0.0;
    if (is_column) {
        for (u64 i = first + lane; i < last; i += lanes) {
            double value = a[i * stride + j];
            sum = fma(weights ? weights[i] : 1.0, b ? value * b[i * stride + j] : value, sum);
        }
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (is_column && lane == 0) {
        for (u32 l = 1; l < lanes; l++) sum += sums[l * width + threadIdx.x];
        parts[(u64)blockIdx.x * stride + j] = sum;
    }
}

// The sum of squares of every row. One warp per row.
extern "C" __global__ void row_squares(u64 rows, u32 stride, double *out, const double *a) {
    u64 row = ((u64)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    u32 lane = threadIdx.x % 32;
    if (row >= rows) return;
    double sum = 0.0;
    for (u32 j = lane; j < stride; j += 32) sum = fma(a[row * stride + j], a[row * stride + j], sum);
    for (u32 step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0) out[row] = sum;
}

// out[i] = the sum of from[part][i] over all parts, or out[i] and that sum. A block of 8 warps sums up 32
// numbers: each warp some of the parts, in their order, and then the sums of the warps in theirs.
extern "C" __global__ void __launch_bounds__(256)
    add_parts(u32 parts, u64 size, double *out, const double *from, int adds) {
    __shared__ double sums[8][32];
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, each = (parts + 7) / 8;
    u64 i = (u64)blockIdx.x * 32 + lane;
    u32 last = (warp + 1) * each < parts ? (warp + 1) * each : parts;
    double sum = 0.0;
    if (i < size) {
#pragma unroll 4
        for (u32 part = warp * each; part < last; part++) sum += from[part * size + i];
    }
    sums[warp][lane] = sum;
    __syncthreads();
    if (warp == 0 && i < size) {
        sum = adds ? out[i] : 0.0;
        for (u32 w = 0; w < 8; w++) sum += sums[w][lane];
        out[i] = sum;
    }
}
