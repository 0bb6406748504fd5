/* The sum of the rows of weights of some features during training.

   As in sums.h, rows are sorted by kind first. This changes the order of additions, so it is done only while all weights
   are whole numbers, as those of a perceptron are: other sums would be rounded in another way. */
#ifndef DODONA_FLOAT_SUMS_H
#define DODONA_FLOAT_SUMS_H

#include "rows.h"

/* Kinds of rows: room for that many entries, which is 2 to the power of the kind, or a weight for each action. */
enum { DODONA_NO_ENTRIES, DODONA_ROOM_2, DODONA_ROOM_4, DODONA_ROOM_8, DODONA_ROOM_16, DODONA_ALL_ACTIONS,
       DODONA_FLOAT_KINDS };

#define DODONA_AT_ONCE 128 /* features whose rows are prefetched together */
#define DODONA_FLOATS 16   /* the length of a dense row is a multiple of this */

static inline const dodona_row *dodona_row_of(const dodona_pools *pools, uint64_t key)
{
    uint64_t at = key & pools->mask;
    while (pools->slots[at].key != key && pools->slots[at].key != 0)
        at = (at + 1) & pools->mask;
    return &pools->slots[at].row;
}

static inline const void *dodona_place_of(const dodona_pools *pools, const dodona_row *row)
{
    const void *entries = pools->entries + row->start, *dense = pools->dense + (size_t)row->start * pools->width;
    return row->kind == DODONA_ALL_ACTIONS ? dense : entries;
}

DODONA_VERSIONS
static void dodona_add_floats(float *DODONA_RESTRICT scores, const float *DODONA_RESTRICT row, int n)
{
    for (int i = 0; i < n; i++)
        scores[i] += row[i];
}

static inline void dodona_add_entries(const dodona_entry *entries, int count, float *scores)
{
    for (int i = 0; i < count; i++)
        scores[entries[i].action] += entries[i].weight;
}

#if defined(__GNUC__) /* clang too */
typedef float dodona_floats __attribute__((vector_size(4 * DODONA_FLOATS)));

static inline __attribute__((always_inline)) void dodona_sum_floats(const float *const *rows, int count, int at, float *sums)
{
    dodona_floats total = {0}, row;
    for (int i = 0; i < count; i++) {
        memcpy(&row, rows[i] + at, sizeof row);
        total += row;
    }
    memcpy(sums, &total, sizeof total);
}
#else
static void dodona_sum_floats(const float *const *rows, int count, int at, float *sums)
{
    memset(sums, 0, DODONA_FLOATS * sizeof *sums);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < DODONA_FLOATS; k++)
            sums[k] += rows[i][at + k];
}
#endif

/* scores += the sum of these dense rows */
DODONA_VERSIONS
static void dodona_add_dense(const float *const *rows, int count, int actions, float *DODONA_RESTRICT scores)
{
    float sums[DODONA_FLOATS];
    for (int i = 0; i < count; i++)
        for (int k = DODONA_FLOATS; k < actions; k += DODONA_FLOATS)
            dodona_prefetch(rows[i] + k);
    for (int at = 0; at < actions; at += DODONA_FLOATS) {
        dodona_sum_floats(rows, count, at, sums);
        for (int k = 0; k < DODONA_FLOATS && at + k < actions; k++)
            scores[at + k] += sums[k];
    }
}

typedef struct {
    const void *rows[DODONA_FLOAT_KINDS][DODONA_AT_ONCE + 1];
    int count[DODONA_FLOAT_KINDS];
} dodona_sorted_rows;

/* Find the rows of at most DODONA_AT_ONCE features, and prefetch them. */
static void dodona_find_rows(const dodona_pools *pools, const uint64_t *keys, int count, dodona_sorted_rows *sorted)
{
    uint64_t counts = 0; /* a byte for each kind */
    for (int i = 0; i < count; i++) {
        const dodona_row *row = dodona_row_of(pools, keys[i]);
        const void *place = dodona_place_of(pools, row);
        dodona_prefetch(place);
        sorted->rows[row->kind][counts >> 8 * row->kind & 0xFF] = place;
        counts += (uint64_t)1 << 8 * row->kind;
    }
    for (int kind = 0; kind < DODONA_FLOAT_KINDS; kind++)
        sorted->count[kind] = counts >> 8 * kind & 0xFF;
}

/* scores += the weights of these features, sorted by the kind of their rows */
static void dodona_add_sorted(const dodona_pools *pools, const uint64_t *keys, int count, float *scores)
{
    dodona_sorted_rows sorted;
    dodona_find_rows(pools, keys, count, &sorted);
    dodona_add_dense((const float *const *)sorted.rows[DODONA_ALL_ACTIONS], sorted.count[DODONA_ALL_ACTIONS],
                     pools->actions, scores);
    for (int i = 0; i < sorted.count[DODONA_ROOM_2]; i++)
        dodona_add_entries(sorted.rows[DODONA_ROOM_2][i], 2, scores);
    for (int i = 0; i < sorted.count[DODONA_ROOM_4]; i++)
        dodona_add_entries(sorted.rows[DODONA_ROOM_4][i], 4, scores);
    for (int i = 0; i < sorted.count[DODONA_ROOM_8]; i++)
        dodona_add_entries(sorted.rows[DODONA_ROOM_8][i], 8, scores);
    for (int i = 0; i < sorted.count[DODONA_ROOM_16]; i++)
        dodona_add_entries(sorted.rows[DODONA_ROOM_16][i], 16, scores);
}

/* scores += the weights of these features, one after the other */
static void dodona_add_in_order(const dodona_pools *pools, const uint64_t *keys, int count, float *scores)
{
    const dodona_row *rows[DODONA_AT_ONCE];
    for (int i = 0; i < count; i++) {
        rows[i] = dodona_row_of(pools, keys[i]);
        dodona_prefetch(dodona_place_of(pools, rows[i]));
    }
    for (int i = 0; i < count; i++)
        if (rows[i]->kind == DODONA_ALL_ACTIONS)
            dodona_add_floats(scores, dodona_place_of(pools, rows[i]), pools->actions);
        else
            dodona_add_entries(dodona_place_of(pools, rows[i]), rows[i]->size, scores);
}

/* Prefetch the slots of these features. */
static void dodona_expect_rows(const dodona_pools *pools, const uint64_t *keys, int count)
{
    for (int i = 0; i < count; i++)
        dodona_prefetch(&pools->slots[keys[i] & pools->mask]);
}

/* scores[a] = the sum of the weights of these features for action a */
static void dodona_score_floats(const dodona_pools *pools, const uint64_t *keys, int count, float *scores)
{
    memset(scores, 0, pools->actions * sizeof *scores);
    for (int begin = 0; begin < count; begin += DODONA_AT_ONCE) {
        const int some = count - begin < DODONA_AT_ONCE ? count - begin : DODONA_AT_ONCE;
        if (pools->whole)
            dodona_add_sorted(pools, keys + begin, some, scores);
        else
            dodona_add_in_order(pools, keys + begin, some, scores);
    }
}

#endif
