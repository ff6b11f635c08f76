// A Cholesky factor L of a dense matrix, kept in such a form that solving with it takes few steps.
//
// The matrix is row-major and square, its size a multiple of 64, and its lower triangle is given. In the end
// it holds
//   - on the diagonal, the inverses D^-1 of the blocks of 512 rows and columns of L that lie there (of the
//   last one, what there is of it),
//   - above them, the transpose of M = D^-1 * L,
// which is all that a solution needs: L^-1 b is D^-1 b, from which block after block subtracts its product
// with M, and L^-T b is the same in reverse order. Below the diagonal is L, which nobody needs any more.
//
// Sums are formed in an order that depends on the sizes alone.

#define NB 64
#define WIDE 512
// A pivot that is not positive is replaced by this number, as if its row and column were left out: numbers
// divided by it no longer count.
#define TAKEN_OUT 1e280

// One factor of a product in device memory: number (i, k) is at[i * row + k * step].
struct Side {
    const double *at;
    u64 row, step;

    __device__ Side from(u64 i, u64 k) const { return {at + i * row + k * step, row, step}; }
};

// tile += A * B^T for the 32 rows of A and of B that one warp has, `depth` numbers in each, a multiple of 8.
// Numbers are read from device memory without a detour: pieces of 4 x 8 are what tensor cores take, and they
// are whole sectors in either order. cols: how many of B's rows there are, a multiple of 8; beyond them, the
// first ones are read again, and the columns of the tile mean nothing.
__device__ __forceinline__ void add_product(Tile &tile, Side a, Side b, u32 depth, u32 cols = 32) {
#if __CUDA_ARCH__ >= 800
    u32 group = threadIdx.x % 32 / 4, own = threadIdx.x % 4;
    const double *left_at = a.at + group * a.row + own * a.step,
                 *right_at = b.at + group * b.row + own * b.step;
    u64 left_place[4], right_place[4];
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
        left_place[i] = 8 * i * a.row;
        right_place[i] = 8 * i < cols ? 8 * i * b.row : 0;
    }
#pragma unroll 1
    for (u32 k = 0; k < depth; k += 8) {
        double left[2][4], right[2][4];
#pragma unroll
        for (u32 s = 0; s < 2; s++) {
#pragma unroll
            for (u32 i = 0; i < 4; i++) {
                left[s][i] = left_at[left_place[i]];
                right[s][i] = right_at[right_place[i]];
            }
            left_at += 4 * a.step;
            right_at += 4 * b.step;
        }
#pragma unroll
        for (u32 s = 0; s < 2; s++)
#pragma unroll
            for (u32 i = 0; i < 4; i++)
#pragma unroll
                for (u32 j = 0; j < 4; j++)
                    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                        : "+d"(tile.sums[i][j][0]), "+d"(tile.sums[i][j][1])
                        : "d"(left[s][i]), "d"(right[s][j]));
    }
#else
    for (u32 k = 0; k < depth; k++) {
        double left[4];
#pragma unroll
        for (u32 i = 0; i < 4; i++) left[i] = a.at[Tile::row(i) * a.row + k * a.step];
#pragma unroll
        for (u32 j = 0; j < 8; j++) {
            u32 col = 8 * (j / 2) < cols ? Tile::col(j / 2, j % 2) : Tile::col(0, j % 2);
            double right = b.at[col * b.row + k * b.step];
#pragma unroll
            for (u32 i = 0; i < 4; i++)
                tile.sums[i][j / 2][j % 2] = fma(left[i], right, tile.sums[i][j / 2][j % 2]);
        }
    }
#endif
}

// Calls visit(row, column, number) for the thread's own numbers of a tile.
template<class Visit> __device__ __forceinline__ void for_each_of(const Tile &tile, Visit visit) {
#pragma unroll
    for (u32 i = 0; i < 4; i++)
#pragma unroll
        for (u32 j = 0; j < 8; j++) visit(Tile::row(i), Tile::col(j / 2, j % 2), tile.sums[i][j / 2][j % 2]);
}

