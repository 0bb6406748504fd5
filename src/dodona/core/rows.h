/* The innermost loops: adding a row of weights to the scores. The compiler turns each into a few vector instructions,
   in a version for every generation of processors that it knows of. */
#ifndef DODONA_ROWS_H
#define DODONA_ROWS_H

#include <stdint.h>

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

#define dodona_prefetch(address) __builtin_prefetch(address)

#endif
