// Prefix sums, keys in order, and runs of equal keys. Nothing depends on the order in which blocks of threads
// run: the same keys and numbers give the same bits every time.

#define ALL 0xffffffffu
#define THREADS 256
#define WARPS (THREADS / 32)
// Numbers that one block of threads sums up.
#define SCANNED (8 * THREADS)
// Keys of one block of threads. Each of its warps has a section of them, 32 keys per round.
#define ROUNDS 16
#define SECTION (ROUNDS * 32)
#define TILE (WARPS * SECTION)
// The most values of a digit.
#define RADIX 256

// The sum over the threads before this one, and over all of them. All threads of the block call it.
__device__ u64 sum_before(u64 own, u64 *total) {
    __shared__ u64 sums[WARPS];
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u64 sum = own;
    for (u32 step = 1; step < 32; step *= 2) {
        u64 other = __shfl_up_sync(ALL, sum, step);
        if (lane >= step) sum += other;
    }
    if (lane == 31) sums[warp] = sum;
    __syncthreads();
    u64 before = 0, all = 0;
    for (u32 w = 0; w < WARPS; w++) {
        if (w < warp) before += sums[w];
        all += sums[w];
    }
    // The next call writes them again.
    __syncthreads();
    *total = all;
    return before + sum - own;
}

