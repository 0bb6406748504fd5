/* The sum of the rows of weights of some features.

   How long a loop over a row is cannot be predicted, and each wrong guess of the processor costs as much as many additions.
   So the rows are first sorted by kind. Each kind has a loop of its own, and only the longest sparse rows, which are few,
   have a loop of their own length. All sums are integers, so their order does not matter. */
#ifndef DODONA_SUMS_H
#define DODONA_SUMS_H

#include "rows.h"

/* Kinds of rows. A pair is an action and its weight; dense rows have a weight for each action. */
enum { DODONA_NO_ROW, DODONA_FOUR_PAIRS, DODONA_EIGHT_PAIRS, DODONA_MANY_PAIRS, DODONA_DENSE, DODONA_WIDE, DODONA_KINDS };

#define DODONA_KIND_BITS 3 /* of a start; the others are the place of the row in the pool, in units of 8 bytes */
#define DODONA_BLOCK 64    /* a dense row has weights of 8 bits, and its length is a multiple of this: cache lines */
#define DODONA_HALF 32     /* of a block */
#define DODONA_SHIFT 128   /* is added to the weights of the first half, so that they are not negative */
#define DODONA_MOST 255    /* the sum of so many weights of 8 bits fits into 16 bits */

typedef struct {
    const void *rows[DODONA_KINDS][DODONA_MOST + 1];
    int count[DODONA_KINDS];
} dodona_sorted;

/* Find the rows of at most DODONA_MOST features, and prefetch them. Features that do not fit on a group are on the next
   one (open addressing). */
DODONA_VERSIONS
static void dodona_find(const dodona_table *table, const uint64_t *keys, int count, dodona_sorted *sorted)
{
    const uint64_t *pool = table->pool;
    uint64_t counts = 0; /* a byte for each kind: in a register, where one row does not wait for the row before it */
    for (int i = 0; i < count; i++) {
        const dodona_group *group = dodona_home(table, keys[i]);
        const uint32_t fingerprint = (uint32_t)keys[i] | 1;
        uint32_t start = 0;
        for (;; group++) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 1 /* so that the loop is vectorized and not unrolled */
#endif
            for (int k = 0; k < DODONA_PLACES; k++)
                start |= group->starts[k] & (0u - (uint32_t)(group->fingerprints[k] == fingerprint));
            if (group->fingerprints[DODONA_PLACES - 1] == 0 || start != 0)
                break;
        }
        const uint64_t *row = pool + (start >> DODONA_KIND_BITS);
        const int kind = start & ((1 << DODONA_KIND_BITS) - 1);
        dodona_prefetch(row);
        sorted->rows[kind][counts >> 8 * kind & 0xFF] = row;
        counts += (uint64_t)1 << 8 * kind;
    }
    for (int kind = 0; kind < DODONA_KINDS; kind++)
        sorted->count[kind] = counts >> 8 * kind & 0xFF;
}

/* A block of a dense row is words of 16 bits. In the lower half of word k is the weight of action k, shifted, and in the
   upper half, with its sign, that of action k + DODONA_HALF. So an addition adds two weights. The sum of the upper halves
   is computed beside; the rest of the sum of the words is that of the lower halves. */
static inline uint16_t dodona_pair_weights(int first, int second)
{
    return (uint16_t)(second * 256 + first + DODONA_SHIFT);
}

static inline void dodona_split_sums(const uint16_t *words, const int16_t *uppers, int count, int32_t *scores)
{
    for (int k = 0; k < DODONA_HALF; k++) {
        scores[k] = (uint16_t)(words[k] - uppers[k] * 256) - count * DODONA_SHIFT;
        scores[k + DODONA_HALF] = uppers[k];
    }
}

#if defined(__GNUC__) /* clang too */
typedef uint16_t dodona_words __attribute__((vector_size(DODONA_BLOCK)));
typedef int16_t dodona_uppers __attribute__((vector_size(DODONA_BLOCK)));

/* scores = the sum of a block of these rows */
static inline __attribute__((always_inline)) void dodona_sum_block(const uint16_t *const *rows, int count, int at,
                                                                   int32_t *DODONA_RESTRICT scores)
{
    dodona_words word, words = {0};
    dodona_uppers uppers = {0};
    uint16_t word_sums[DODONA_HALF];
    int16_t upper_sums[DODONA_HALF];
    for (int i = 0; i < count; i++) {
        memcpy(&word, rows[i] + at / 2, sizeof word);
        words += word;
        uppers += (dodona_uppers)word >> 8;
    }
    memcpy(word_sums, &words, sizeof words);
    memcpy(upper_sums, &uppers, sizeof uppers);
    dodona_split_sums(word_sums, upper_sums, count, scores);
}
#else
static void dodona_sum_block(const uint16_t *const *rows, int count, int at, int32_t *scores)
{
    uint16_t words[DODONA_HALF] = {0};
    int16_t uppers[DODONA_HALF] = {0};
    for (int i = 0; i < count; i++)
        for (int k = 0; k < DODONA_HALF; k++) {
            words[k] += rows[i][at / 2 + k];
            uppers[k] += (int16_t)rows[i][at / 2 + k] >> 8;
        }
    dodona_split_sums(words, uppers, count, scores);
}
#endif

