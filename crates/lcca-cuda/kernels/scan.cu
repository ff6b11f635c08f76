// Scans of sparse Gram matrices for columns that belong together. They do what the host does in fit/twins.rs, fit/grow.rs and fit/hubs.rs,
// operation by operation, and this file is compiled without fused multiplications: both find the same bits.

#define THREADS 256
#define WARP 32
#define NOBODY 0xffffffffu

// For every column of a view the other one of it with the largest product by absolute value, the first of equal ones. One warp per column.
extern "C" __global__ void __launch_bounds__(THREADS) nearest_columns(u64 rows, Grams g, int side, const u64 *counts, u64 fewest, u32 *columns,
                                                                      double *products) {
    u64 row = ((u64)blockIdx.x * THREADS + threadIdx.x) / WARP;
    u32 lane = threadIdx.x % WARP, at = (u32)row;
    if (row >= rows) return;
    double best = 0.0;
    if (counts[row] >= fewest && !g.identities[side]) {
        Block block = g.blocks[side][side];
        double own = own_mean(g, side, row), inverse = g.inverse[side][row];
        for (u64 entry = block.starts[row] + lane; entry < block.starts[row + 1]; entry += WARP) {
            u32 j = block.columns[entry];
            if (j == row || counts[j] < fewest) continue;
            double product = centered(g, own, side, j, value_of(block, entry)) * sqrt(inverse * g.inverse[side][j]);
            if (fabs(product) > fabs(best)) best = product, at = j;
        }
    }
    for (u32 step = WARP / 2; step > 0; step /= 2) {
        double other = __shfl_down_sync(0xffffffffu, best, step);
        u32 column = __shfl_down_sync(0xffffffffu, at, step);
        if (fabs(other) > fabs(best) || (fabs(other) == fabs(best) && other != 0.0 && column < at)) best = other, at = column;
    }
    if (lane == 0) columns[row] = at, products[row] = best;
}

// For every column of a view the one of the other view with the largest product above `faint`, the first of equal ones; otherwise its own
// number and 0. One warp per column.
extern "C" __global__ void __launch_bounds__(THREADS) strongest_columns(u64 rows, Grams g, int side, double faint, u32 *columns, double *products) {
    u64 row = ((u64)blockIdx.x * THREADS + threadIdx.x) / WARP;
    u32 lane = threadIdx.x % WARP, at = NOBODY;
    if (row >= rows) return;
    Block block = g.blocks[side][1 - side];
    double own = own_mean(g, side, row), inverse = g.inverse[side][row], best = faint;
    for (u64 entry = block.starts[row] + lane; entry < block.starts[row + 1]; entry += WARP) {
        u32 j = block.columns[entry];
        double product = centered(g, own, 1 - side, j, value_of(block, entry)) * sqrt(inverse * g.inverse[1 - side][j]);
        if (product > best) best = product, at = j;
    }
    for (u32 step = WARP / 2; step > 0; step /= 2) {
        double other = __shfl_down_sync(0xffffffffu, best, step);
        u32 column = __shfl_down_sync(0xffffffffu, at, step);
        if (other > best || (other == best && column < at)) best = other, at = column;
    }
    if (lane == 0) columns[row] = at == NOBODY ? (u32)row : at, products[row] = at == NOBODY ? 0.0 : best;
}

// What the squares of a column's products with the other view add up to; -1 if that is less than `least`, or if one of them is `alone` of
// the sum or more. One warp per column: each lane sums every 32nd entry.
extern "C" __global__ void __launch_bounds__(THREADS) explained_squares(u64 rows, Grams g, int side, double least, double alone, double *out) {
    u64 row = ((u64)blockIdx.x * THREADS + threadIdx.x) / WARP;
    u32 lane = threadIdx.x % WARP;
    if (row >= rows) return;
    Block block = g.blocks[side][1 - side];
    double own = own_mean(g, side, row), sum = 0.0, largest = 0.0;
    for (u64 entry = block.starts[row] + lane; entry < block.starts[row + 1]; entry += WARP) {
        u32 j = block.columns[entry];
        double value = fmax(centered(g, own, 1 - side, j, value_of(block, entry)), 0.0), square = value * value * g.inverse[1 - side][j];
        sum += square;
        largest = fmax(largest, square);
    }
    for (u32 step = WARP / 2; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, step);
        largest = fmax(largest, __shfl_down_sync(0xffffffffu, largest, step));
    }
    double explained = sum * g.inverse[side][row];
    if (lane == 0) out[row] = explained >= least && largest < alone * sum ? explained : -1.0;
}