// sums[block] = the sum of SCANNED numbers.
extern "C" __global__ void __launch_bounds__(THREADS) sum_tiles(u64 n, const u64 *numbers, u64 *sums) {
    u64 sum = 0, total, first = (u64)blockIdx.x * SCANNED;
    for (u64 i = first + threadIdx.x; i < first + SCANNED && i < n; i += THREADS) sum += numbers[i];
    sum_before(sum, &total);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

// Replaces every number by the sum of those before it. before: the sum before each block's SCANNED numbers,
// or null if there is one block.
extern "C" __global__ void __launch_bounds__(THREADS) scan_tiles(u64 n, u64 *numbers, const u64 *before) {
    __shared__ u64 own[SCANNED];
    const u32 each = SCANNED / THREADS;
    u64 first = (u64)blockIdx.x * SCANNED, sum = 0, total;
    for (u32 i = threadIdx.x; i < SCANNED; i += THREADS) own[i] = first + i < n ? numbers[first + i] : 0;
    __syncthreads();
    for (u32 k = 0; k < each; k++) sum += own[threadIdx.x * each + k];
    u64 running = sum_before(sum, &total) + (before ? before[blockIdx.x] : 0);
    for (u32 k = 0; k < each; k++) {
        u64 number = own[threadIdx.x * each + k];
        own[threadIdx.x * each + k] = running;
        running += number;
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < SCANNED && first + i < n; i += THREADS) numbers[first + i] = own[i];
}

// counts[digit][block] = how many of a block's keys have a digit.
extern "C" __global__ void __launch_bounds__(THREADS)
    count_digits(u64 n, const u64 *keys, u32 shift, u32 mask, u64 *counts) {
    __shared__ u32 own[RADIX];
    own[threadIdx.x] = 0;
    __syncthreads();
    u64 first = (u64)blockIdx.x * TILE;
#pragma unroll
    for (u32 k = 0; k < TILE / THREADS; k++) {
        u64 i = first + k * THREADS + threadIdx.x;
        if (i < n) atomicAdd(&own[(u32)(keys[i] >> shift) & mask], 1u);
    }
    __syncthreads();
    if (threadIdx.x <= mask) counts[(u64)threadIdx.x * gridDim.x + blockIdx.x] = own[threadIdx.x];
}

// The lanes of this warp whose digit is the same as this one's.
__device__ __forceinline__ u32 lanes_with(u32 digit) {
    u32 same = ALL;
#pragma unroll
    for (u32 bit = 0; bit < 8; bit++) {
        bool is_set = digit >> bit & 1;
        u32 set = __ballot_sync(ALL, is_set);
        same &= is_set ? set : ~set;
    }
    return same;
}

// Puts keys in the order of a digit; keys with the same digit stay in their order. before[digit][block]: how
// many keys come before the block's first one with that digit. Values, unless they are null, are moved with
// their keys, whatever 8 bytes they are. A block brings its keys into order in shared memory first, so that
// it writes runs of them.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    place_digits(u64 n, const u64 *keys, const u64 *values, u32 shift, u32 mask, const u64 *before,
                 u64 *out_keys, u64 *out_values) {
    __shared__ u64 own[TILE];
    __shared__ u32 places[WARPS][RADIX];
    __shared__ u64 targets[RADIX];
    u64 tile = (u64)blockIdx.x * TILE;
    u32 t = threadIdx.x, lane = t % 32, warp = t / 32, first = warp * SECTION + lane;
    u32 count = n - tile < TILE ? (u32)(n - tile) : TILE;
    for (u32 w = 0; w < WARPS; w++) places[w][t] = 0;
    keys += tile;
    u64 key[ROUNDS];
    u32 rank[ROUNDS];
#pragma unroll
    for (u32 r = 0; r < ROUNDS; r++) key[r] = first + r * 32 < count ? keys[first + r * 32] : 0;
    __syncthreads();
    // How many keys of the warp's section with the same digit come before each key.
#pragma unroll
    for (u32 r = 0; r < ROUNDS; r++) {
        bool is_key = first + r * 32 < count;
        u32 digit = (u32)(key[r] >> shift) & mask;
        u32 same = lanes_with(digit) & __ballot_sync(ALL, is_key);
        u32 earlier = __popc(same & ((1u << lane) - 1)), seen = places[warp][digit];
        __syncwarp();
        if (is_key && earlier == 0) places[warp][digit] = seen + __popc(same);
        __syncwarp();
        rank[r] = seen + earlier;
    }
    __syncthreads();
    // Thread t looks after digit t: where the keys of each warp with that digit begin, in the block and among
    // all keys.
    u32 sum = 0;
    for (u32 w = 0; w < WARPS; w++) {
        u32 counted = places[w][t];
        places[w][t] = sum;
        sum += counted;
    }
    u64 total;
    u32 start = (u32)sum_before(sum, &total);
    for (u32 w = 0; w < WARPS; w++) places[w][t] += start;
    if (t <= mask) targets[t] = before[(u64)t * gridDim.x + blockIdx.x] - start;
    __syncthreads();
#pragma unroll
    for (u32 r = 0; r < ROUNDS; r++) {
        rank[r] += places[warp][(u32)(key[r] >> shift) & mask];
        if (first + r * 32 < count) own[rank[r]] = key[r];
    }
    __syncthreads();
    // From here on a thread's numbers are those that it writes.
    u32 digits[ROUNDS];
#pragma unroll
    for (u32 k = 0; k < ROUNDS; k++) {
        u32 i = k * THREADS + t;
        if (i >= count) continue;
        u64 moved = own[i];
        digits[k] = (u32)(moved >> shift) & mask;
        out_keys[targets[digits[k]] + i] = moved;
    }
    if (!values) return;
    __syncthreads();
    values += tile;
#pragma unroll
    for (u32 r = 0; r < ROUNDS; r++) {
        if (first + r * 32 < count) own[rank[r]] = values[first + r * 32];
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < ROUNDS; k++) {
        u32 i = k * THREADS + t;
        if (i < count) out_values[targets[digits[k]] + i] = own[i];
    }
}

// Whether a run of equal keys begins here.
__device__ __forceinline__ bool begins_run(u64 n, const u64 *keys, u64 i) {
    return i < n && (i == 0 || keys[i] != keys[i - 1]);
}