/* scores = the sum of these dense rows */
DODONA_VERSIONS
static void dodona_sum_dense(const uint16_t *const *rows, int count, int actions, int32_t *DODONA_RESTRICT scores)
{
    int32_t rest[DODONA_BLOCK];
    int at = 0;
    for (int i = 0; i < count; i++)
        for (int k = DODONA_BLOCK; k < actions; k += DODONA_BLOCK)
            dodona_prefetch(rows[i] + k / 2);
    for (; at + DODONA_BLOCK <= actions; at += DODONA_BLOCK)
        dodona_sum_block(rows, count, at, scores + at);
    if (at < actions) {
        dodona_sum_block(rows, count, at, rest);
        memcpy(scores + at, rest, (actions - at) * sizeof *scores);
    }
}

DODONA_VERSIONS
static void dodona_add_wide(const int16_t *DODONA_RESTRICT row, int actions, int32_t *DODONA_RESTRICT scores)
{
    for (int i = 0; i < actions; i++)
        scores[i] += row[i];
}

/* Pairs of 16 bits: the action, and in the lower bits the weight, which has a sign. */
static inline void dodona_add_pairs(const uint16_t *pairs, int count, int bits, int32_t *scores)
{
    for (int i = 0; i < count; i++)
        scores[pairs[i] >> bits] += (int16_t)(uint16_t)(pairs[i] << (16 - bits)) >> (16 - bits);
}

/* Pairs of 32 bits: the action, and in the upper half the weight. */
static inline void dodona_add_long_pairs(const uint32_t *pairs, int count, int32_t *scores)
{
    for (int i = 0; i < count; i++)
        scores[pairs[i] & 0xFFFF] += (int16_t)(pairs[i] >> 16);
}

static void dodona_add_sparse(const dodona_sorted *sorted, int bits, int32_t *scores)
{
    const void *const *four = sorted->rows[DODONA_FOUR_PAIRS], *const *eight = sorted->rows[DODONA_EIGHT_PAIRS];
    const void *const *many = sorted->rows[DODONA_MANY_PAIRS];
    for (int i = 0; i < sorted->count[DODONA_FOUR_PAIRS]; i++)
        dodona_add_pairs(four[i], 4, bits, scores);
    for (int i = 0; i < sorted->count[DODONA_EIGHT_PAIRS]; i++)
        dodona_add_pairs(eight[i], 8, bits, scores);
    for (int i = 0; i < sorted->count[DODONA_MANY_PAIRS]; i++)
        dodona_add_pairs((const uint16_t *)many[i] + 1, *(const uint16_t *)many[i], bits, scores);
}

static void dodona_add_long_sparse(const dodona_sorted *sorted, int32_t *scores)
{
    for (int i = 0; i < sorted->count[DODONA_FOUR_PAIRS]; i++)
        dodona_add_long_pairs(sorted->rows[DODONA_FOUR_PAIRS][i], 4, scores);
    for (int i = 0; i < sorted->count[DODONA_EIGHT_PAIRS]; i++)
        dodona_add_long_pairs(sorted->rows[DODONA_EIGHT_PAIRS][i], 8, scores);
    for (int i = 0; i < sorted->count[DODONA_MANY_PAIRS]; i++) {
        const uint32_t *row = sorted->rows[DODONA_MANY_PAIRS][i];
        dodona_add_long_pairs(row + 1, (int)*row, scores);
    }
}

/* scores[a] = the sum of the weights of at most DODONA_MOST features for action a */
static void dodona_score(const dodona_table *table, const uint64_t *keys, int count, int32_t *scores)
{
    dodona_sorted sorted;
    dodona_find(table, keys, count, &sorted);
    dodona_sum_dense((const uint16_t *const *)sorted.rows[DODONA_DENSE], sorted.count[DODONA_DENSE], table->actions,
                     scores);
    if (table->bits < 16)
        dodona_add_sparse(&sorted, table->bits, scores);
    else
        dodona_add_long_sparse(&sorted, scores);
    for (int i = 0; i < sorted.count[DODONA_WIDE]; i++)
        dodona_add_wide(sorted.rows[DODONA_WIDE][i], table->actions, scores);
}

#endif
