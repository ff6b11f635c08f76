// Random orders: those that exchanging each number i of 0, 1, 2, ... with the one at a random place up to i
// gives, one number after the other. All places are drawn first, and then every number finds its way by
// itself.

// Numbers of 32 bits that a warp draws at a time, and those that it keeps. Every 16th is followed by a gap,
// so that a warp writes without conflicts.
#define DRAWN 512
#define KEPT 1024
// Places that a thread draws at a time.
#define EACH_DRAWS 4
#define SLOT(word) ((u32)((word) % KEPT / 16 * 17 + (word) % 16))

__device__ __forceinline__ u32 rotated(u32 value, u32 bits) { return value << bits | value >> (32 - bits); }

__device__ __forceinline__ void quarter_round(u32 &a, u32 &b, u32 &c, u32 &d) {
    a += b;
    d = rotated(d ^ a, 16);
    c += d;
    b = rotated(b ^ c, 12);
    a += b;
    d = rotated(d ^ a, 8);
    c += d;
    b = rotated(b ^ c, 7);
}

// 16 numbers of ChaCha with 8 rounds: those of the `block`-th counter, for a key and a stream.
__device__ void draw_block(const u32 (&start)[16], u64 block, u32 *out) {
    u32 state[16];
#pragma unroll
    for (u32 i = 0; i < 16; i++) state[i] = start[i];
    state[12] = (u32)block;
    state[13] = (u32)(block >> 32);
#pragma unroll
    for (u32 round = 0; round < 8; round += 2) {
#pragma unroll
        for (u32 i = 0; i < 4; i++) quarter_round(state[i], state[4 + i], state[8 + i], state[12 + i]);
#pragma unroll
        for (u32 i = 0; i < 4; i++)
            quarter_round(state[i], state[4 + (i + 1) % 4], state[8 + (i + 2) % 4], state[12 + (i + 3) % 4]);
    }
#pragma unroll
    for (u32 i = 0; i < 16; i++)
        out[i] = state[i] + (i == 12 ? (u32)block : i == 13 ? (u32)(block >> 32) : start[i]);
}

// The places of the numbers of one order per warp: those of the first numbers are known, and each later
// number i takes one word, whose product with i + 1 has the place as its upper half. If the lower half does
// not tell whether to round up, one more word does. That is rare, so every thread draws EACH_DRAWS places as
// if it never happened, and those after the first such number are drawn once more. A generator is its key,
// its stream and its next word.
extern "C" __global__ void __launch_bounds__(32)
    draw_places(u64 rows, u64 known, u32 *__restrict__ places, const u32 *__restrict__ first,
                const u32 *__restrict__ generators) {
    __shared__ u32 words[KEPT / 16 * 17];
    u32 lane = threadIdx.x;
    const u32 *generator = generators + 12 * (u64)blockIdx.x;
    u32 start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
#pragma unroll
    for (u32 i = 0; i < 8; i++) start[4 + i] = generator[i];
    start[14] = generator[8];
    start[15] = generator[9];
    places += blockIdx.x * rows;
    first += blockIdx.x * known;
#pragma unroll 8
    for (u64 i = lane; i < known; i += 32) places[i] = first[i];
    u64 word = generator[10] | (u64)generator[11] << 32, drawn = word / DRAWN * DRAWN, i = known;
    while (i < rows) {
        if (word + 32 * EACH_DRAWS + 1 > drawn) {
            // All have read what is overwritten, and will read what is written.
            __syncwarp();
            draw_block(start, drawn / 16 + lane, &words[SLOT(drawn + 16 * lane)]);
            __syncwarp();
            drawn += DRAWN;
            continue;
        }
        u32 own[EACH_DRAWS], low[EACH_DRAWS], decided = 32 * EACH_DRAWS;
        bool is_undecided = false;
#pragma unroll
        for (u32 g = 0; g < EACH_DRAWS; g++) {
            u64 product = (u64)words[SLOT(word + 32 * g + lane)] * (u32)(i + 32 * g + lane + 1);
            own[g] = (u32)(product >> 32);
            low[g] = (u32)product;
        }
#pragma unroll
        for (u32 g = 0; g < EACH_DRAWS; g++) {
            u32 range = (u32)(i + 32 * g + lane + 1);
            u32 undecided = __ballot_sync(0xffffffffu, low[g] > 0u - range);
            if (undecided && !is_undecided) {
                decided = 32 * g + __ffs(undecided);
                is_undecided = true;
            }
        }
#pragma unroll
        for (u32 g = 0; g < EACH_DRAWS; g++) {
            u32 index = 32 * g + lane;
            if (is_undecided && index + 1 == decided) {
                u32 more = (u32)((u64)words[SLOT(word + decided)] * (u32)(i + decided) >> 32);
                if (low[g] + more < low[g]) own[g]++;
            }
            if (index < decided && i + index < rows) places[i + index] = own[g];
        }
        i += decided;
        word += decided + is_undecided;
    }
}

// Lists of the numbers that have each place, in any order: heads[place] and then next[number], all one more
// than they are, and 0 at the end. Each row of blocks has an order of its own.
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

// What is at each place in the end: the last number that came there. If none ever did, it is what was
// exchanged with the place's own number: the last that had come to its partner's place before, or, if none
// had, what that place had got by its own exchange.
extern "C" __global__ void follow_places(u64 rows, const u32 *places, const u32 *heads, const u32 *next,
                                         u32 *orders) {
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
        // It is not read soon, and leaves the cache to the lists.
        __stcs(&orders[order + place], found - 1);
    }
}