// counts[block] = how many runs begin in a tile; 0 after the last one.
extern "C" __global__ void __launch_bounds__(THREADS) count_runs(u64 n, const u64 *keys, u64 *counts) {
    u64 first = (u64)blockIdx.x * TILE, count = 0, total;
#pragma unroll
    for (u32 k = 0; k < TILE / THREADS; k++) count += begins_run(n, keys, first + k * THREADS + threadIdx.x);
    sum_before(count, &total);
    if (threadIdx.x == 0) counts[blockIdx.x] = total;
    if (threadIdx.x == 0 && blockIdx.x == 0) counts[gridDim.x] = 0;
}

// The key and the first place of every run, and the end. before[block]: runs that begin before a tile.
extern "C" __global__ void __launch_bounds__(THREADS)
    write_runs(u64 n, const u64 *keys, const u64 *before, u64 *run_keys, u64 *starts) {
    __shared__ u32 counts[WARPS];
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, flags = 0, count = 0;
    u64 first = (u64)blockIdx.x * TILE + warp * SECTION + lane;
    for (u32 r = 0; r < ROUNDS; r++) {
        bool begins = begins_run(n, keys, first + r * 32);
        flags |= (u32)begins << r;
        count += __popc(__ballot_sync(ALL, begins));
    }
    if (lane == 0) counts[warp] = count;
    __syncthreads();
    u64 place = before[blockIdx.x];
    for (u32 w = 0; w < warp; w++) place += counts[w];
    for (u32 r = 0; r < ROUNDS; r++) {
        bool begins = flags >> r & 1;
        u32 found = __ballot_sync(ALL, begins);
        if (begins) {
            u64 own = place + __popc(found & ((1u << lane) - 1)), i = first + r * 32;
            run_keys[own] = keys[i];
            starts[own] = i;
        }
        place += __popc(found);
    }
    if (threadIdx.x == 0 && blockIdx.x == 0) starts[before[gridDim.x]] = n;
}

// The sum over the lanes of a warp, for lane 0.
__device__ __forceinline__ double sum_of_lanes(double sum) {
    for (u32 step = 16; step > 0; step /= 2) sum += __shfl_down_sync(ALL, sum, step);
    return sum;
}

// Sums of values over runs, as far as they lie in a tile: those that begin there go to `sums`, what is left
// of one that began before to carries[block]. One warp per run.
extern "C" __global__ void __launch_bounds__(THREADS)
    sum_runs(u64 n, const double *values, const u64 *before, const u64 *starts, double *sums,
             double *carries) {
    u64 tile = (u64)blockIdx.x * TILE, end = tile + TILE < n ? tile + TILE : n;
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    // starts has an end: if no run begins in the last tiles, that is read here.
    u64 run = before[blockIdx.x], last = before[blockIdx.x + 1];
    if (starts[run] != tile) run--;
    for (run += warp; run < last; run += WARPS) {
        u64 from = starts[run], to = starts[run + 1] < end ? starts[run + 1] : end;
        double sum = 0.0;
        for (u64 i = (from < tile ? tile : from) + lane; i < to; i += 32) sum += values[i];
        sum = sum_of_lanes(sum);
        if (lane == 0) {
            if (from < tile) carries[blockIdx.x] = sum;
            else sums[run] = sum;
        }
    }
}

// Adds to the sum of the last run that begins in a tile what it left in the tiles after it. One warp per
// tile.
extern "C" __global__ void __launch_bounds__(THREADS)
    add_carries(u64 tiles, const u64 *before, const u64 *starts, const double *carries, double *sums) {
    u64 tile = (u64)blockIdx.x * WARPS + threadIdx.x / 32;
    if (tile >= tiles || before[tile + 1] == before[tile]) return;
    u64 run = before[tile + 1] - 1, end = (starts[run + 1] + TILE - 1) / TILE;
    if (end <= tile + 1) return;
    double sum = 0.0;
    for (u64 i = tile + 1 + threadIdx.x % 32; i < end; i += 32) sum += carries[i];
    sum = sum_of_lanes(sum);
    if (threadIdx.x % 32 == 0) sums[run] += sum;
}
