// Growing pairs of directions from a few columns of each view. It does what the host does in fit/grow.rs and fit/tiny.rs, operation by operation,
// and this file is compiled without fused multiplications: both find the same bits. One block of threads per pair.

#define THREADS 512
#define WARP 32
#define WARPS (THREADS / WARP)
#define ROUNDS 2
#define ADDED 2
#define MOST_GROWN 6
#define SWEEPS 20
#define NEGLIGIBLE 1e-17
#define CUT 1e-12

// A pair: the seed before, and what grew from it afterwards.
struct Pair {
    u32 sizes[2];
    u32 columns[2][MOST_GROWN];
    double weights[2][MOST_GROWN];
    double objective;
};

typedef double Square[MOST_GROWN][MOST_GROWN];

// One problem of CCA and what its solution needs.
struct Tiny {
    Square metrics[2], cross, whiteners[2], vectors[2], half, whitened, squares;
    u32 ranks[2];
};

// Turns two axes of a symmetric matrix so that their entry becomes zero.
__device__ __noinline__ void rotate(Square a, Square vectors, u32 size, u32 p, u32 q) {
    double off = a[p][q], theta = (a[q][q] - a[p][p]) / (2.0 * off), root = sqrt(theta * theta + 1.0);
    double t = theta >= 0.0 ? 1.0 / (theta + root) : 1.0 / (theta - root), c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    a[p][p] -= t * off;
    a[q][q] += t * off;
    a[p][q] = a[q][p] = 0.0;
    for (u32 i = 0; i < size; i++) {
        if (i == p || i == q) continue;
        double x = a[i][p], y = a[i][q];
        a[i][p] = a[p][i] = c * x - s * y;
        a[i][q] = a[q][i] = s * x + c * y;
    }
    for (u32 i = 0; i < size; i++) {
        double x = vectors[i][p], y = vectors[i][q];
        vectors[i][p] = c * x - s * y;
        vectors[i][q] = s * x + c * y;
    }
}

// Jacobi's rotations: a symmetric matrix becomes diagonal, and `vectors` its eigenvectors.
__device__ __noinline__ void diagonalize(Square a, Square vectors, u32 size) {
    double trace = 0.0;
    for (u32 i = 0; i < size; i++) {
        trace += fabs(a[i][i]);
        for (u32 j = 0; j < size; j++) vectors[i][j] = i == j ? 1.0 : 0.0;
    }
    double negligible = NEGLIGIBLE * trace;
    for (u32 sweep = 0; sweep < SWEEPS; sweep++) {
        bool is_diagonal = true;
        for (u32 p = 0; p < size; p++)
            for (u32 q = p + 1; q < size; q++)
                if (fabs(a[p][q]) > negligible) {
                    is_diagonal = false;
                    rotate(a, vectors, size, p, q);
                }
        if (is_diagonal) break;
    }
}

// H with H'BH = I on significant directions; NOBODY for their number if an entry is not finite. B, of which the lower triangle is read, is
// overwritten.
__device__ __noinline__ u32 whiten(Square b, Square vectors, Square h, u32 size) {
    double scale[MOST_GROWN], largest = 0.0;
    for (u32 i = 0; i < size; i++) scale[i] = b[i][i] > 0.0 ? 1.0 / sqrt(b[i][i]) : 0.0;
    for (u32 i = 0; i < size; i++)
        for (u32 j = 0; j <= i; j++) {
            double entry = scale[i] * b[i][j] * scale[j];
            if (!isfinite(entry)) return NOBODY;
            b[i][j] = entry;
        }
    for (u32 i = 0; i < size; i++)
        for (u32 j = 0; j < i; j++) b[j][i] = b[i][j];
    diagonalize(b, vectors, size);
    for (u32 k = 0; k < size; k++) largest = fmax(largest, b[k][k]);
    u32 count = 0;
    for (u32 k = 0; k < size; k++) {
        if (!(largest > 0.0 && b[k][k] / largest > CUT)) continue;
        double root = sqrt(b[k][k]);
        for (u32 i = 0; i < size; i++) h[i][count] = scale[i] * vectors[i][k] / root;
        count++;
    }
    return count;
}

