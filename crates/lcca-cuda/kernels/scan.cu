// Scans of sparse Gram matrices for columns that belong together. They do what the host does in fit/twins.rs, fit/grow.rs and fit/hubs.rs,
// operation by operation, and this file is compiled without fused multiplications: both find the same bits. Lists are in no order: the host
// sorts them.

#define THREADS 1024
#define WARP 32
#define WARPS (THREADS / WARP)
// A row of more entries is cut into segments of so many, each scanned by one warp.
#define SEGMENT 1024

// Scans all rows of a block. The first `many` blocks of threads have a long row each; their numbers are in `long_rows`. The others have one short row
// per warp.
template <class Scan>
__device__ void scan_rows(const Scan &scan, const Block &block, u64 rows, const u32 *long_rows, u64 many) {
    __shared__ typename Scan::Found parts[WARPS];
    u32 warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (blockIdx.x >= many) {
        u64 row = (blockIdx.x - many) * WARPS + warp;
        if (row >= rows || block.starts[row + 1] - block.starts[row] > SEGMENT) return;
        typename Scan::Found found = scan.segment((u32)row, block.starts[row], block.starts[row + 1]);
        if (lane == 0) scan.write((u32)row, found);
        return;
    }
    u32 row = long_rows[blockIdx.x];
    u64 end = block.starts[row + 1];
    typename Scan::Found all = scan.nothing(row);
    for (u64 first = block.starts[row]; first < end; first += WARPS * SEGMENT) {
        u64 own = first + warp * SEGMENT;
        if (own < end) {
            typename Scan::Found part = scan.segment(row, own, own + SEGMENT < end ? own + SEGMENT : end);
            if (lane == 0) parts[warp] = part;
        }
        __syncthreads();
        if (threadIdx.x == 0)
            for (u32 i = 0; i < WARPS && first + i * SEGMENT < end; i++) scan.add(all, parts[i]);
        __syncthreads();
    }
    if (threadIdx.x == 0) scan.write(row, all);
}

struct Partner { double product; u32 column; };

// The other column of the same view with the largest product by absolute value, the first of equal ones.
struct NearestScan {
    typedef Partner Found;
    const Grams &g;
    int side;
    const u64 *counts;
    u64 fewest;
    u32 *columns;
    double *products;

    __device__ Partner nothing(u32 row) const { return {0.0, row}; }

    __device__ void add(Partner &best, const Partner &other) const {
        double a = fabs(best.product), b = fabs(other.product);
        if (b > a || (b == a && b > 0.0 && other.column < best.column)) best = other;
    }

    __device__ Partner segment(u32 row, u64 start, u64 end) const {
        const Block &block = g.blocks[side][side];
        Partner best = nothing(row);
        if (counts[row] < fewest || g.identities[side]) return best;
        double own = own_mean(g, side, row), inverse = g.inverse[side][row];
        for (u64 entry = start + threadIdx.x % WARP; entry < end; entry += WARP) {
            u32 j = block.columns[entry];
            if (j == row || counts[j] < fewest) continue;
            double product = centered(g, own, side, j, value_of(block, entry)) * sqrt(inverse * g.inverse[side][j]);
            if (fabs(product) > fabs(best.product)) best.product = product, best.column = j;
        }
        __syncwarp();
        for (u32 step = WARP / 2; step > 0; step /= 2) {
            Partner other = {__shfl_down_sync(0xffffffffu, best.product, step), __shfl_down_sync(0xffffffffu, best.column, step)};
            add(best, other);
        }
        return best;
    }

    __device__ void write(u32 row, const Partner &found) const {
        columns[row] = found.column;
        products[row] = found.product;
    }
};

extern "C" __global__ void __launch_bounds__(THREADS) nearest_columns(u64 rows, Grams g, int side, const u32 *long_rows, u64 many, const u64 *counts,
                                                                      u64 fewest, u32 *columns, double *products) {
    NearestScan scan = {g, side, counts, fewest, columns, products};
    scan_rows(scan, g.blocks[side][side], rows, long_rows, many);
}

// What lists hold: a product of two columns.
struct Entry { double product; u32 columns[2]; };