// Partners of a column that count.
#define PARTNERS 64
#define PITCH_OF_PARTNERS (PARTNERS + 1)
// Digits by which the largest entries are found.
#define RADIX 256

struct Hub {
    // The factor below the diagonal and on it, and above it the entries between partners, mirrored.
    double between[PARTNERS][PITCH_OF_PARTNERS];
    double entries[PARTNERS], found[PARTNERS], u[PARTNERS], terms[PARTNERS], column[PARTNERS];
    u32 columns[PARTNERS], numbers[PARTNERS];
    u32 counts[RADIX];
    u32 digit, wanted, count;
};

// From how many keys have each digit, the digit that the last of the `wanted` largest has; `wanted` becomes how many of those with this digit are
// wanted.
__device__ void choose_digit(Hub &hub) {
    __syncthreads();
    if (threadIdx.x == 0) {
        u32 wanted = hub.wanted, digit = RADIX - 1;
        while (digit > 0 && hub.counts[digit] < wanted) wanted -= hub.counts[digit--];
        hub.digit = digit;
        hub.wanted = wanted;
    }
    __syncthreads();
}

// The bits of a positive entry of a column, scaled: the larger the number, the larger they are. 0 if it is not positive.
__device__ u64 key_of(const Grams &g, const Block &block, int side, u32 column, u64 entry) {
    u32 j = block.columns[entry];
    double value = centered(g, own_mean(g, side, column), 1 - side, j, value_of(block, entry));
    double product = value * sqrt(g.inverse[side][column] * g.inverse[1 - side][j]);
    return product > 0.0 ? (u64)__double_as_longlong(product) : 0;
}

// The PARTNERS largest positive entries of a column, of equal ones the first, in no order: keys are narrowed down digit by digit, and then the
// columns of those that are equal to the smallest.
__device__ void find_partners(Hub &hub, const Grams &g, int side, u32 column) {
    Block block = g.blocks[side][1 - side];
    u64 start = block.starts[column], end = block.starts[column + 1], prefix = 0;
    if (threadIdx.x == 0) hub.wanted = PARTNERS, hub.count = 0;
    __syncthreads();
    u32 positive = 0;
    for (u64 entry = start + threadIdx.x; entry < end; entry += THREADS) positive += key_of(g, block, side, column, entry) != 0;
    if (positive) atomicAdd(&hub.count, positive);
    __syncthreads();
    bool is_many = hub.count > PARTNERS;
    __syncthreads();
    if (threadIdx.x == 0) hub.count = 0;
    for (int shift = 56; is_many && shift >= 0; shift -= 8) {
        for (u32 i = threadIdx.x; i < RADIX; i += THREADS) hub.counts[i] = 0;
        __syncthreads();
        for (u64 entry = start + threadIdx.x; entry < end; entry += THREADS) {
            u64 key = key_of(g, block, side, column, entry);
            if (key && (shift == 56 || key >> (shift + 8) == prefix)) atomicAdd(&hub.counts[key >> shift & (RADIX - 1)], 1u);
        }
        choose_digit(hub);
        prefix = prefix << 8 | hub.digit;
    }
    // Small columns come first, so that it is their complements that are largest.
    u32 complement = 0;
    for (int shift = 24; is_many && shift >= 0; shift -= 8) {
        for (u32 i = threadIdx.x; i < RADIX; i += THREADS) hub.counts[i] = 0;
        __syncthreads();
        for (u64 entry = start + threadIdx.x; entry < end; entry += THREADS) {
            u32 own = ~block.columns[entry];
            if (key_of(g, block, side, column, entry) == prefix && (shift == 24 || own >> (shift + 8) == complement))
                atomicAdd(&hub.counts[own >> shift & (RADIX - 1)], 1u);
        }
        choose_digit(hub);
        complement = complement << 8 | hub.digit;
    }
    u32 last = ~complement;
    __syncthreads();
    for (u64 entry = start + threadIdx.x; entry < end; entry += THREADS) {
        u64 key = key_of(g, block, side, column, entry);
        u32 j = block.columns[entry];
        if (key == 0 || (is_many && (key < prefix || (key == prefix && j > last)))) continue;
        u32 place = atomicAdd(&hub.count, 1u);
        hub.found[place] = __longlong_as_double((i64)key);
        hub.numbers[place] = j;
    }
    __syncthreads();
}

