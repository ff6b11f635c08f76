// How often columns occur among entries, and entries of whole numbers as so many ones.

// Entries that are larger are not summed up here: 2^32 squares of this one have room in 64 bits.
#define MOST 32768.0

__device__ __forceinline__ double value_of(const void *values, int is_single, u64 entry) {
    return is_single ? (double)((const float *)values)[entry] : ((const double *)values)[entry];
}

// counts[column] += 1 for every entry: whole numbers, whose sum has no order. Equal columns of a warp are
// added at once, because a frequent column is in most rows.
extern "C" __global__ void count_columns(u64 n, const u32 *columns, u32 *counts) {
    u32 lane = threadIdx.x % 32;
    for (u64 first = (u64)blockIdx.x * blockDim.x + threadIdx.x - lane; first < n;
         first += (u64)gridDim.x * blockDim.x) {
        bool is_entry = first + lane < n;
        u32 present = __ballot_sync(0xffffffffu, is_entry);
        if (is_entry) {
            u32 column = columns[first + lane], same = __match_any_sync(present, column);
            if (lane == __ffs(same) - 1) atomicAdd(counts + column, __popc(same));
        }
    }
}

// sums[column] += value - 1 and squares[column] += value^2 - 1 for every entry: whole numbers, and nothing to
// do for most. others: set if a value is none that can be summed up so.
extern "C" __global__ void sum_more_than_ones(u64 n, const u32 *columns, const void *values, int is_single,
                                              u64 *sums, u64 *squares, u32 *others) {
    EACH(i, n) {
        double value = value_of(values, is_single, i);
        if (value == 1.0) continue;
        if (!(value >= 1.0 && value <= MOST && value == floor(value))) {
            *others = 1;
            continue;
        }
        u64 whole = (u64)value;
        atomicAdd(sums + columns[i], whole - 1);
        atomicAdd(squares + columns[i], whole * whole - 1);
    }
}

// How often every entry is repeated, and 0 after the last one.
extern "C" __global__ void count_repeats(u64 n, const void *values, int is_single, u64 *repeats) {
    EACH(i, n + 1) repeats[i] = i < n ? (u64)value_of(values, is_single, i) : 0;
}

// Every column as often as its entry says. places: the first place of every entry, and the end.
extern "C" __global__ void repeat_columns(u64 n, const u32 *columns, const u64 *places, u32 *out) {
    EACH(i, n) {
        u32 column = columns[i];
        for (u64 place = places[i], end = places[i + 1]; place < end; place++) out[place] = column;
    }
}

// Where rows begin once entries are repeated, and the end.
extern "C" __global__ void repeat_starts(u64 n, const u64 *starts, u64 base, const u64 *places, u64 *out) {
    EACH(row, n) out[row] = places[starts[row] - base];
}