// Replaces the 64 x 64 block at `block` by the inverse of its Cholesky factor, with zeros above the diagonal.
// failed: set for each of its columns whose pivot is not positive, which is taken out. One thread block of
// 256.
//
// Rows are eliminated one after another, and what that does to an identity is noted in the columns that are
// eliminated already: unit triangular W with W * A = U, whose rows over the roots of the pivots are those of
// the inverse. A thread has every fourth column of one row. All that a step must know of others is the row of
// the pivot, because the column of the pivot is the same, so there is one barrier for each step.
__device__ void invert_diagonal(double *block, u64 size, int *failed) {
    __align__(16) __shared__ double pivot_rows[2][4][18];
    u32 t = threadIdx.x, i = t % NB, h = t / NB;
    double own[16];
#pragma unroll
    for (u32 q = 0; q < 16; q++) {
        u32 j = 4 * q + h;
        own[q] = i <= j ? block[j * size + i] : 0.0;
        if (i == 0) pivot_rows[0][h][q] = own[q];
    }
    __syncthreads();
    double own_pivot = 1.0;
    for (u32 k = 0; k < NB; k++) {
        const double (*row)[18] = pivot_rows[k % 2];
        double pivot = row[k % 4][k / 4];
        if (!(pivot > 0.0)) {
            if (t == 0) failed[k] = 1;
            pivot = TAKEN_OUT;
        }
        if (i == k) own_pivot = pivot;
        double times = i > k ? row[i % 4][i / 4] * (1.0 / pivot) : 0.0;
#pragma unroll
        for (u32 q = 0; q < 16; q++) {
            // The column of the pivot becomes a column of W.
            bool is_new = 4 * q + h == k;
            own[q] = fma(-times, is_new ? 1.0 : row[h][q], is_new ? 0.0 : own[q]);
            if (i == k + 1) pivot_rows[(k + 1) % 2][h][q] = own[q];
        }
        __syncthreads();
    }
    double scale = 1.0 / sqrt(own_pivot);
#pragma unroll
    for (u32 q = 0; q < 16; q++) {
        u32 j = 4 * q + h;
        block[i * size + j] = j < i ? own[q] * scale : j == i ? scale : 0.0;
    }
}

// The first block on the diagonal; factor_rest inverts the others as soon as it has updated them. One thread
// block of 256.
extern "C" __global__ void __launch_bounds__(256) factor_first(u32 size, double *matrix, int *failed) {
    invert_diagonal(matrix, size, failed);
}

// The blocks below a block on the diagonal whose inverse is known: L_ik = A_ik * (L_kk^-1)^T. One thread
// block of 128 per 64 rows.
extern "C" __global__ void __launch_bounds__(128) factor_below(u32 size, double *matrix, u32 first) {
    u32 warp = threadIdx.x / 32, row0 = warp / 2 * 32, col0 = warp % 2 * 32;
    double *a = matrix + (u64)(first + NB * (1 + blockIdx.x)) * size + first;
    Side left = {a, size, 1}, inverse = {matrix + (u64)first * size + first, size, 1};
    Tile tile;
    tile.clear();
    add_product(tile, left.from(row0, 0), inverse.from(col0, 0), col0 + 32);
    // Other warps read what this one is about to write.
    __syncthreads();
    for_each_of(tile, [=](u32 row, u32 col, double sum) { a[(u64)(row0 + row) * size + col0 + col] = sum; });
}

