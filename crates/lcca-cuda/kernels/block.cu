// The coarse block: B - A on chosen columns, formed, factorized and solved with. A matrix is row-major and square; its lower triangle
// counts. Its size is a multiple of 64: rows and columns beyond the chosen ones are those of the identity.

#define NONE 0xffffffffu

// Entries are all 1, f32 or f64.
__device__ double value_of(const void *values, int kind, u64 entry) {
    return kind == 0 ? 1.0 : kind == 1 ? (double)((const float *)values)[entry] : ((const double *)values)[entry];
}

// Entries of a block of the Gram matrix. Row `chosen[i]` of the block has place first + i; places: the place of each of its columns, or
// NONE. One warp per chosen row.
extern "C" __global__ void read_gram(u32 rows, const u32 *chosen, u32 first, const u64 *starts, const u32 *columns,
                                     const void *values, int kind, const u32 *places, double *matrix, u32 size) {
    u32 i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= rows) return;
    u32 own = first + i;
    for (u64 e = starts[chosen[i]] + lane; e < starts[chosen[i] + 1]; e += 32) {
        u32 other = places[columns[e]];
        if (other != NONE && other <= own) matrix[(u64)own * size + other] = value_of(values, kind, e);
    }
}

// Sums of products of chosen columns over rows, as whole numbers of 1/unit: additions of whole numbers have no order. factors: what a
// column's numbers are multiplied by before they are rounded; null if all are 1. One warp per row; `list` holds the chosen entries of a
// row, 256 at a time.
struct View { const u64 *starts; u64 base; const u32 *columns; const void *values; int kind; const u32 *places; };
#define LIST 256
extern "C" __global__ void __launch_bounds__(128) read_rows(u64 rows, View x, View y, const double *weights, const double *factors,
                                                            double unit, i64 *sums, u32 size) {
    __shared__ u32 list_places[4][2][LIST];
    __shared__ double list_values[4][2][LIST];
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    u64 row = (u64)blockIdx.x * 4 + warp;
    if (row >= rows) return;
    u64 lengths[2] = {x.starts[row + 1] - x.starts[row], y.starts[row + 1] - y.starts[row]};
    u64 total = lengths[0] + lengths[1];
    double weight = weights ? weights[row] : 1.0;
    // Both lists run over the entries of both views, LIST at a time.
    for (u64 outer = 0; outer < total; outer += LIST) {
        for (u64 inner = 0; inner <= outer; inner += LIST) {
            u32 counts[2];
            for (int which = 0; which < 2; which++) {
                u64 from = which ? inner : outer;
                u32 count = 0;
                for (u64 e = from; e < from + LIST && e < total; e += 32) {
                    u64 at = e + lane;
                    u32 place = NONE;
                    double value = 0.0;
                    if (at < total && at < from + LIST) {
                        const View &view = at < lengths[0] ? x : y;
                        u64 entry = view.starts[row] - view.base + (at < lengths[0] ? at : at - lengths[0]);
                        place = view.places[view.columns[entry]];
                        if (place != NONE) value = value_of(view.values, view.kind, entry) * (factors ? factors[place] : 1.0);
                    }
                    u32 found = __ballot_sync(0xffffffffu, place != NONE);
                    u32 slot = count + __popc(found & ((1u << lane) - 1));
                    if (place != NONE) { list_places[warp][which][slot] = place; list_values[warp][which][slot] = value; }
                    count += __popc(found);
                }
                counts[which] = count;
            }
            __syncwarp();
            for (u32 pair = lane; pair < counts[0] * counts[1]; pair += 32) {
                u32 i = pair / counts[1], j = pair % counts[1];
                u32 a = list_places[warp][0][i], b = list_places[warp][1][j];
                // Within one list each pair comes twice; between lists once, and the larger place may be in either.
                if (outer == inner && b > a) continue;
                u32 high = a > b ? a : b, low = a > b ? b : a;
                double product = list_values[warp][0][i] * list_values[warp][1][j] * weight * unit;
                atomicAdd((u64 *)(sums + (u64)high * size + low), (u64)llrint(product));
            }
            __syncwarp();
        }
    }
}

// Sums as floating-point numbers, without the factors that the columns were multiplied by.
extern "C" __global__ void to_floats(u32 chosen, u32 size, i64 *sums, double unit, const double *factors) {
    EACH(index, (u64)size * size) {
        u32 i = index / size, j = index % size;
        if (i >= chosen || j > i) continue;
        double divisor = factors ? factors[i] * factors[j] * unit : unit;
        ((double *)sums)[index] = divisor != 0.0 ? (double)sums[index] / divisor : 0.0;
    }
}

