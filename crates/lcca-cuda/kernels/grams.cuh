// The joint Gram matrix as scans read it. It is put before the files that scan it.

// No column.
#define NOBODY 0xffffffffu

struct Block { const u64 *starts; const u32 *columns; const void *values; u64 kind; };

// Blocks [target][source] of the joint Gram matrix, and what makes B and A of them. means: null if nothing is subtracted.
struct Grams {
    Block blocks[2][2];
    const double *inverse[2];
    const double *means[2];
    double ridges[2];
    double weight;
    int identities[2];
};

// Entries are all 1, f32 or f64.
__device__ __forceinline__ double value_of(const Block &block, u64 entry) {
    return block.kind == 0 ? 1.0 : block.kind == 1 ? (double)((const float *)block.values)[entry] : ((const double *)block.values)[entry];
}

// The mean of a column times the weight of all rows, as centering needs it; 0 if nothing is subtracted.
__device__ __forceinline__ double own_mean(const Grams &g, int view, u32 column) {
    return g.means[view] ? g.weight * g.means[view][column] : 0.0;
}

// What centering leaves of an entry between a column with that mean and another one.
__device__ __forceinline__ double centered(const Grams &g, double own, int view, u32 column, double value) {
    return g.means[view] ? value - own * g.means[view][column] : value;
}

// The stored entry of two columns, 0 if there is none.
__device__ double find_entry(const Block &block, u32 row, u32 column) {
    u64 low = block.starts[row], end = block.starts[row + 1], high = end;
    while (low < high) {
        u64 middle = low + (high - low) / 2;
        if (block.columns[middle] < column) low = middle + 1;
        else high = middle;
    }
    return low < end && block.columns[low] == column ? value_of(block, low) : 0.0;
}

// An entry of B or A between two different columns, if B had a unit diagonal.
__device__ double scaled_entry(const Grams &g, int a, u32 i, int b, u32 j) {
    if (a == b && g.identities[a]) return 0.0;
    double value = find_entry(g.blocks[a][b], i, j);
    return centered(g, own_mean(g, a, i), b, j, value) * sqrt(g.inverse[a][i] * g.inverse[b][j]);
}

