/* The kernels: versions of the same loops for different processors. All of them give the same bits, because sums of
   products are integers, and each float operation is done alone, in the same order (no fused multiply-add). */
#ifndef DODONA_KERNELS_H
#define DODONA_KERNELS_H

#include <stdint.h>
#include <string.h>
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wunused-function" /* no file uses all of them */
#endif

enum { DODONA_PORTABLE, DODONA_AVX2, DODONA_AVX512VNNI, DODONA_KERNELS };

#if defined(__GNUC__) && defined(__x86_64__) /* clang too */
#define DODONA_X86 1
#include <immintrin.h>
#define DODONA_FOR_AVX2 __attribute__((target("avx2")))
#define DODONA_FOR_AVX512 __attribute__((target("avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))
#else
#define DODONA_X86 0
#endif

#if defined(__GNUC__)
#define DODONA_INLINE static inline __attribute__((always_inline))
#define DODONA_RESTRICTED restrict
#elif defined(_MSC_VER)
#define DODONA_INLINE static __forceinline
#define DODONA_RESTRICTED __restrict
#else
#define DODONA_INLINE static inline
#define DODONA_RESTRICTED restrict
#endif

#if defined(__GNUC__) && !defined(__clang__) /* no number of an array is needed in another round of the loop */
#define DODONA_INDEPENDENT _Pragma("GCC ivdep")
#else
#define DODONA_INDEPENDENT
#endif

/* Whether this machine can run a kernel, and the compiler knew how to make it. */
static int dodona_can_run(int kernel)
{
#if DODONA_X86
    __builtin_cpu_init();
    if (kernel == DODONA_AVX2)
        return __builtin_cpu_supports("avx2") != 0;
    if (kernel == DODONA_AVX512VNNI)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
#endif
    return kernel == DODONA_PORTABLE;
}

/* Whether this processor multiplies numbers of 16 bits (bfloat16), and adds up in 32: twice as fast, for training. */
static int dodona_has_bfloat16(void)
{
#if DODONA_X86
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512bf16") != 0;
#else
    return 0;
#endif
}

#endif