// Centers the Gram matrix of the chosen columns, scales it, turns the sign of what is between the views, and sets the diagonal.
// means: of the columns, or null; split: the number of X's columns; identities: views whose columns are orthogonal.
extern "C" __global__ void finish_block(u32 chosen, u32 size, double *matrix, const double *means, double weight, const double *scale,
                                        u32 split, int x_is_identity, int y_is_identity, double diagonal) {
    EACH(index, (u64)size * size) {
        u32 i = index / size, j = index % size;
        if (j > i) continue;
        double value = 0.0;
        if (i == j) value = i < chosen ? diagonal : 1.0;
        else if (i < chosen) {
            bool within_x = i < split, within_y = j >= split;
            value = matrix[index];
            if (means) value -= weight * means[i] * means[j];
            value *= scale[i] * scale[j];
            if ((within_x && x_is_identity) || (within_y && y_is_identity)) value = 0.0;
            if (!within_x && !within_y) value = -value;
        }
        matrix[index] = value;
    }
}

#define NB 64

// Factorizes the 64 x 64 block on the diagonal and inverts its factor. failed: set if a pivot is not positive. One block of 256 threads.
extern "C" __global__ void __launch_bounds__(256) factor_diagonal(u32 size, double *matrix, u32 first, double *inverses, int *failed) {
    __shared__ double a[NB][NB + 1];
    __shared__ double x[NB][NB + 1];
    u32 t = threadIdx.x;
    for (u32 e = t; e < NB * NB; e += 256) {
        u32 i = e / NB, j = e % NB;
        a[i][j] = j <= i ? matrix[(u64)(first + i) * size + first + j] : 0.0;
        x[i][j] = i == j ? 1.0 : 0.0;
    }
    __syncthreads();
    for (u32 k = 0; k < NB; k++) {
        double pivot = a[k][k];
        if (t == 0 && !(pivot > 0.0)) *failed = 1;
        double root = sqrt(pivot > 0.0 ? pivot : 1.0);
        __syncthreads();
        if (t < NB && t >= k) a[t][k] = t == k ? root : a[t][k] / root;
        __syncthreads();
        for (u32 e = t; e < NB * NB; e += 256) {
            u32 i = e / NB, j = e % NB;
            if (j > k && i >= j) a[i][j] -= a[i][k] * a[j][k];
        }
        __syncthreads();
    }
    // Columns of the inverse, one per thread group of 4: row by row, x[i] = (x[i] - sum of a[i][k] * x[k]) / a[i][i].
    for (u32 i = 0; i < NB; i++) {
        if (t < NB && t <= i) {
            double sum = x[i][t];
            for (u32 k = t; k < i; k++) sum -= a[i][k] * x[k][t];
            x[i][t] = sum / a[i][i];
        }
        __syncthreads();
    }
    double *inverse = inverses + (u64)first * NB;
    for (u32 e = t; e < NB * NB; e += 256) {
        u32 i = e / NB, j = e % NB;
        if (j <= i) matrix[(u64)(first + i) * size + first + j] = a[i][j];
        inverse[e] = x[i][j];
    }
}

// tile = A (64 x 64) * B^T (64 x 64), both row-major. Each of 4 warps has 32 x 32 numbers of it.
__device__ __forceinline__ void times_transposed(Tile &tile, const double *a, u64 a_stride, const double *b, u64 b_stride) {
    __shared__ double as[DEPTH][PITCH(NB)];
    __shared__ double bs[DEPTH][PITCH(NB)];
    tile.clear();
    for (u32 k0 = 0; k0 < NB; k0 += DEPTH) {
        for (u32 e = threadIdx.x; e < NB * DEPTH; e += 128) {
            u32 r = e / DEPTH, k = e % DEPTH;
            as[k][r] = a[r * a_stride + k0 + k];
            bs[k][r] = b[r * b_stride + k0 + k];
        }
        __syncthreads();
        tile.add(&as[0][threadIdx.x / 64 * 32], PITCH(NB), &bs[0][threadIdx.x / 32 % 2 * 32], PITCH(NB));
        __syncthreads();
    }
}

