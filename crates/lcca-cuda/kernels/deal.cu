// Products of two panels whose rows are dealt to each other in many orders: row-major, f64, rows of `stride`
// numbers, an even number, of which those after the last column are zero.

// Orders that a thread sums at a time, so that it reads x once for all of them.
#define TOGETHER 8

// parts[chunk, order, :] = the sum over the rows i of a chunk of x[i, :] * y[orders[order, i], :]. A thread
// has two neighboring columns, `halves` of which make a row, and every `lanes`-th row of the chunk; the lanes
// are added in their order, and add_parts adds the chunks. Blocks have `width` halves each.
extern "C" __global__ void __launch_bounds__(256)
    deal_rows(u64 rows, u64 chunk, u32 count, u32 stride, u32 halves, u32 width, double2 *parts,
              const double2 *__restrict__ x, const double2 *__restrict__ y, const u32 *__restrict__ orders) {
    __shared__ double2 sums[256];
    u32 lanes = blockDim.x / width, lane = threadIdx.x / width,
        half = blockIdx.z * width + threadIdx.x % width;
    u64 first = (u64)blockIdx.x * chunk, last = first + chunk < rows ? first + chunk : rows;
    u32 order = blockIdx.y * TOGETHER, pitch = stride / 2;
    bool is_column = lane < lanes && half < halves;
    const u32 *from[TOGETHER];
    double2 sum[TOGETHER];
#pragma unroll
    for (u32 g = 0; g < TOGETHER; g++) {
        // If there are fewer orders, the last one is summed again and not written.
        from[g] = orders + (u64)(order + g < count ? order + g : count - 1) * rows;
        sum[g] = make_double2(0.0, 0.0);
    }
    if (is_column) {
        for (u64 i = first + lane; i < last; i += lanes) {
            double2 a = x[i * pitch + half];
#pragma unroll
            for (u32 g = 0; g < TOGETHER; g++) {
                double2 b = y[(u64)from[g][i] * pitch + half];
                sum[g].x = fma(a.x, b.x, sum[g].x);
                sum[g].y = fma(a.y, b.y, sum[g].y);
            }
        }
    }
#pragma unroll
    for (u32 g = 0; g < TOGETHER; g++) {
        __syncthreads();
        sums[threadIdx.x] = sum[g];
        __syncthreads();
        if (is_column && lane == 0 && order + g < count) {
            double2 total = sum[g];
            for (u32 l = 1; l < lanes; l++) {
                double2 more = sums[l * width + threadIdx.x];
                total.x += more.x;
                total.y += more.y;
            }
            parts[((u64)blockIdx.x * count + order + g) * halves + half] = total;
        }
    }
}
