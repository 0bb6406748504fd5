/* What the files of linear models share: memory, and how features and their rows of weights lie in it. The loops over
   them are in headers of their own, each for one file: to compile their versions for different processors takes long. */
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

/* Loops are vectorized in one version for AVX-512, one for AVX2 and one for all other processors. Without one of these
   the results are the same, but slower. */
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

/* Frozen weights: see sums.h. */
typedef struct {
    const dodona_group *groups;
    uint64_t buckets;
    const uint64_t *pool;
    int actions;
    int bits; /* of a pair that are the weight; 16 of 32 if there are very many actions */
} dodona_table;

static inline const dodona_group *dodona_home(const dodona_table *table, uint64_t key)
{
    return &table->groups[dodona_group_of((key >> 32) * table->buckets >> 32)];
}

/* Prefetch the group of a feature, because most of them are not in the cache: best as soon as its key is known. */
static inline void dodona_expect(const dodona_table *table, uint64_t key)
{
    dodona_prefetch(dodona_home(table, key));
}

/* Weights during training: see float_sums.h. */
typedef struct {
    float weight;
    int32_t action;
} dodona_entry;

typedef struct {
    uint32_t start; /* in the pool of entries, or the number of a dense row */
    uint16_t size;  /* entries; those up to its room have a weight of 0 */
    uint16_t kind;
} dodona_row;

typedef struct {
    uint64_t key; /* 0: empty */
    dodona_row row;
} dodona_row_slot;

typedef struct {
    const dodona_row_slot *slots;
    uint64_t mask;
    const dodona_entry *entries;
    const float *dense;
    int actions;
    int width; /* of a dense row */
    int whole; /* whether all weights are whole numbers */
} dodona_pools;

#endif