// The best pair between whitened columns.
__device__ void turn(Tiny &tiny, Pair &pair) {
    u32 p = pair.sizes[0], q = pair.sizes[1], r = tiny.ranks[0], s = tiny.ranks[1];
    double left[MOST_GROWN], square = 0.0;
    for (u32 i = 0; i < p; i++)
        for (u32 b = 0; b < s; b++) {
            double sum = 0.0;
            for (u32 j = 0; j < q; j++) sum += tiny.cross[i][j] * tiny.whiteners[1][j][b];
            tiny.half[i][b] = sum;
        }
    for (u32 a = 0; a < r; a++)
        for (u32 b = 0; b < s; b++) {
            double sum = 0.0;
            for (u32 i = 0; i < p; i++) sum += tiny.whiteners[0][i][a] * tiny.half[i][b];
            tiny.whitened[a][b] = sum;
        }
    for (u32 b = 0; b < s; b++)
        for (u32 d = 0; d < s; d++) {
            double sum = 0.0;
            for (u32 a = 0; a < r; a++) sum += tiny.whitened[a][b] * tiny.whitened[a][d];
            tiny.squares[b][d] = sum;
        }
    Square &vectors = tiny.vectors[0];
    diagonalize(tiny.squares, vectors, s);
    u32 first = 0;
    for (u32 b = 1; b < s; b++)
        if (tiny.squares[b][b] > tiny.squares[first][first]) first = b;
    for (u32 a = 0; a < r; a++) {
        double sum = 0.0;
        for (u32 b = 0; b < s; b++) sum += tiny.whitened[a][b] * vectors[b][first];
        left[a] = sum;
        square += sum * sum;
    }
    double objective = sqrt(square);
    bool is_none = r == 0 || s == 0 || objective == 0.0;
    for (u32 i = 0; i < p; i++) {
        double sum = 0.0;
        for (u32 a = 0; a < r; a++) sum += tiny.whiteners[0][i][a] * (left[a] / objective);
        pair.weights[0][i] = is_none ? 0.0 : sum;
    }
    for (u32 j = 0; j < q; j++) {
        double sum = 0.0;
        for (u32 b = 0; b < s; b++) sum += tiny.whiteners[1][j][b] * vectors[b][first];
        pair.weights[1][j] = is_none ? 0.0 : sum;
    }
    // Not finite: the host reports it.
    pair.objective = !isfinite(objective) ? nan("") : is_none ? 0.0 : fmin(objective, 1.0);
}