// Calls visit(row, column, number) for the thread's own numbers of the 64 x 64.
template <class Visit> __device__ __forceinline__ void for_each_of(const Tile &tile, Visit visit) {
#pragma unroll
    for (u32 i = 0; i < 4; i++)
#pragma unroll
        for (u32 j = 0; j < 8; j++)
            visit(threadIdx.x / 64 * 32 + Tile::row(i), threadIdx.x / 32 % 2 * 32 + Tile::col(j / 2, j % 2), tile.sums[i][j / 2][j % 2]);
}

// The blocks below the diagonal block: L_ik = A_ik * (L_kk^-1)^T. One thread block per block of 64 rows.
extern "C" __global__ void __launch_bounds__(128) factor_below(u32 size, double *matrix, u32 first, const double *inverses) {
    double *a = matrix + (u64)(first + NB * (1 + blockIdx.x)) * size + first;
    Tile tile;
    times_transposed(tile, a, size, inverses + (u64)first * NB, NB);
    for_each_of(tile, [=](u32 row, u32 col, double sum) { a[(u64)row * size + col] = sum; });
}

// What is left: A_ij -= L_ik * L_jk^T for the blocks i >= j after k. blockIdx.x runs over the lower triangle of blocks.
extern "C" __global__ void __launch_bounds__(128) factor_rest(u32 size, double *matrix, u32 first) {
    u32 i = lower_row(blockIdx.x), j = blockIdx.x - i * (i + 1) / 2;
    const double *a = matrix + (u64)(first + NB * (1 + i)) * size + first, *b = matrix + (u64)(first + NB * (1 + j)) * size + first;
    Tile tile;
    times_transposed(tile, a, size, b, size);
    double *out = matrix + (u64)(first + NB * (1 + i)) * size + first + NB * (1 + j);
    for_each_of(tile, [=](u32 row, u32 col, double sum) { out[(u64)row * size + col] -= sum; });
}

// r[own block] = L_kk^-1 (or its transpose) * r[own block], for 32 columns. One thread block of 256 per 32 columns.
extern "C" __global__ void __launch_bounds__(256) solve_diagonal(const double *inverses, u32 first, double *r, u32 stride, int transposed) {
    __shared__ double own[NB][33];
    __shared__ double inverse[NB][NB + 1];
    u32 t = threadIdx.x, col0 = blockIdx.x * 32, c = t % 32, r0 = t / 32;
    for (u32 e = t; e < NB * NB; e += 256) inverse[e / NB][e % NB] = inverses[(u64)first * NB + e];
    for (u32 i = r0; i < NB; i += 8) own[i][c] = col0 + c < stride ? r[(u64)(first + i) * stride + col0 + c] : 0.0;
    __syncthreads();
    for (u32 i = r0; i < NB; i += 8) {
        double sum = 0.0;
        if (transposed) for (u32 k = i; k < NB; k++) sum = fma(inverse[k][i], own[k][c], sum);
        else for (u32 k = 0; k <= i; k++) sum = fma(inverse[i][k], own[k][c], sum);
        if (col0 + c < stride) r[(u64)(first + i) * stride + col0 + c] = sum;
    }
}

// r[other block] -= L (or its transpose) * r[own block]: the blocks after the own one, or before it if transposed. One thread block of
// 256 per other block and 32 columns.
extern "C" __global__ void __launch_bounds__(256) solve_rest(u32 size, const double *matrix, u32 first, double *r, u32 stride,
                                                             int transposed) {
    __shared__ double own[NB][33];
    __shared__ double block[NB][NB + 1];
    u32 t = threadIdx.x, col0 = blockIdx.y * 32, c = t % 32, r0 = t / 32;
    u32 other = transposed ? NB * blockIdx.x : first + NB * (1 + blockIdx.x);
    for (u32 e = t; e < NB * NB; e += 256) {
        u32 i = e / NB, k = e % NB;
        if (transposed) block[k][i] = matrix[(u64)(first + i) * size + other + k];
        else block[i][k] = matrix[(u64)(other + i) * size + first + k];
    }
    for (u32 i = r0; i < NB; i += 8) own[i][c] = col0 + c < stride ? r[(u64)(first + i) * stride + col0 + c] : 0.0;
    __syncthreads();
    for (u32 i = r0; i < NB; i += 8) {
        double sum = 0.0;
#pragma unroll 8
        for (u32 k = 0; k < NB; k++) sum = fma(block[i][k], own[k][c], sum);
        if (col0 + c < stride) r[(u64)(other + i) * stride + col0 + c] -= sum;
    }
}