// What is left: A_ij -= the sum of L_ik * L_jk^T over the `depth` columns from `first` on, for rows i and
// columns j from `start` on. A thread block of 256 has 128 rows and 64 columns. If is_whole, blockIdx.x runs
// over the whole lower triangle, a pair of columns of blocks after the other; otherwise it is the place of
// the rows, and blockIdx.y that of the columns. The first thread block inverts the next block on the
// diagonal, while the others are still busy.
extern "C" __global__ void __launch_bounds__(256, 2)
    factor_rest(u32 size, double *matrix, u32 first, u32 depth, u32 start, int is_whole, int *failed) {
    __shared__ double as[DEPTH][PITCH(2 * NB)];
    __shared__ double bs[DEPTH][PITCH(NB)];
    u32 t = threadIdx.x, pair = blockIdx.x, place = blockIdx.y;
    if (is_whole) {
        u32 index = blockIdx.x / 2;
        pair = lower_row(index);
        place = 2 * (index - pair * (pair + 1) / 2) + blockIdx.x % 2;
    }
    u32 row0 = start + 2 * NB * pair, col0 = start + NB * place;
    if (col0 >= size || col0 >= row0 + 2 * NB) return;
    u32 rows = size - row0 < 2 * NB ? size - row0 : 2 * NB;
    // The next slice is on its way while the current one is multiplied. 16 threads have 4 numbers of 4 rows
    // each: whole sectors, which go to different banks. If the second half of the rows is beyond the matrix,
    // the first one stands in for it.
    u32 k = t % 4, r = t / 4;
    const double *a = matrix + (u64)(row0 + r) * size + first + k,
                 *second = rows > NB ? a + (u64)NB * size : a;
    const double *b = matrix + (u64)(col0 + r) * size + first + k;
    double next[3][4];
    auto fetch = [&]() {
#pragma unroll
        for (u32 q = 0; q < 4; q++) next[0][q] = a[4 * q], next[1][q] = second[4 * q], next[2][q] = b[4 * q];
        a += DEPTH, second += DEPTH, b += DEPTH;
    };
    Tile tile;
    tile.clear();
    fetch();
    u32 own_row = t / 64 * 32, own_col = t / 32 % 2 * 32;
    for (u32 k0 = 0; k0 < depth; k0 += DEPTH) {
#pragma unroll
        for (u32 q = 0; q < 4; q++) {
            as[k + 4 * q][r] = next[0][q];
            as[k + 4 * q][r + NB] = next[1][q];
            bs[k + 4 * q][r] = next[2][q];
        }
        __syncthreads();
        if (k0 + DEPTH < depth) fetch();
        tile.add(&as[0][own_row], PITCH(2 * NB), &bs[0][own_col], PITCH(NB));
        __syncthreads();
    }
    // Of 128 rows, 64 may lie beyond the matrix or above the diagonal.
    if (own_row < rows && row0 + own_row / NB * NB >= col0) {
        double *out = matrix + (u64)(row0 + own_row) * size + col0 + own_col;
        for_each_of(tile, [=](u32 row, u32 col, double sum) { out[(u64)row * size + col] -= sum; });
    }
    if (pair == 0 && place == 0) {
        __syncthreads();
        invert_diagonal(matrix + (u64)start * size + start, size, failed + start);
    }
}

#if __CUDA_ARCH__ >= 800
// The same for matrices with more rows than can keep the caches, on tensor cores: for rows from `start` on
// and `across` columns of tiles from there on, or the whole lower triangle if `across` is 0. A thread block
// of 256 has 128 x 128 numbers, a warp 64 x 32 of them. Of the factors, slices of 16 numbers of each row go
// to shared memory, two steps ahead. A slice lies there in two halves of 8 numbers of each row, so that
// threads that read two numbers at once, of 8 rows, have all banks. Products have no order within 8 numbers,
// so a thread takes neighbors.
#define EDGE 128
#define SLICE 16
#define STAGES 3
#define HALF (EDGE * 8 + 8)
#define STAGE (2 * HALF)
// Tiles that run at the same time form a square, as long as one wave has thread blocks: its rows are read
// from memory once.
#define SQUARE 12

struct Place {
    u32 row, col;
};
__device__ __forceinline__ Place place_of_tile(u32 across) {
    if (across) return {blockIdx.x / across, blockIdx.x % across};
    u32 square = blockIdx.x / (SQUARE * SQUARE), own = blockIdx.x % (SQUARE * SQUARE),
        row = lower_row(square);
    return {row * SQUARE + own / SQUARE, (square - row * (row + 1) / 2) * SQUARE + own % SQUARE};
}

