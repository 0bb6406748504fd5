/* The first and the last part of the network in floating point: plain loops.

   Each loop runs over outputs, and each output is summed up in one fixed order, so the compiler may use vectors of any
   width and the result has the same bits everywhere. (No operations are fused: setup.py forbids it.) */

#ifndef DODONA_LAYER_H
#define DODONA_LAYER_H

#if defined(__GNUC__) && defined(__x86_64__) && defined(__GLIBC__)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define FOR_EACH_PROCESSOR
#endif

/* sum += the rows of `weights`, each times its value */
FOR_EACH_PROCESSOR
static void add_product(
    float *restrict sum, const float *restrict values, int count, const float *restrict weights, int size
) {
    for (int i = 0; i < count; i++) {
        const float value = values[i];
        const float *restrict row = weights + (long)i * size;
        for (int k = 0; k < size; k++) sum[k] += value * row[k];
    }
}

#define BLOCK 16 /* floats; the number of actions is padded to a multiple of it */
#define BLOCKS 4 /* that are summed up side by side, in registers */

#if defined(__GNUC__)
typedef float block __attribute__((vector_size(4 * BLOCK), aligned(4), may_alias));
#else
typedef struct { float at[BLOCK]; } block;
#endif

/* total += factor * values, one block */
static inline block plus(block total, float factor, const float *values) {
#if defined(__GNUC__)
    return total + factor * *(const block *)values;
#else
    for (int k = 0; k < BLOCK; k++) total.at[k] += factor * values[k];
    return total;
#endif
}

/* sum = bias + all rows, in their order */
FOR_EACH_PROCESSOR
static void sum_rows(float *restrict sum, const float *restrict bias, const float *const *rows, int count, int size) {
    int at = 0;
    for (; at + BLOCK <= size; at += BLOCK) {
        block total = *(const block *)(bias + at);
        for (int i = 0; i < count; i++) total = plus(total, 1.0f, rows[i] + at);
        *(block *)(sum + at) = total;
    }
    for (; at < size; at++) {
        sum[at] = bias[at];
        for (int i = 0; i < count; i++) sum[at] += rows[i][at];
    }
}

/* scores = bias + the rows of `weights`, each times its hidden unit, in their order; units that are not above zero are
   silent (ReLU). `active` is workspace for the numbers of the others. */
FOR_EACH_PROCESSOR
static void score_actions(
    float *restrict scores, const float *restrict hidden, int units,
    const float *restrict weights, const float *restrict bias, int actions, int *restrict active
) {
    int count = 0, at = 0;
    for (int i = 0; i < units; i++) {
        active[count] = i;
        count += hidden[i] > 0;
    }
    for (; at + BLOCKS * BLOCK <= actions; at += BLOCKS * BLOCK) {
        block total[BLOCKS];
        for (int k = 0; k < BLOCKS; k++) total[k] = *(const block *)(bias + at + k * BLOCK);
        for (int i = 0; i < count; i++) {
            const float unit = hidden[active[i]];
            const float *row = weights + (long)active[i] * actions + at;
            for (int k = 0; k < BLOCKS; k++) total[k] = plus(total[k], unit, row + k * BLOCK);
        }
        for (int k = 0; k < BLOCKS; k++) *(block *)(scores + at + k * BLOCK) = total[k];
    }
    for (; at < actions; at += BLOCK) {
        block total = *(const block *)(bias + at);
        for (int i = 0; i < count; i++)
            total = plus(total, hidden[active[i]], weights + (long)active[i] * actions + at);
        *(block *)(scores + at) = total;
    }
}

#endif