// Lists columns whose nearest one is a twin, and not the same. Of two that are nearest to each other, the first counts. count: 0.
extern "C" __global__ void list_twins(u64 rows, const u32 *columns, const double *products, double twins, double same, u32 *count, Entry *out) {
    EACH(row, rows) {
        u32 column = columns[row];
        double product = products[row];
        bool is_second = columns[column] == row && column < row;
        if (fabs(product) > twins && 1.0 - product * product > same && !is_second)
            out[atomicAdd(count, 1u)] = {product, {(u32)row, column}};
    }
}

// The column of the other view with the largest product above `faint`, the first of equal ones; product 0 if there is none.
struct StrongestScan {
    typedef Partner Found;
    const Grams &g;
    int side;
    double faint;
    u32 *columns;
    double *products;

    __device__ Partner nothing(u32 row) const { return {faint, NOBODY}; }

    __device__ void add(Partner &best, const Partner &other) const {
        if (other.product > best.product || (other.product == best.product && other.column < best.column)) best = other;
    }

    __device__ Partner segment(u32 row, u64 start, u64 end) const {
        const Block &block = g.blocks[side][1 - side];
        Partner best = nothing(row);
        double own = own_mean(g, side, row), inverse = g.inverse[side][row];
        for (u64 entry = start + threadIdx.x % WARP; entry < end; entry += WARP) {
            u32 j = block.columns[entry];
            double product = centered(g, own, 1 - side, j, value_of(block, entry)) * sqrt(inverse * g.inverse[1 - side][j]);
            if (product > best.product) best.product = product, best.column = j;
        }
        __syncwarp();
        for (u32 step = WARP / 2; step > 0; step /= 2) {
            Partner other = {__shfl_down_sync(0xffffffffu, best.product, step), __shfl_down_sync(0xffffffffu, best.column, step)};
            add(best, other);
        }
        return best;
    }

    __device__ void write(u32 row, const Partner &found) const {
        columns[row] = found.column;
        products[row] = found.column == NOBODY ? 0.0 : found.product;
    }
};

extern "C" __global__ void __launch_bounds__(THREADS) strongest_columns(u64 rows, Grams g, int side, const u32 *long_rows, u64 many, double faint,
                                                                        u32 *columns, double *products) {
    StrongestScan scan = {g, side, faint, columns, products};
    scan_rows(scan, g.blocks[side][1 - side], rows, long_rows, many);
}

// The bin of a product above `faint`: the larger the product, the larger it is.
__device__ __forceinline__ u32 bin_of(double product, double faint, u32 bins) {
    u64 bin = (u64)(__double_as_longlong(product) >> 39) - (u64)(__double_as_longlong(faint) >> 39);
    return bin < bins ? (u32)bin : bins - 1;
}

// counts: how many products above `faint` are in each bin.
extern "C" __global__ void count_products(u64 rows, const double *products, double faint, u32 bins, u32 *counts) {
    EACH(row, rows) if (products[row] > faint) atomicAdd(&counts[bin_of(products[row], faint, bins)], 1u);
}

// Lists the products above `faint` from a bin on. count: 0 at first.
extern "C" __global__ void list_products(u64 rows, const u32 *columns, const double *products, double faint, u32 bins, u32 first, int side, u32 *count,
                                         Entry *out) {
    EACH(row, rows) if (products[row] > faint && bin_of(products[row], faint, bins) >= first) {
        u32 x = side == 0 ? (u32)row : columns[row], y = side == 0 ? columns[row] : (u32)row;
        out[atomicAdd(count, 1u)] = {products[row], {x, y}};
    }
}

struct Squares { double sum, largest; };

// What the squares of a column's products with the other view add up to: each lane sums every 32nd entry of a segment, and segments are added in
// order. Columns with at least `least` are listed, unless one of the squares is `alone` of the sum or more.
struct ExplainedScan {
    typedef Squares Found;
    const Grams &g;
    int side;
    double least, alone;
    u32 *count;
    Entry *out;

    __device__ Squares nothing(u32 row) const { return {0.0, 0.0}; }

    __device__ void add(Squares &all, const Squares &part) const {
        all.sum += part.sum;
        all.largest = fmax(all.largest, part.largest);
    }

