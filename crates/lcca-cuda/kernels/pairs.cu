// Products of two views as sparse rows: a key for every two entries of a row, (column of A, column of B), and
// what is made of the keys once they are in order and equal ones are one. Of a symmetric product only keys
// (i, j) with i <= j are listed; the others follow.

#define THREADS 256
// Pairs of one block of threads.
#define TILE 4096

struct View {
    const u64 *starts;
    u64 base;
    const u32 *columns;
    const void *values;
    int kind;
    int padding;
};

// Entries are all 1, f32 or f64.
__device__ __forceinline__ double value_of(const View &view, u64 entry) {
    return view.kind == 0   ? 1.0
           : view.kind == 1 ? (double)((const float *)view.values)[entry]
                            : ((const double *)view.values)[entry];
}

// counts[row] = how many pairs a row has, and 0 after the last one. b: null for a symmetric product.
extern "C" __global__ void count_pairs(u64 rows, const u64 *a, const u64 *b, u64 *counts) {
    EACH(row, rows + 1) {
        u64 count = 0;
        if (row < rows) {
            u64 width = a[row + 1] - a[row];
            count = b ? width * (b[row + 1] - b[row]) : width * (width + 1) / 2;
        }
        counts[row] = count;
    }
}

// The row with starts[row] <= index < starts[row + 1], given starts[low] <= index < starts[high].
__device__ __forceinline__ u64 row_with(const u64 *starts, u64 low, u64 high, u64 index) {
    while (high - low > 1) {
        u64 middle = low + (high - low) / 2;
        if (starts[middle] <= index) low = middle;
        else high = middle;
    }
    return low;
}

// The row of the `index`-th place of a lower triangle of any size.
__device__ __forceinline__ u64 triangle_row(u64 index) {
    u64 row = (u64)((sqrt(8.0 * (double)index + 1.0) - 1.0) / 2.0);
    while ((row + 1) * (row + 2) / 2 <= index) row++;
    while (row * (row + 1) / 2 > index) row--;
    return row;
}

// The keys of all pairs, row after row; and their products if `values` is there, times the weight of the row
// if there are weights. starts: the first pair of every row, and the end.
extern "C" __global__ void __launch_bounds__(THREADS)
    expand_pairs(u64 rows, View a, View b, int is_symmetric, const double *weights, const u64 *starts,
                 u64 pairs, u32 bits, u64 *keys, double *values) {
    __shared__ u64 ends[2];
    u64 first = (u64)blockIdx.x * TILE, end = first + TILE < pairs ? first + TILE : pairs;
    if (threadIdx.x < 2) ends[threadIdx.x] = row_with(starts, 0, rows, threadIdx.x == 0 ? first : end - 1);
    __syncthreads();
    for (u64 index = first + threadIdx.x; index < end; index += THREADS) {
        u64 row = row_with(starts, ends[0], ends[1] + 1, index), place = index - starts[row], i, j;
        if (is_symmetric) {
            j = triangle_row(place);
            i = place - j * (j + 1) / 2;
        } else {
            u64 width = b.starts[row + 1] - b.starts[row];
            // Divisions of 32 bits are far quicker, and nearly always enough.
            i = (place | width) >> 32 ? place / width : (u32)place / (u32)width;
            j = place - i * width;
        }
        u64 left = a.starts[row] - a.base + i, right = b.starts[row] - b.base + j;
        keys[index] = (u64)a.columns[left] << bits | b.columns[right];
        if (values) {
            double factor = value_of(a, left);
            if (weights) factor = __dmul_rn(weights[row], factor);
            values[index] = __dmul_rn(factor, value_of(b, right));
        }
    }
}

// A key (j, j) for every column, with the value 0: every entry of the diagonal is stored.
extern "C" __global__ void diagonal_keys(u64 size, u32 bits, u64 *keys, double *values) {
    EACH(j, size) {
        keys[j] = j << bits | j;
        if (values) values[j] = 0.0;
    }
}

// How many pairs have each key. starts: of the runs of equal keys. The diagonal of a symmetric product has a
// key more; or it is known, because an entry that is repeated is listed with itself fewer times than its
// square.
extern "C" __global__ void count_equal(u64 n, const u64 *keys, const u64 *starts, u32 bits, int is_symmetric,
                                       const double *diagonal, double *counts) {
    EACH(run, n) {
        u64 key = keys[run], column = key & ((1ull << bits) - 1);
        bool is_diagonal = is_symmetric && key >> bits == column;
        counts[run] = is_diagonal && diagonal ? diagonal[column]
                                              : (double)(starts[run + 1] - starts[run] - is_diagonal);
    }
}

// Where the keys of every row begin, and the end.
extern "C" __global__ void row_starts(u64 rows, u64 n, const u64 *keys, u32 bits, u64 *starts) {
    EACH(row, rows + 1) {
        u64 low = 0, high = n;
        while (low < high) {
            u64 middle = low + (high - low) / 2;
            if (keys[middle] >> bits < row) low = middle + 1;
            else high = middle;
        }
        starts[row] = low;
    }
}

// (row, column) as (column, row). bits, row_bits: of a column and of a row.
extern "C" __global__ void transpose_keys(u64 n, const u64 *keys, u32 bits, u32 row_bits, u64 *out) {
    EACH(i, n) out[i] = (keys[i] & ((1ull << bits) - 1)) << row_bits | keys[i] >> bits;
}

// The columns of keys.
extern "C" __global__ void columns_of(u64 n, const u64 *keys, u32 bits, u32 *columns) {
    EACH(i, n) columns[i] = (u32)(keys[i] & ((1ull << bits) - 1));
}

// Where the rows of a symmetric matrix begin, and the end, from those of both triangles, of which each has
// the diagonal.
extern "C" __global__ void triangle_starts(u64 size, const u64 *upper, const u64 *lower, u64 *starts) {
    EACH(row, size + 1) starts[row] = upper[row] + lower[row] - row;
}

// Puts the entries of one triangle into a symmetric matrix: those of the lower one, without the diagonal,
// come first in each row.
extern "C" __global__ void place_triangle(u64 n, const u64 *keys, const double *values, u32 bits,
                                          const u64 *upper, const u64 *lower, int is_lower, u32 *columns,
                                          double *out) {
    EACH(i, n) {
        u64 row = keys[i] >> bits, column = keys[i] & ((1ull << bits) - 1),
            start = upper[row] + lower[row] - row;
        if (is_lower && column == row) continue;
        u64 place = start + (is_lower ? i - lower[row] : lower[row + 1] - lower[row] - 1 + i - upper[row]);
        columns[place] = (u32)column;
        out[place] = values[i];
    }
}

// found: set if a value has more digits than f32 holds.
extern "C" __global__ void find_inexact(u64 n, const double *values, u32 *found) {
    EACH(i, n) if ((double)(float)values[i] != values[i]) *found = 1;
}

extern "C" __global__ void to_singles(u64 n, const double *values, float *out) {
    EACH(i, n) out[i] = (float)values[i];
}