// CCA of the columns of a pair alone. Each of two warps whitens a view.
__device__ __noinline__ void solve_tiny(Tiny &tiny, Pair &pair, const Grams &g) {
    u32 which = threadIdx.x / (MOST_GROWN * MOST_GROWN), place = threadIdx.x % (MOST_GROWN * MOST_GROWN);
    u32 a = place / MOST_GROWN, b = place % MOST_GROWN;
    int target = which == 1, source = which > 0;
    bool is_metric = which < 2;
    if (which < 3 && a < pair.sizes[target] && b < pair.sizes[source] && !(is_metric && b > a)) {
        u32 i = pair.columns[target][a], j = pair.columns[source][b];
        double ridge = is_metric && i == j ? g.ridges[target] : 0.0, entry = 0.0;
        if (!(is_metric && g.identities[target]))
            entry = centered(g, own_mean(g, target, i), source, j, find_entry(g.blocks[target][source], i, j));
        (is_metric ? tiny.metrics[which] : tiny.cross)[a][b] = ridge + entry;
    }
    __syncthreads();
    if (threadIdx.x % WARP == 0 && threadIdx.x / WARP < 2) {
        u32 view = threadIdx.x / WARP;
        tiny.ranks[view] = whiten(tiny.metrics[view], tiny.vectors[view], tiny.whiteners[view], pair.sizes[view]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        if (tiny.ranks[0] == NOBODY || tiny.ranks[1] == NOBODY) pair.objective = nan("");
        else turn(tiny, pair);
    }
    __syncthreads();
}

// The columns with the largest squares, of equal ones the first.
struct Best {
    double squares[ADDED];
    u32 columns[ADDED];

    __device__ void clear() {
        for (u32 i = 0; i < ADDED; i++) squares[i] = 0.0, columns[i] = NOBODY;
    }

    // Whether a column comes before the one at a place.
    __device__ bool is_before(u32 place, double square, u32 column) const {
        return square > squares[place] || (square == squares[place] && column < columns[place]);
    }

    // Takes a column in, unless it is there already.
    __device__ void add(double square, u32 column) {
        if (!(square > 0.0) || column == columns[0] || !is_before(1, square, column)) return;
        u32 place = is_before(0, square, column) ? 0 : 1;
        if (place == 0) squares[1] = squares[0], columns[1] = columns[0];
        squares[place] = square;
        columns[place] = column;
    }
};

// Whether a column is one of the pair's.
__device__ bool has_column(const Pair &pair, int side, u32 column) {
    for (u32 i = 0; i < pair.sizes[side]; i++)
        if (pair.columns[side][i] == column) return true;
    return false;
}

// The columns of a view on which the residual of a pair is largest. sums: zeros for each column of the view, before and after. The rows of the Gram
// matrix are added one after another, so that sums have an order.
__device__ __noinline__ void find_needed(const Pair &pair, const Grams &g, int side, double *sums, Best *shared, Best &needed) {
    double own = g.identities[side] ? 0.0 : -pair.objective;
    Best best;
    best.clear();
    // First all rows are added up; then they are read again for the columns that they touch.
    for (int pass = 0; pass < 2; pass++) {
        for (int part = 0; part < 2; part++) {
            int source = part == 0 ? 1 - side : side;
            double factor = part == 0 ? 1.0 : own;
            if (factor == 0.0) continue;
            Block block = g.blocks[source][side];
            for (u32 k = 0; k < pair.sizes[source]; k++) {
                u32 column = pair.columns[source][k];
                double weight = factor * pair.weights[source][k], mean = own_mean(g, source, column);
                u64 end = block.starts[column + 1];
                for (u64 entry = block.starts[column] + threadIdx.x; entry < end; entry += THREADS) {
                    u32 j = block.columns[entry];
                    if (pass == 0) {
                        sums[j] += weight * centered(g, mean, side, j, value_of(block, entry));
                        continue;
                    }
                    // Another thread may find the same column in another row: it is taken in once.
                    double sum = sums[j], square = sum * sum * g.inverse[side][j];
                    if (sum != 0.0) sums[j] = 0.0;
                    if (best.is_before(1, square, j) && !has_column(pair, side, j)) best.add(square, j);
                }
                if (pass == 0) __syncthreads();
            }
        }
    }
    for (u32 step = WARP / 2; step > 0; step /= 2) {
        Best other;
        for (u32 i = 0; i < ADDED; i++) {
            other.squares[i] = __shfl_down_sync(0xffffffffu, best.squares[i], step);
            other.columns[i] = __shfl_down_sync(0xffffffffu, best.columns[i], step);
        }
        for (u32 i = 0; i < ADDED; i++) best.add(other.squares[i], other.columns[i]);
    }
    if (threadIdx.x % WARP == 0) shared[threadIdx.x / WARP] = best;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (u32 warp = 1; warp < WARPS; warp++)
            for (u32 i = 0; i < ADDED; i++) best.add(shared[warp].squares[i], shared[warp].columns[i]);
        needed = best;
    }
    __syncthreads();
}

// Grows all pairs. sums: zeros for each column of both views, for each block of threads. next: 0.
extern "C" __global__ void __launch_bounds__(THREADS, 2) grow_pairs(u32 count, Grams g, Pair *pairs, double *sums, u64 x_cols, u64 y_cols, u32 *next) {
    __shared__ Pair pair;
    __shared__ Tiny tiny;
    __shared__ Best shared[WARPS], needed[2];
    __shared__ u32 index, added;
    double *own = sums + (x_cols + y_cols) * blockIdx.x;
    for (;;) {
        if (threadIdx.x == 0) index = atomicAdd(next, 1u);
        __syncthreads();
        if (index >= count) return;
        if (threadIdx.x == 0) pair = pairs[index];
        __syncthreads();
        solve_tiny(tiny, pair, g);
        for (u32 round = 0; round < ROUNDS; round++) {
            find_needed(pair, g, 0, own, shared, needed[0]);
            find_needed(pair, g, 1, own + x_cols, shared, needed[1]);
            if (threadIdx.x == 0) {
                added = 0;
                for (u32 side = 0; side < 2; side++)
                    for (u32 i = 0; i < ADDED; i++)
                        if (needed[side].squares[i] > 0.0) {
                            pair.columns[side][pair.sizes[side]++] = needed[side].columns[i];
                            added++;
                        }
            }
            __syncthreads();
            if (added == 0) break;
            solve_tiny(tiny, pair, g);
        }
        if (threadIdx.x == 0) pairs[index] = pair;
        __syncthreads();
    }
}