    __device__ Squares segment(u32 row, u64 start, u64 end) const {
        const Block &block = g.blocks[side][1 - side];
        double own = own_mean(g, side, row);
        Squares all = {0.0, 0.0};
        for (u64 entry = start + threadIdx.x % WARP; entry < end; entry += WARP) {
            u32 j = block.columns[entry];
            double value = fmax(centered(g, own, 1 - side, j, value_of(block, entry)), 0.0), square = value * value * g.inverse[1 - side][j];
            add(all, {square, square});
        }
        __syncwarp();
        for (u32 step = WARP / 2; step > 0; step /= 2)
            add(all, {__shfl_down_sync(0xffffffffu, all.sum, step), __shfl_down_sync(0xffffffffu, all.largest, step)});
        return all;
    }

    __device__ void write(u32 row, const Squares &found) const {
        double explained = found.sum * g.inverse[side][row];
        if (explained >= least && found.largest < alone * found.sum) out[atomicAdd(count, 1u)] = {explained, {row, row}};
    }
};

extern "C" __global__ void __launch_bounds__(THREADS) explained_squares(u64 rows, Grams g, int side, const u32 *long_rows, u64 many, double least,
                                                                        double alone, u32 *count, Entry *out) {
    ExplainedScan scan = {g, side, least, alone, count, out};
    scan_rows(scan, g.blocks[side][1 - side], rows, long_rows, many);
}

// One pair of twins.
struct Twins { double product; u32 columns[2]; };

// For each pair of twins of X, the pair of Y whose difference correlates most with theirs, if that is more than `faint`: the first of equal ones,
// NOBODY if there is none. rows: zeros for each column of Y, twice for each block of threads, which has one pair of X after another.
extern "C" __global__ void __launch_bounds__(THREADS) compare_twins(Grams g, u32 count, const Twins *x, u32 others, const Twins *y, double faint,
                                                                    double *rows, u64 cols, u32 *best_places, double *best_correlations) {
    __shared__ Partner parts[WARPS];
    double *own[2] = {rows + 2 * cols * blockIdx.x, rows + 2 * cols * blockIdx.x + cols};
    Block block = g.blocks[0][1];
    for (u32 pair = blockIdx.x; pair < count; pair += gridDim.x) {
        Twins twins = x[pair];
        for (u32 a = 0; a < 2; a++) {
            u64 end = block.starts[twins.columns[a] + 1];
            for (u64 entry = block.starts[twins.columns[a]] + threadIdx.x; entry < end; entry += THREADS)
                own[a][block.columns[entry]] = value_of(block, entry);
        }
        __syncthreads();
        double means[2] = {own_mean(g, 0, twins.columns[0]), own_mean(g, 0, twins.columns[1])};
        Partner best = {faint, NOBODY};
        for (u32 place = threadIdx.x; place < others; place += THREADS) {
            Twins other = y[place];
            double along[2];
            for (u32 b = 0; b < 2; b++) {
                u32 j = other.columns[b];
                double entries[2];
                for (u32 a = 0; a < 2; a++)
                    entries[a] = centered(g, means[a], 1, j, own[a][j]) * sqrt(g.inverse[0][twins.columns[a]] * g.inverse[1][j]);
                along[b] = entries[0] - twins.product * entries[1];
            }
            double length = (1.0 - twins.product * twins.product) * (1.0 - other.product * other.product);
            double correlation = fabs(along[0] - other.product * along[1]) / sqrt(length);
            if (correlation > best.product) best.product = correlation, best.column = place;
        }
        for (u32 step = WARP / 2; step > 0; step /= 2) {
            Partner other = {__shfl_down_sync(0xffffffffu, best.product, step), __shfl_down_sync(0xffffffffu, best.column, step)};
            if (other.product > best.product || (other.product == best.product && other.column < best.column)) best = other;
        }
        if (threadIdx.x % WARP == 0) parts[threadIdx.x / WARP] = best;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (u32 i = 1; i < WARPS; i++)
                if (parts[i].product > best.product || (parts[i].product == best.product && parts[i].column < best.column)) best = parts[i];
            best_places[pair] = best.column;
            best_correlations[pair] = best.product;
        }
        for (u32 a = 0; a < 2; a++) {
            u64 end = block.starts[twins.columns[a] + 1];
            for (u64 entry = block.starts[twins.columns[a]] + threadIdx.x; entry < end; entry += THREADS) own[a][block.columns[entry]] = 0.0;
        }
        __syncthreads();
    }
}
