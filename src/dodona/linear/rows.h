/* What the innermost loops of linear models share: memory, versions for different processors, and groups of features.
   The compiler vectorizes loops, with one version for AVX-512, one for AVX2 and one for all other processors. */
#ifndef DODONA_ROWS_H
#define DODONA_ROWS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <malloc.h>
#else
#include <sys/mman.h>
#endif
#if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
#include <xmmintrin.h>
#endif
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wunused-function" /* no file uses all of them */
#endif

/* Without one of these the results are the same, but slower. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__)
#if __GNUC__ >= 12
#define DODONA_VERSIONS __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define DODONA_VERSIONS __attribute__((target_clones("avx2", "default")))
#endif
#else
#define DODONA_VERSIONS
#endif

#ifdef _MSC_VER
#define DODONA_RESTRICT __restrict
#else
#define DODONA_RESTRICT restrict
#endif

#if defined(__GNUC__) /* clang too */
#define dodona_prefetch(address) __builtin_prefetch(address)
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
#define dodona_prefetch(address) _mm_prefetch((const char *)(address), _MM_HINT_T0)
#else
#define dodona_prefetch(address) ((void)(address))
#endif

DODONA_VERSIONS
static void dodona_add_floats(float *DODONA_RESTRICT scores, const float *DODONA_RESTRICT row, int n)
{
    for (int i = 0; i < n; i++)
        scores[i] += row[i];
}

/* Memory for a table with random access, aligned to a cache line: in huge pages where the system has them, to avoid TLB
   misses. To be freed with dodona_free. */
static void *dodona_reserve(size_t size)
{
    void *memory = NULL;
    const size_t line = 64, page = (size_t)1 << 21, unit = size < page ? line : page;
    const size_t whole = (size / unit + 1) * unit;
#ifdef _WIN32
    memory = _aligned_malloc(whole, unit);
    if (memory == NULL)
        return NULL;
#else
    if (posix_memalign(&memory, unit, whole) != 0)
        return NULL;
#endif
#ifdef MADV_HUGEPAGE
    if (unit == page)
        madvise(memory, whole, MADV_HUGEPAGE);
#endif
    return memory;
}

/* The same, zeroed. */
static void *dodona_allocate(size_t size)
{
    void *memory = dodona_reserve(size);
    if (memory != NULL)
        memset(memory, 0, size);
    return memory;
}

static void dodona_free(void *memory)
{
#ifdef _WIN32
    _aligned_free(memory);
#else
    free(memory);
#endif
}

#define DODONA_PLACES 8

/* Features that are compared at once: as many as fit into a cache line. */
typedef struct {
    uint32_t fingerprints[DODONA_PLACES]; /* fingerprints: lower half of the hash, made odd; unique; free places (0) last */
    uint32_t starts[DODONA_PLACES]; /* of its row, with its kind: see sums.h; 0: free */
} dodona_group;

static inline size_t dodona_group_of(uint64_t bucket)
{
    return bucket / 2; /* a bucket has two features on average, so half of the places stay free */
}

#endif
