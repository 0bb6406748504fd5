/* The innermost loops: adding a row of weights to the scores. The compiler turns each into a few vector instructions,
   in a version for every generation of processors that it knows of. */
#ifndef DODONA_ROWS_H
#define DODONA_ROWS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__)
#define DODONA_VERSIONS __attribute__((target_clones("avx2", "default")))
#else
#define DODONA_VERSIONS
#endif

DODONA_VERSIONS
static void dodona_add_floats(float *restrict scores, const float *restrict row, int n)
{
    for (int i = 0; i < n; i++)
        scores[i] += row[i];
}

DODONA_VERSIONS
static void dodona_add_shorts(int32_t *restrict scores, const int16_t *restrict row, int n)
{
    for (int i = 0; i < n; i++)
        scores[i] += row[i];
}

/* Zeroed memory for a table that is read all over the place: in large pages where the system has them, so that the
   processor need not look up so many small ones. To be freed with free. */
static void *dodona_allocate(size_t size)
{
    void *memory = NULL;
    const size_t page = (size_t)1 << 21;
    if (size < page)
        return calloc(size ? size : 1, 1);
    if (posix_memalign(&memory, page, (size + page - 1) / page * page) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    madvise(memory, (size + page - 1) / page * page, MADV_HUGEPAGE);
#endif
    memset(memory, 0, size);
    return memory;
}

#define dodona_prefetch(address) __builtin_prefetch(address)

#endif
