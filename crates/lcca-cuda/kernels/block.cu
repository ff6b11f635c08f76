// The coarse block: B - A on chosen columns, or more generally sigma * B - A + V * V^T, is formed here;
// factor.cu factorizes it. A matrix is row-major and square; its lower triangle counts. Its size is a
// multiple of 64: rows and columns beyond the chosen ones are those of the identity.

#define NONE 0xffffffffu

// Entries are all 1, f32 or f64.
__device__ double value_of(const void *values, int kind, u64 entry) {
    return kind == 0   ? 1.0
           : kind == 1 ? (double)((const float *)values)[entry]
                       : ((const double *)values)[entry];
}

// Entries of a block of the Gram matrix. Row `chosen[i]` of the block has place first + i; places: the place
// of each of its columns, or NONE. One warp for each part of a chosen row; blockIdx.y says which part.
extern "C" __global__ void read_gram(u32 rows, const u32 *chosen, u32 first, const u64 *starts,
                                     const u32 *columns, const void *values, int kind, const u32 *places,
                                     double *matrix, u32 size) {
    u32 i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= rows) return;
    u32 own = first + i;
    u64 end = starts[chosen[i] + 1];
    for (u64 e = starts[chosen[i]] + 32 * blockIdx.y + lane; e < end; e += 32 * gridDim.y) {
        u32 other = places[columns[e]];
        if (other != NONE && other <= own) matrix[(u64)own * size + other] = value_of(values, kind, e);
    }
}

// Sums of products of chosen columns over rows, as whole numbers of 1/unit: additions of whole numbers have
// no order. factors: what a column's numbers are multiplied by before they are rounded; null if all are 1.
// One warp per row; `list` holds the chosen entries of a row, 256 at a time.
struct View {
    const u64 *starts;
    u64 base;
    const u32 *columns;
    const void *values;
    int kind;
    const u32 *places;
};
#define LIST 256
extern "C" __global__ void __launch_bounds__(128)
    read_rows(u64 rows, View x, View y, const double *weights, const double *factors, double unit, i64 *sums,
              u32 size) {
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
                        if (place != NONE)
                            value =
                                value_of(view.values, view.kind, entry) * (factors ? factors[place] : 1.0);
                    }
                    u32 found = __ballot_sync(0xffffffffu, place != NONE);
                    u32 slot = count + __popc(found & ((1u << lane) - 1));
                    if (place != NONE) {
                        list_places[warp][which][slot] = place;
                        list_values[warp][which][slot] = value;
                    }
                    count += __popc(found);
                }
                counts[which] = count;
            }
            __syncwarp();
            for (u32 pair = lane; pair < counts[0] * counts[1]; pair += 32) {
                u32 i = pair / counts[1], j = pair % counts[1];
                u32 a = list_places[warp][0][i], b = list_places[warp][1][j];
                // Within one list each pair comes twice; between lists once, and the larger place may be in
                // either.
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

// Centers the Gram matrix of the chosen columns, scales it, multiplies what is within a view by sigma, turns
// the sign of what is between the views, sets the diagonal to sigma, adds the products of `lifted` vectors,
// which follow each other, and multiplies the diagonal by `raised`. means: of the columns, or null; scale: 0
// for columns that do not vary; split: the number of X's columns; identities: views whose columns are
// orthogonal. A thread block of 256 has 256 numbers of a row.
extern "C" __global__ void finish_block(u32 chosen, u32 size, double *matrix, const double *means,
                                        double weight, const double *scale, u32 split, int x_is_identity,
                                        int y_is_identity, double sigma, u32 lifted, const double *lifting,
                                        double raised) {
    u32 i = blockIdx.x, j = blockIdx.y * blockDim.x + threadIdx.x;
    if (j > i) return;
    bool within_x = i < split, within_y = j >= split;
    double value = 0.0;
    if (i == j) value = i < chosen && scale[i] != 0.0 ? sigma : 1.0;
    else if (i < chosen) {
        value = matrix[(u64)i * size + j];
        if (means) value -= weight * means[i] * means[j];
        value *= scale[i] * scale[j];
        if ((within_x && x_is_identity) || (within_y && y_is_identity)) value = 0.0;
        value *= within_x || within_y ? sigma : -1.0;
    }
    if (i < chosen)
        for (u32 v = 0; v < lifted; v++)
            value = fma(lifting[(u64)v * chosen + i], lifting[(u64)v * chosen + j], value);
    matrix[(u64)i * size + j] = i == j && i < chosen ? value * raised : value;
}
