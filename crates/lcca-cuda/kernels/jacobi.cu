// Singular vectors by one-sided Jacobi rotations (Hestenes 1958): rotations of two columns at a time make the
// columns of A orthogonal, and then they are left singular vectors times singular values.
//
// Columns are cut into groups of eight. In a round, every thread block takes two groups into registers,
// rotates all pairs between them and puts them back; after groups - 1 rounds every group has met every other,
// which is a sweep. All thread blocks wait for each other after each round, so they must run at the same
// time. A sweep in which no pair is far from orthogonal is the last.
//
// Sums have the same order every time.

// Columns of a group, and of the two that a thread block has.
#define GROUP 8
#define OWN (2 * GROUP)
#define WARPS 4
// Steps of eight rotations that do not touch the same column: within both groups, and between them.
#define WITHIN 7
#define BETWEEN 8
#define MOST_SWEEPS 40
// Two columns are orthogonal if their product is not above this share of their lengths. Rounding of the
// product alone makes a quarter of it.
#define ORTHOGONAL 4e-15

// What a thread block notes in shared memory.
struct Notes {
    // Sums over the rows of each warp, those of every other step in the same place.
    double sums[2][WARPS][GROUP];
    // Rotations and squares of columns, the same for each warp.
    double2 turns[WARPS][GROUP];
    double squares[WARPS][OWN];
};

// Columns change places after every step, so that the same places are turned in the next one: within a group,
// all but the last go around, and place i < 7 has column (i + step) % 7; between two groups, those of the
// second go around, and place 8 + i has column 8 + (i + step) % 8. The places that rotation q turns:
template<bool IS_WITHIN> __device__ __forceinline__ u32 left_place(u32 q) {
    return IS_WITHIN ? q / 4 * GROUP + q % 4 : q;
}
template<bool IS_WITHIN> __device__ __forceinline__ u32 right_place(u32 q) {
    if (!IS_WITHIN) return GROUP + q;
    return q / 4 * GROUP + (q % 4 == 0 ? 7 : 7 - q % 4);
}
// The column that a place has in a step.
template<bool IS_WITHIN> __device__ __forceinline__ u32 column_at(u32 place, u32 step) {
    if (!IS_WITHIN) return place < GROUP ? place : GROUP + (place + step) % GROUP;
    return place % GROUP == 7 ? place : place / GROUP * GROUP + (place % GROUP + step) % 7;
}

// The group that a thread block has on one side in a round: the last group stays where it is, and the others
// go around.
__device__ __forceinline__ u32 group_of(u32 groups, u32 round, u32 block, u32 side) {
    u32 circle = groups - 1;
    if (block == 0) return side == 0 ? round : circle;
    return side == 0 ? (round + block) % circle : (round + circle - block) % circle;
}

// The sums of eight numbers over the lanes of a warp: lanes 4q to 4q + 3 get that of number q.
__device__ __forceinline__ double sum_of_own(const double (&numbers)[GROUP]) {
    u32 lane = threadIdx.x % 32;
    double half[4], quarter[2];
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
        bool high = lane & 16;
        half[i] = (high ? numbers[4 + i] : numbers[i]) +
                  __shfl_xor_sync(~0u, high ? numbers[i] : numbers[4 + i], 16);
    }
#pragma unroll
    for (u32 i = 0; i < 2; i++) {
        bool high = lane & 8;
        quarter[i] = (high ? half[2 + i] : half[i]) + __shfl_xor_sync(~0u, high ? half[i] : half[2 + i], 8);
    }
    bool high = lane & 4;
    double sum = (high ? quarter[1] : quarter[0]) + __shfl_xor_sync(~0u, high ? quarter[0] : quarter[1], 4);
    sum += __shfl_xor_sync(~0u, sum, 2);
    return sum + __shfl_xor_sync(~0u, sum, 1);
}

