// Random orders: those that exchanging each number i of 0, 1, 2, ... with the one at a random place up to i gives, one number after the
// other. All places are drawn first, and then every number finds its way by itself.

// Numbers of 32 bits that a warp draws at a time, and those that it keeps. Every 16th is followed by a gap, so that a warp writes
// without conflicts.
#define DRAWN 512
#define KEPT 1024
#define SLOT(word) ((u32)((word) % KEPT / 16 * 17 + (word) % 16))

__device__ __forceinline__ u32 rotated(u32 value, u32 bits) { return value << bits | value >> (32 - bits); }

__device__ __forceinline__ void quarter_round(u32 &a, u32 &b, u32 &c, u32 &d) {
    a += b; d = rotated(d ^ a, 16);
    c += d; b = rotated(b ^ c, 12);
    a += b; d = rotated(d ^ a, 8);
    c += d; b = rotated(b ^ c, 7);
}

// 16 numbers of ChaCha with 8 rounds: those of the `block`-th counter. A generator is its key, its stream and its next word.
__device__ void draw_block(const u32 *generator, u64 block, u32 *out) {
    u32 start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    u32 state[16];
#pragma unroll
    for (u32 i = 0; i < 8; i++) start[4 + i] = generator[i];
    start[12] = (u32)block;
    start[13] = (u32)(block >> 32);
    start[14] = generator[8];
    start[15] = generator[9];
#pragma unroll
    for (u32 i = 0; i < 16; i++) state[i] = start[i];
#pragma unroll
    for (u32 round = 0; round < 8; round += 2) {
#pragma unroll
        for (u32 i = 0; i < 4; i++) quarter_round(state[i], state[4 + i], state[8 + i], state[12 + i]);
#pragma unroll
        for (u32 i = 0; i < 4; i++)
            quarter_round(state[i], state[4 + (i + 1) % 4], state[8 + (i + 2) % 4], state[12 + (i + 3) % 4]);
    }
#pragma unroll
    for (u32 i = 0; i < 16; i++) out[i] = state[i] + start[i];
}

// The places of the numbers of one order per warp: those of the first numbers are known, and each later number i takes one word, whose
// product with i + 1 has the place as its upper half. If the lower half does not tell whether to round up, one more word does.
extern "C" __global__ void __launch_bounds__(32) draw_places(u64 rows, u64 known, u32 *places, const u32 *first,
                                                             const u32 *generators) {
    __shared__ u32 words[KEPT / 16 * 17];
    u32 lane = threadIdx.x;
    const u32 *generator = generators + 12 * (u64)blockIdx.x;
    places += blockIdx.x * rows;
    first += blockIdx.x * known;
#pragma unroll 8
    for (u64 i = lane; i < known; i += 32) places[i] = first[i];
    u64 word = generator[10] | (u64)generator[11] << 32, drawn = word / DRAWN * DRAWN, i = known;
    while (i < rows) {
        if (word + 33 > drawn) {
            draw_block(generator, drawn / 16 + lane, &words[SLOT(drawn + 16 * lane)]);
            drawn += DRAWN;
            __syncwarp();
            continue;
        }
        u32 range = (u32)(i + lane + 1);
        u64 product = (u64)words[SLOT(word + lane)] * range;
        u32 place = (u32)(product >> 32), low = (u32)product;
        // The words of all lanes after the first undecided one are those of their neighbors.
        u32 undecided = __ballot_sync(0xffffffffu, low > 0u - range);
        u32 decided = undecided ? __ffs(undecided) : 32;
        if (undecided && lane + 1 == decided) {
            u32 more = (u32)((u64)words[SLOT(word + lane + 1)] * range >> 32);
            if (low + more < low) place++;
        }
        if (lane < decided && i + lane < rows) places[i + lane] = place;
        i += decided;
        word += decided + (undecided != 0);
    }
}

// Lists of the numbers that have each place, in any order: heads[place] and then next[number], all one more than they are, and 0 at the
// end. Each row of blocks has an order of its own.
extern "C" __global__ void list_places(u64 rows, const u32 *places, u32 *heads, u32 *next) {
    u64 order = blockIdx.y * rows;
    EACH(i, rows) next[order + i] = atomicExch(&heads[order + places[order + i]], (u32)i + 1);
}

// The largest number below `limit` in a list, and one more; 0 if there is none.
__device__ __forceinline__ u32 last_before(u32 limit, u32 number, const u32 *next) {
    u32 last = 0;
    for (; number; number = next[number - 1])
        if (number <= limit && number > last) last = number;
    return last;
}

// What is at each place in the end: the last number that came there. If none ever did, it is what was exchanged with the place's own
// number: the last that had come to its partner's place before, or, if none had, what that place had got by its own exchange.
extern "C" __global__ void follow_places(u64 rows, const u32 *places, const u32 *heads, const u32 *next, u32 *orders) {
    u64 order = blockIdx.y * rows;
    places += order;
    heads += order;
    next += order;
    EACH(place, rows) {
        u32 at = (u32)place, found = last_before(0xffffffffu, heads[at], next);
        while (!found) {
            u32 partner = places[at];
            found = last_before(at, heads[partner], next);
            at = partner;
        }
        orders[order + place] = found - 1;
    }
}