// Puts partners in order: the largest first, and of equal ones the first column.
__device__ void order_partners(Hub &hub) {
    u32 size = hub.count;
    for (u32 i = threadIdx.x; i < size; i += THREADS) {
        u32 place = 0;
        for (u32 j = 0; j < size; j++)
            place += hub.found[j] > hub.found[i] || (hub.found[j] == hub.found[i] && hub.numbers[j] < hub.numbers[i]);
        hub.entries[place] = hub.u[place] = hub.found[i];
        hub.columns[place] = hub.numbers[i];
    }
    __syncthreads();
}

// (b + epsilon I) u = c by a Cholesky factor; false if a pivot is not positive. c is in hub.u, which becomes u.
__device__ bool solve_partners(Hub &hub) {
    u32 size = hub.count;
    for (u32 k = 0; k < size; k++) {
        double pivot = hub.between[k][k];
        if (!(pivot > 0.0)) return false;
        double root = sqrt(pivot);
        __syncthreads();
        if (threadIdx.x == 0) {
            hub.between[k][k] = root;
            hub.u[k] = hub.u[k] / root;
        }
        for (u32 i = k + 1 + threadIdx.x; i < size; i += THREADS) hub.between[i][k] = hub.column[i] = hub.between[i][k] / root;
        __syncthreads();
        u32 left = size - k - 1;
        for (u32 place = threadIdx.x; place < left * (left + 1) / 2; place += THREADS) {
            u32 row = lower_row(place), i = k + 1 + row, j = k + 1 + place - row * (row + 1) / 2;
            hub.between[i][j] -= hub.column[i] * hub.column[j];
        }
        for (u32 i = k + 1 + threadIdx.x; i < size; i += THREADS) hub.u[i] -= hub.column[i] * hub.u[k];
        __syncthreads();
    }
    for (u32 k = size; k-- > 0;) {
        if (threadIdx.x == 0) hub.u[k] = hub.u[k] / hub.between[k][k];
        __syncthreads();
        for (u32 i = threadIdx.x; i < k; i += THREADS) hub.u[i] -= hub.between[k][i] * hub.u[k];
        __syncthreads();
    }
    return true;
}

// The witnesses of some columns and their partners. sizes: 0 if there is none. columns, weights: PARTNERS per witness.
extern "C" __global__ void __launch_bounds__(THREADS) hub_witnesses(Grams g, int side, const u32 *hubs, double least, double most, double epsilon,
                                                                    u32 *sizes, u32 *columns, double *weights, double *objectives) {
    __shared__ Hub hub;
    __shared__ double length, objective;
    u32 column = hubs[blockIdx.x];
    int other = 1 - side;
    find_partners(hub, g, side, column);
    order_partners(hub);
    u32 size = hub.count;
    for (u32 place = threadIdx.x; place < size * (size + 1) / 2; place += THREADS) {
        u32 i = lower_row(place), j = place - i * (i + 1) / 2;
        if (i == j) hub.between[i][i] = 1.0 + epsilon;
        else hub.between[i][j] = hub.between[j][i] = scaled_entry(g, other, hub.columns[i], other, hub.columns[j]);
    }
    __syncthreads();
    bool is_solved = solve_partners(hub);
    for (u32 i = threadIdx.x; is_solved && i < size; i += THREADS) {
        double sum = 0.0;
        for (u32 j = 0; j < i; j++) sum += 2.0 * hub.between[j][i] * hub.u[j];
        hub.terms[i] = hub.u[i] * (sum + hub.u[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        double product = 0.0, square = 0.0;
        for (u32 i = 0; is_solved && i < size; i++) {
            product += hub.entries[i] * hub.u[i];
            square += hub.terms[i];
        }
        length = sqrt(square);
        objective = product / length;
        bool is_one = is_solved && objective > least && objective <= most;
        sizes[blockIdx.x] = is_one ? size : 0;
        objectives[blockIdx.x] = objective;
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < size; i += THREADS) {
        u64 place = (u64)blockIdx.x * PARTNERS + i;
        columns[place] = hub.columns[i];
        weights[place] = hub.u[i] * sqrt(g.inverse[other][hub.columns[i]]) / length;
    }
}
