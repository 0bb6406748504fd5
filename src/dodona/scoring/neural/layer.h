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

/* sum += values */
FOR_EACH_PROCESSOR
static void add_row(float *restrict sum, const float *restrict values, int size) {
    for (int i = 0; i < size; i++) sum[i] += values[i];
}

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

/* scores = bias + the rows of `weights`, each times its hidden unit; units below zero are silent (ReLU) */
FOR_EACH_PROCESSOR
static void score_actions(
    float *restrict scores, const float *restrict hidden, int units,
    const float *restrict weights, const float *restrict bias, int actions
) {
    for (int a = 0; a < actions; a++) scores[a] = bias[a];
    for (int i = 0; i < units; i++) {
        const float unit = hidden[i];
        if (!(unit > 0)) continue;
        const float *restrict row = weights + (long)i * actions;
        for (int a = 0; a < actions; a++) scores[a] += unit * row[a];
    }
}

#endif
