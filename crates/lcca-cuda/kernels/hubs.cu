// Witnesses of one column against many of the other view. They are found as the host does in fit/hubs.rs, operation by operation, and this file is
// compiled without fused multiplications: both find the same bits. One block of threads per column.

#define THREADS 512
#define WARP 32
// Partners of a column that count.
#define PARTNERS 64
#define PITCH_OF_PARTNERS (PARTNERS + 1)
// Bits of the digits by which the largest entries are found.
#define DIGIT 11
#define RADIX (1 << DIGIT)
// Candidates that are few enough to be compared with each other.
#define FEW 512

// A candidate: the bits of a positive number, which are the larger the larger it is, and the complement of its column, since of equal ones the first
// counts.
struct Candidate { u64 key; u32 complement; };

// How many candidates have each digit, and those that are listed.
struct Choice { u64 keys[FEW]; u32 complements[FEW]; u32 counts[RADIX]; };

struct Hub {
    union {
        // First partners are chosen.
        Choice choice;
        // The factor below the diagonal and on it, and above it the entries between partners, mirrored.
        double between[PARTNERS][PITCH_OF_PARTNERS];
    };
    double entries[PARTNERS], u[PARTNERS], terms[PARTNERS], column[PARTNERS];
    u32 columns[PARTNERS];
    u32 digit, wanted, in_digit, count;
};

// A scaled entry of a column; key 0 if it is not positive.
__device__ Candidate candidate_of(const Grams &g, const Block &block, int side, u32 column, u64 entry) {
    u32 j = block.columns[entry];
    double value = centered(g, own_mean(g, side, column), 1 - side, j, value_of(block, entry));
    double product = value * sqrt(g.inverse[side][column] * g.inverse[1 - side][j]);
    return {product > 0.0 ? (u64)__double_as_longlong(product) : 0, ~j};
}

// From how many candidates have each digit, the digit that the last of the `wanted` largest has; `wanted` becomes how many of those with this digit are
// wanted. If there are fewer candidates, it is 0. One warp does it: each lane has a range of digits.
__device__ void choose_digit(Hub &hub) {
    __syncthreads();
    if (threadIdx.x < WARP) {
        u32 lane = threadIdx.x, own = 0, first = lane * (RADIX / WARP), last = first + RADIX / WARP - 1;
        for (u32 digit = first; digit <= last; digit++) own += hub.choice.counts[digit];
        u32 above = own, wanted = hub.wanted;
        for (u32 step = 1; step < WARP; step *= 2) {
            u32 more = __shfl_down_sync(0xffffffffu, above, step);
            if (lane + step < WARP) above += more;
        }
        // Those with digits of later lanes.
        above -= own;
        __syncwarp();
        if (above < wanted && (above + own >= wanted || lane == 0)) {
            u32 left = wanted - above, digit = last;
            while (digit > first && hub.choice.counts[digit] < left) left -= hub.choice.counts[digit--];
            hub.digit = digit;
            hub.wanted = left;
            hub.in_digit = hub.choice.counts[digit];
        }
    }
    __syncthreads();
}

// Lists the PARTNERS largest positive entries of a column and some that are smaller, at most FEW, in no order. What is in is narrowed down digit by
// digit: those of the key first, then those of the column.
__device__ void list_candidates(Hub &hub, const Grams &g, int side, u32 column) {
    Block block = g.blocks[side][1 - side];
    u64 start = block.starts[column], end = block.starts[column + 1];
    // The least key that is in, and of those that are equal to it the least complement.
    u64 least = 1;
    u32 complement = 0;
    bool is_few = end - start <= FEW;
    if (threadIdx.x == 0) hub.wanted = PARTNERS, hub.count = 0;
    __syncthreads();
    for (int level = 0; !is_few && level < 9; level++) {
        bool is_key = level < 6;
        // Shifts of 53, 42, 31, 20, 9 and 0; then of 21, 10 and 0.
        int next = is_key ? 64 - DIGIT * level : 32 - DIGIT * (level - 6), shift = next > DIGIT ? next - DIGIT : 0;
        u32 mask = (1u << (next - shift)) - 1;
        for (u32 i = threadIdx.x; i < RADIX; i += THREADS) hub.choice.counts[i] = 0;
        __syncthreads();
        for (u64 entry = start + threadIdx.x; entry < end; entry += THREADS) {
            Candidate own = candidate_of(g, block, side, column, entry);
            if (own.key == 0) continue;
            bool is_open = is_key ? next == 64 || own.key >> next == least >> next
                                  : own.key == least && (next == 32 || own.complement >> next == complement >> next);
            if (is_open) atomicAdd(&hub.choice.counts[(is_key ? own.key >> shift : (u64)(own.complement >> shift)) & mask], 1u);
        }
        choose_digit(hub);
        if (level == 0) least = 0;
        if (is_key) least |= (u64)hub.digit << shift;
        else complement |= hub.digit << shift;
        is_few = PARTNERS - hub.wanted + hub.in_digit <= FEW;
        __syncthreads();
    }
    for (u64 entry = start + threadIdx.x; entry < end; entry += THREADS) {
        Candidate own = candidate_of(g, block, side, column, entry);
        if (own.key == 0 || own.key < least || (own.key == least && own.complement < complement)) continue;
        u32 place = atomicAdd(&hub.count, 1u);
        hub.choice.keys[place] = own.key;
        hub.choice.complements[place] = own.complement;
    }
    __syncthreads();
}

// Puts the first candidates in order: the largest first, and of equal ones the first column.
__device__ void order_partners(Hub &hub) {
    u32 count = hub.count;
    for (u32 i = threadIdx.x; i < count; i += THREADS) {
        u64 key = hub.choice.keys[i];
        u32 complement = hub.choice.complements[i], place = 0;
        for (u32 j = 0; j < count; j++) place += hub.choice.keys[j] > key || (hub.choice.keys[j] == key && hub.choice.complements[j] > complement);
        if (place >= PARTNERS) continue;
        hub.entries[place] = hub.u[place] = __longlong_as_double((i64)key);
        hub.columns[place] = ~complement;
    }
    __syncthreads();
    if (threadIdx.x == 0) hub.count = count < PARTNERS ? count : PARTNERS;
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
    list_candidates(hub, g, side, column);
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