// Starts to copy a slice of 128 rows, in pieces of 16 bytes. Rows beyond the matrix are its last one.
__device__ __forceinline__ void fetch_slice(double *to, const double *matrix, u32 size, u32 row0, u32 k0) {
    u32 piece = threadIdx.x % 8;
    to += piece / 4 * HALF + piece % 4 * 2;
#pragma unroll
    for (u32 q = 0; q < 4; q++) {
        u32 row = threadIdx.x / 8 + 32 * q;
        const double *from = matrix + (u64)min(row0 + row, size - 1) * size + k0 + 2 * piece;
        u32 address = (u32)__cvta_generic_to_shared(to + row * 8);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from));
    }
}

// Reads a warp's numbers, with the other sign, or writes them back. rows, cols: how many there are from the
// warp's first on, which may be none or negative.
template<bool WRITES>
__device__ __forceinline__ void move_sums(double (&sums)[4][4][4], double *first, u32 size, i64 rows,
                                          i64 cols) {
#pragma unroll
    for (u32 i = 0; i < 4; i++)
#pragma unroll
        for (u32 h = 0; h < 2; h++)
#pragma unroll
            for (u32 j = 0; j < 4; j++) {
                if (16 * i + 8 * h >= rows || 8 * j >= cols) continue;
                double *sum = sums[i][j] + 2 * h;
                double2 *at = (double2 *)(first + (u64)(16 * i + 8 * h) * size + 8 * j);
                if (WRITES) *at = make_double2(-sum[0], -sum[1]);
                else sum[0] = -at->x, sum[1] = -at->y;
            }
}

extern "C" __global__ void __launch_bounds__(256, 1)
    factor_rest_wide(u32 size, double *matrix, u32 first, u32 depth, u32 start, u32 across, int *failed) {
    extern __shared__ __align__(16) double stages[];
    Place place = place_of_tile(across);
    u32 row0 = start + EDGE * place.row, col0 = start + EDGE * place.col;
    if (place.col > place.row || row0 >= size) return;
    auto fetch = [&](u32 index) {
        if (index * SLICE < depth) {
            double *to = stages + index % STAGES * 2 * STAGE;
            fetch_slice(to, matrix, size, row0, first + index * SLICE);
            fetch_slice(to + STAGE, matrix, size, col0, first + index * SLICE);
        }
        asm volatile("cp.async.commit_group;");
    };
#pragma unroll 1
    for (u32 s = 0; s + 1 < STAGES; s++) fetch(s);
    u32 warp = threadIdx.x / 32, group = threadIdx.x % 32 / 4, own = threadIdx.x % 4, wa = warp % 2 * 64,
        wb = warp / 2 * 32;
    // What is there already, with the other sign, is read while the first slices are on their way.
    double sums[4][4][4];
    i64 rows = (i64)size - row0 - wa, cols = (i64)size - col0 - wb;
    double *out = matrix + (u64)(row0 + wa + group) * size + col0 + wb + 2 * own;
    move_sums<false>(sums, out, size, rows, cols);
    u32 index = 0;
    for (u32 k0 = 0; k0 < depth; k0 += SLICE, index++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
        __syncthreads();
        // All warps are done with the slice before, whose place is taken.
        fetch(index + STAGES - 1);
        const double *a = stages + index % STAGES * 2 * STAGE + (wa + group) * 8 + 2 * own;
        const double *b = stages + index % STAGES * 2 * STAGE + STAGE + (wb + group) * 8 + 2 * own;
#pragma unroll
        for (u32 half = 0; half < 2; half++, a += HALF, b += HALF) {
            double right[4][2];
#pragma unroll
            for (u32 j = 0; j < 4; j++) {
                double2 pair = *(const double2 *)(b + 64 * j);
                right[j][0] = pair.x, right[j][1] = pair.y;
            }
#pragma unroll
            for (u32 i = 0; i < 4; i++) {
                double2 upper = *(const double2 *)(a + 128 * i), lower = *(const double2 *)(a + 128 * i + 64);
                double left[4] = {upper.x, lower.x, upper.y, lower.y};
#pragma unroll
                for (u32 j = 0; j < 4; j++) multiply_add(sums[i][j], left, right[j]);
            }
        }
    }
    move_sums<true>(sums, out, size, rows, cols);
    if (place.row == 0 && place.col == 0) {
        __syncthreads();
        invert_diagonal(matrix + (u64)start * size + start, size, failed + start);
    }
}
#endif

