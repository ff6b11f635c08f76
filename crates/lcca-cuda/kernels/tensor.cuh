// What kernels share that multiply f64 numbers on tensor cores, in pieces as large as the architecture takes.

#if __CUDA_ARCH__ >= 800
// sums (16 x 8) += a (16 x 8) * b (8 x 8).
__device__ __forceinline__ void multiply_add(double (&sums)[4], const double (&a)[4], const double (&b)[2]) {
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
        "%1, %2, %3};"
        : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
#pragma unroll
    for (u32 k = 0; k < 2; k++)
#pragma unroll
        for (u32 half = 0; half < 2; half++)
            asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                : "+d"(sums[2 * half]), "+d"(sums[2 * half + 1])
                : "d"(a[2 * k + half]), "d"(b[k]));
#endif
}
#endif