// Cosine and sine of the rotation that makes two columns orthogonal, from their squares and their product.
// The angle is found in single precision, because what is left is a matter for the next sweep; that it is a
// rotation must be exact.
__device__ __forceinline__ double2 rotation(double left, double right, double product) {
    double apart = right - left, largest = fmax(fabs(apart), 2.0 * fabs(product));
    // A power of two, so that the largest number is about 1.
    double scale = __hiloint2double(0x7fe00000 - (__double2hiint(largest) & 0x7ff00000), 0);
    float d = (float)(fabs(apart) * scale), p = (float)(2.0 * product * scale), square = fmaf(d, d, p * p);
    float tangent = __fdividef(p, d + square * rsqrtf(square));
    double t = apart < 0.0 ? -tangent : tangent;
    double x = fma(t, t, 1.0), c = (double)rsqrtf((float)x);
    c = c * fma(-0.5 * x * c, c, 1.5);
    c = c * fma(-0.5 * x * c, c, 1.5);
    return make_double2(c, t * c);
}

// The columns of a thread block. Thread t has rows t, t + 128 and so on.
template<u32 E> struct Panel {
    double at[OWN][E];

    static __device__ __forceinline__ u64 place(u32 c, u32 first, u32 second) {
        return (u64)((c < GROUP ? first : second) * GROUP + c % GROUP) * (128 * E) + threadIdx.x;
    }

    // Other thread blocks have written what is read here.
    __device__ __forceinline__ void load(const double *columns, u32 first, u32 second) {
#pragma unroll
        for (u32 c = 0; c < OWN; c++)
#pragma unroll
            for (u32 e = 0; e < E; e++) at[c][e] = __ldcg(columns + place(c, first, second) + 128 * e);
    }

    __device__ __forceinline__ void store(double *columns, u32 first, u32 second) const {
#pragma unroll
        for (u32 c = 0; c < OWN; c++)
#pragma unroll
            for (u32 e = 0; e < E; e++) columns[place(c, first, second) + 128 * e] = at[c][e];
    }

    // Moves the columns of some places down by one, and the first of them to the end.
    __device__ __forceinline__ void go_around(u32 from, u32 to) {
#pragma unroll
        for (u32 e = 0; e < E; e++) {
            double first = at[from][e];
#pragma unroll
            for (u32 c = from; c + 1 < to; c++) at[c][e] = at[c + 1][e];
            at[to - 1][e] = first;
        }
    }

    __device__ __forceinline__ double product(u32 c, u32 d) const {
        double sum = 0.0;
#pragma unroll
        for (u32 e = 0; e < E; e++) sum = fma(at[c][e], at[d][e], sum);
        return sum;
    }

    __device__ __forceinline__ void turn(u32 c, u32 d, double2 by) {
#pragma unroll
        for (u32 e = 0; e < E; e++) {
            double left = at[c][e], right = at[d][e];
            at[c][e] = fma(by.x, left, -by.y * right);
            at[d][e] = fma(by.y, left, by.x * right);
        }
    }
};

// The sums of eight numbers over all threads, one for each four lanes of every warp. parity: other than in
// the call before.
__device__ __forceinline__ double sum_over_block(const double (&numbers)[GROUP], Notes &notes, u32 parity) {
    u32 lane = threadIdx.x % 32;
    double own = sum_of_own(numbers);
    if (lane % 4 == 0) notes.sums[parity][threadIdx.x / 32][lane / 4] = own;
    __syncthreads();
    double sum = 0.0;
#pragma unroll
    for (u32 warp = 0; warp < WARPS; warp++) sum += notes.sums[parity][warp][lane / 4];
    return sum;
}

// One step of eight rotations. Whether there were any.
template<u32 E, bool IS_WITHIN>
__device__ __forceinline__ bool turn_pairs(Panel<E> &a, u32 step, Notes &notes) {
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, own = lane / 4;
    double products[GROUP], *squares = notes.squares[warp];
#pragma unroll
    for (u32 q = 0; q < GROUP; q++)
        products[q] = a.product(left_place<IS_WITHIN>(q), right_place<IS_WITHIN>(q));
    double product = sum_over_block(products, notes, step % 2);
    u32 l = column_at<IS_WITHIN>(left_place<IS_WITHIN>(own), step),
        r = column_at<IS_WITHIN>(right_place<IS_WITHIN>(own), step);
    double left = squares[l], right = squares[r];
    bool is_far = product * product > ORTHOGONAL * ORTHOGONAL * left * right;
    if (!__any_sync(~0u, is_far)) return false;
    double2 by = is_far ? rotation(left, right, product) : make_double2(1.0, 0.0);
    __syncwarp();
    if (lane % 4 == 0) {
        squares[l] = by.x * (by.x * left - by.y * product) - by.y * (by.x * product - by.y * right);
        squares[r] = by.y * (by.y * left + by.x * product) + by.x * (by.y * product + by.x * right);
        notes.turns[warp][own] = by;
    }
    __syncwarp();
#pragma unroll
    for (u32 q = 0; q < GROUP; q++)
        a.turn(left_place<IS_WITHIN>(q), right_place<IS_WITHIN>(q), notes.turns[warp][q]);
    return true;
}