// Inverses of blocks on the diagonal of twice the size: [A 0; B C]^-1 = [A^-1 0; -C^-1 B A^-1, C^-1], for all
// of them at once. A^-1 and C^-1 are there, with `half` rows. First T = B * A^-1, whose transpose is put
// above the diagonal; then -C^-1 * T, in the place of B. A thread block of 128 forms 64 x 64 numbers.
struct Joint {
    u32 start, row0, col0;
};
__device__ __forceinline__ Joint joint(u32 half) {
    u32 tiles = half / NB, which = blockIdx.x / (tiles * tiles), tile = blockIdx.x % (tiles * tiles),
        start = which * 2 * half;
    return {start, start + half + tile / tiles * NB, start + tile % tiles * NB};
}

extern "C" __global__ void __launch_bounds__(128) join_right(u32 size, double *matrix, u32 half) {
    Joint at = joint(half);
    if (at.row0 >= size) return;
    u32 warp = threadIdx.x / 32, row0 = at.row0 + warp / 2 * 32, col0 = at.col0 + warp % 2 * 32;
    Side b = {matrix + at.col0, size, 1}, inverse = {matrix + (u64)at.col0 * size, 1, size};
    Tile tile;
    tile.clear();
    add_product(tile, b.from(row0, 0), inverse.from(col0, 0), at.start + half - at.col0);
    double *out = matrix + (u64)col0 * size + row0;
    for_each_of(tile, [=](u32 row, u32 col, double sum) { out[(u64)col * size + row] = sum; });
}

extern "C" __global__ void __launch_bounds__(128) join_left(u32 size, double *matrix, u32 half) {
    Joint at = joint(half);
    if (at.row0 >= size) return;
    u32 warp = threadIdx.x / 32, row0 = at.row0 + warp / 2 * 32, col0 = at.col0 + warp % 2 * 32,
        middle = at.start + half;
    Side all = {matrix + middle, size, 1};
    Tile tile;
    tile.clear();
    add_product(tile, all.from(row0, 0), all.from(col0, 0), at.row0 + NB - middle);
    double *out = matrix + (u64)row0 * size + col0;
    for_each_of(tile, [=](u32 row, u32 col, double sum) { out[(u64)row * size + col] = -sum; });
}

// The transpose of M = D^-1 * L, above the diagonal. A thread block of 128 forms 64 x 64 numbers; blockIdx.x
// runs over the lower triangle, of which the blocks on the diagonal are left out.
extern "C" __global__ void __launch_bounds__(128) divide_rows(u32 size, double *matrix) {
    u32 i = lower_row(blockIdx.x), j = blockIdx.x - i * (i + 1) / 2, first = i * NB / WIDE * WIDE;
    if (j * NB >= first) return;
    u32 warp = threadIdx.x / 32, row0 = i * NB + warp / 2 * 32, col0 = j * NB + warp % 2 * 32;
    Side inverse = {matrix + first, size, 1}, below = {matrix + (u64)first * size, 1, size};
    Tile tile;
    tile.clear();
    add_product(tile, inverse.from(row0, 0), below.from(col0, 0), (i + 1) * NB - first);
    double *out = matrix + (u64)col0 * size + row0;
    for_each_of(tile, [=](u32 row, u32 col, double sum) { out[(u64)col * size + row] = sum; });
}

// The sum of the tiles of `SPLIT` warps, which have added up a part of a product each. Warps of the first
// part have it in the end.
template<u32 SPLIT> __device__ __forceinline__ void add_parts_of(Tile &tile) {
    __shared__ double given[4][32][32];
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, tiles = 8 / SPLIT, part = warp / tiles;
#pragma unroll
    for (u32 half = SPLIT / 2; half > 0; half /= 2) {
        if (part >= half && part < 2 * half) {
#pragma unroll
            for (u32 v = 0; v < 32; v++)
                given[warp - half * tiles][v][lane] = tile.sums[v / 8][v / 2 % 4][v % 2];
        }
        __syncthreads();
        if (part < half) {
#pragma unroll
            for (u32 v = 0; v < 32; v++) tile.sums[v / 8][v / 2 % 4][v % 2] += given[warp][v][lane];
        }
        __syncthreads();
    }
}

// A product with a panel: the rows `row0` and on and the columns `col0` and on of out = A * in, or of out -=
// A * in, for the inner numbers from k0 to k1. `matrix` is A or its transpose. 8 warps form 32 x 32 numbers,
// an eighth of the inner numbers each, or 64 x 64, half of them each.
template<u32 SPLIT>
__device__ __forceinline__ void times_panel(Side a, const double *in, double *out, u32 stride, u32 row0,
                                            u32 col0, u32 k0, u32 k1, bool subtracts) {
    u32 warp = threadIdx.x / 32, tiles = 8 / SPLIT, part = warp / tiles, each = (k1 - k0) / SPLIT,
        from = k0 + part * each;
    if (tiles == 4) row0 += warp / 2 % 2 * 32, col0 += warp % 2 * 32;
    u32 cols = col0 < stride ? stride - col0 : 0;
    Side b = {in, 1, stride};
    Tile tile;
    tile.clear();
    add_product(tile, a.from(row0, from), b.from(col0, from), cols > 0 ? each : 0, cols);
    add_parts_of<SPLIT>(tile);
    if (part > 0) return;
    double *place = out + (u64)row0 * stride + col0;
    for_each_of(tile, [=](u32 row, u32 col, double sum) {
        if (col >= cols) return;
        double *own = place + (u64)row * stride + col;
        *own = subtracts ? *own - sum : sum;
    });
}

// out = D^-1 * in, or D^-T * in.
template<u32 SPLIT>
__device__ void solve_diagonal(u32 size, const double *matrix, const double *in, double *out, u32 stride,
                               int transposed) {
    u32 edge = SPLIT == 8 ? 32 : 64, row0 = blockIdx.x * edge, first = row0 / WIDE * WIDE,
        block = row0 / NB * NB;
    u32 end = first + WIDE < size ? first + WIDE : size;
    Side a = {matrix, transposed ? 1 : size, transposed ? size : 1};
    times_panel<SPLIT>(a, in, out, stride, row0, blockIdx.y * edge, transposed ? block : first,
                       transposed ? end : block + NB, false);
}

// r -= M * r[own block] for the rows after it, or r -= M^T * r[own block] for the rows before it. The own
// block begins at `first`.
template<u32 SPLIT>
__device__ void solve_rest(u32 size, const double *matrix, u32 first, double *r, u32 stride, int transposed) {
    u32 edge = SPLIT == 8 ? 32 : 64, end = first + WIDE < size ? first + WIDE : size;
    Side a = {matrix, transposed ? size : 1, transposed ? 1 : size};
    times_panel<SPLIT>(a, r, r, stride, (transposed ? 0 : end) + blockIdx.x * edge, blockIdx.y * edge, first,
                       end, true);
}

#define SOLVE(SPLIT, DIAGONAL, REST)                                                                         \
    extern "C" __global__ void __launch_bounds__(256, 2) DIAGONAL(                                           \
        u32 size, const double *matrix, const double *in, double *out, u32 stride, int transposed) {         \
        solve_diagonal<SPLIT>(size, matrix, in, out, stride, transposed);                                    \
    }                                                                                                        \
    extern "C" __global__ void __launch_bounds__(256, 2)                                                     \
        REST(u32 size, const double *matrix, u32 first, double *r, u32 stride, int transposed) {             \
        solve_rest<SPLIT>(size, matrix, first, r, stride, transposed);                                       \
    }
SOLVE(8, solve_diagonal_32, solve_rest_32)
SOLVE(2, solve_diagonal_64, solve_rest_64)