// The squares of the block's columns, formed afresh.
template<u32 E> __device__ __forceinline__ void measure(const Panel<E> &a, Notes &notes) {
    u32 lane = threadIdx.x % 32;
#pragma unroll
    for (u32 half = 0; half < 2; half++) {
        double products[GROUP];
#pragma unroll
        for (u32 q = 0; q < GROUP; q++) products[q] = a.product(half * GROUP + q, half * GROUP + q);
        double sum = sum_over_block(products, notes, half);
        if (lane % 4 == 0) notes.squares[threadIdx.x / 32][half * GROUP + lane / 4] = sum;
    }
    __syncthreads();
}

// One round of one thread block. Whether any pair of columns was far from orthogonal. In the first round of a
// sweep, pairs within groups are turned as well.
template<u32 E>
__device__ __forceinline__ bool turn_groups(double *columns, u32 groups, u32 round, Notes &notes) {
    u32 first = group_of(groups, round, blockIdx.x, 0), second = group_of(groups, round, blockIdx.x, 1);
    Panel<E> panel;
    panel.load(columns, first, second);
    measure(panel, notes);
    bool any = false;
    if (round == 0)
#pragma unroll 1
        for (u32 step = 0; step < WITHIN; step++) {
            any |= turn_pairs<E, true>(panel, step, notes);
            panel.go_around(0, WITHIN);
            panel.go_around(GROUP, GROUP + WITHIN);
        }
    __syncthreads();
#pragma unroll 1
    for (u32 step = 0; step < BETWEEN; step++) {
        any |= turn_pairs<E, false>(panel, step, notes);
        panel.go_around(GROUP, OWN);
    }
    if (any) panel.store(columns, first, second);
    __syncthreads();
    return any;
}

// Waits for all thread blocks. arrived: how many have come to a barrier so far, all barriers together.
__device__ __forceinline__ void wait_for_all(u32 *arrived, u32 &barriers) {
    __threadfence();
    __syncthreads();
    barriers++;
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (*(volatile u32 *)arrived < barriers * gridDim.x) {}
    }
    __syncthreads();
    __threadfence();
}

// groups / 2 thread blocks of 128. columns: of 128 * E numbers each. counters: 1 + MOST_SWEEPS zeros. values:
// the lengths of the columns, and behind them whether it converged.
template<u32 E>
__device__ __forceinline__ void make_orthogonal(u32 groups, double *columns, u32 *counters, double *values) {
    __shared__ Notes notes;
    u32 *arrived = counters, *far = arrived + 1, barriers = 0;
    bool converged = false;
    for (u32 sweep = 0; sweep < MOST_SWEEPS && !converged; sweep++) {
        bool any = false;
        for (u32 round = 0; round < groups - 1; round++) {
            any |= turn_groups<E>(columns, groups, round, notes);
            if (round == groups - 2 && any && threadIdx.x == 0) atomicAdd(far + sweep, 1);
            wait_for_all(arrived, barriers);
        }
        converged = *(volatile u32 *)(far + sweep) == 0;
    }
    Panel<E> panel;
    panel.load(columns, 2 * blockIdx.x, 2 * blockIdx.x + 1);
    measure(panel, notes);
    if (threadIdx.x < OWN) values[blockIdx.x * OWN + threadIdx.x] = sqrt(notes.squares[0][threadIdx.x]);
    if (blockIdx.x == 0 && threadIdx.x == 0) values[groups * GROUP] = converged;
}

extern "C" __global__ void __launch_bounds__(128)
    jacobi_256(u32 groups, double *columns, u32 *counters, double *values) {
    make_orthogonal<2>(groups, columns, counters, values);
}
extern "C" __global__ void __launch_bounds__(128)
    jacobi_768(u32 groups, double *columns, u32 *counters, double *values) {
    make_orthogonal<6>(groups, columns, counters, values);
}
