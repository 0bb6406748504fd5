/* What is done to single numbers: scaling, the gates of an LSTM, rounding. Each loop is written once and compiled for
   each kernel. Only + - * / of floats in a fixed order, so that every processor gives the same bits; no comparison
   lets a NaN through. */
#ifndef DODONA_GATES_H
#define DODONA_GATES_H

#include "kernels.h"

#define DODONA_MOST 127.0f       /* the largest number of 8 bits that is used, on both sides of zero */
#define DODONA_STEP 12582912.0f  /* 1.5 * 2^23: adding and subtracting it rounds to integers, half to even */
#define DODONA_TANH_END 6.9f     /* from here on tanh is constant, less than 1.1e-6 below 1 */

/* Numbers of one direction of one layer, each `4 * width` of them: for the gates i, f, g, o. */
typedef struct {
    const float *input_scales;
    const float *recurrent_scales;
    const float *bias;
} dodona_scales;

/* One of two numbers, by masks: compilers make branches of `? :` here, and then do not vectorize the loop. */
DODONA_INLINE float dodona_either(int condition, float yes, float no)
{
    const int32_t mask = -(int32_t)(condition != 0);
    int32_t yes_bits, no_bits;
    memcpy(&yes_bits, &yes, sizeof yes);
    memcpy(&no_bits, &no, sizeof no);
    yes_bits = (yes_bits & mask) | (no_bits & ~mask);
    memcpy(&yes, &yes_bits, sizeof yes);
    return yes;
}

DODONA_INLINE float dodona_between(float x, float low, float high)
{
    x = dodona_either(x > low, x, low); /* a NaN becomes the low end */
    return dodona_either(x < high, x, high);
}

/* tanh as a quotient of polynomials, fitted to it on [0, 6.9]; at most 1.1e-6 off. */
DODONA_INLINE float dodona_tanh(float x)
{
    float square, above, below;
    x = dodona_between(x, -DODONA_TANH_END, DODONA_TANH_END);
    square = x * x;
    above = 3.98521335e-06f * square + 2.288584545e-03f;
    above = above * square + 1.231513839e-01f;
    above = above * square + 9.999961229e-01f;
    below = 1.436149722e-04f * square + 2.112613556e-02f;
    below = below * square + 4.564712462e-01f;
    below = below * square + 1.0f;
    return (x * above) / below;
}

DODONA_INLINE float dodona_sigmoid(float x)
{
    return 0.5f * dodona_tanh(0.5f * x) + 0.5f;
}

DODONA_INLINE int32_t dodona_rounded(float x)
{
    x = dodona_between(x, -DODONA_MOST, DODONA_MOST);
    return (int32_t)((x + DODONA_STEP) - DODONA_STEP);
}

/* One time step of one sentence: `input` and `recurrent` are sums of products, 4 * width each; the cells are updated;
   the first `count` outputs are written as 8 bits. `recurrent` is overwritten. */
DODONA_INLINE void dodona_cells_body(size_t width, size_t count, const dodona_scales *scales,
                                     const int32_t *DODONA_RESTRICTED input, int32_t *DODONA_RESTRICTED recurrent,
                                     float *DODONA_RESTRICTED cells, int8_t *DODONA_RESTRICTED output)
{
    const float *DODONA_RESTRICTED input_scales = scales->input_scales;
    const float *DODONA_RESTRICTED recurrent_scales = scales->recurrent_scales;
    const float *DODONA_RESTRICTED bias = scales->bias;
    DODONA_INDEPENDENT
    for (size_t j = 0; j < width; j++) { /* an int might wrap around, and gcc would gather one number at a time */
        const size_t f = j + width, g = j + 2 * width, o = j + 3 * width;
        float zi = (float)input[j] * input_scales[j] + bias[j];
        float zf = (float)input[f] * input_scales[f] + bias[f];
        float zg = (float)input[g] * input_scales[g] + bias[g];
        float zo = (float)input[o] * input_scales[o] + bias[o];
        float kept, added, cell;
        zi = zi + (float)recurrent[j] * recurrent_scales[j];
        zf = zf + (float)recurrent[f] * recurrent_scales[f];
        zg = zg + (float)recurrent[g] * recurrent_scales[g];
        zo = zo + (float)recurrent[o] * recurrent_scales[o];
        kept = dodona_sigmoid(zf) * cells[j];
        added = dodona_sigmoid(zi) * dodona_tanh(zg);
        cell = kept + added;
        cells[j] = cell;
        recurrent[j] = dodona_rounded((dodona_sigmoid(zo) * dodona_tanh(cell)) * DODONA_MOST);
    }
    for (size_t j = 0; j < count; j++) /* apart, so that the first loop has numbers of one size */
        output[j] = (int8_t)recurrent[j];
}

/* Quantize n floats to 8 bits: multiply by the inverse of the scale, clamp, round half to even. */
DODONA_INLINE void dodona_quantize_body(size_t n, const float *DODONA_RESTRICTED values, float inverse,
                                        int8_t *DODONA_RESTRICTED output)
{
    for (size_t i = 0; i < n; i++)
        output[i] = (int8_t)dodona_rounded(values[i] * inverse);
}

/* The outputs of a dense layer: n sums of products, scaled, plus the bias. */
DODONA_INLINE void dodona_scale_body(size_t n, const int32_t *DODONA_RESTRICTED sums,
                                     const float *DODONA_RESTRICTED scales, const float *DODONA_RESTRICTED bias,
                                     float *DODONA_RESTRICTED output)
{
    for (size_t j = 0; j < n; j++)
        output[j] = (float)sums[j] * scales[j] + bias[j];
}

#define DODONA_VERSION(version, name, suffix, arguments, ...)                                                          \
    version static void dodona_##name##_##suffix(__VA_ARGS__)                                                          \
    {                                                                                                                  \
        dodona_##name##_body arguments;                                                                                \
    }
#if DODONA_X86
#define DODONA_FOR_EACH_KERNEL(name, arguments, ...)                                                                   \
    DODONA_VERSION(, name, portable, arguments, __VA_ARGS__)                                                           \
    DODONA_VERSION(DODONA_FOR_AVX2, name, avx2, arguments, __VA_ARGS__)                                                \
    DODONA_VERSION(DODONA_FOR_AVX512, name, avx512vnni, arguments, __VA_ARGS__)                                        \
    static void dodona_##name(int kernel, __VA_ARGS__)                                                                 \
    {                                                                                                                  \
        if (kernel == DODONA_AVX512VNNI)                                                                               \
            dodona_##name##_avx512vnni arguments;                                                                      \
        else if (kernel == DODONA_AVX2)                                                                                \
            dodona_##name##_avx2 arguments;                                                                            \
        else                                                                                                           \
            dodona_##name##_portable arguments;                                                                        \
    }
#else
#define DODONA_FOR_EACH_KERNEL(name, arguments, ...)                                                                   \
    static void dodona_##name(int kernel, __VA_ARGS__)                                                                 \
    {                                                                                                                  \
        (void)kernel;                                                                                                  \
        dodona_##name##_body arguments;                                                                                \
    }
#endif

DODONA_FOR_EACH_KERNEL(cells, (width, count, scales, input, recurrent, cells, output), size_t width, size_t count,
                       const dodona_scales *scales, const int32_t *input, int32_t *recurrent, float *cells,
                       int8_t *output)
DODONA_FOR_EACH_KERNEL(quantize, (n, values, inverse, output), size_t n, const float *values, float inverse,
                       int8_t *output)
DODONA_FOR_EACH_KERNEL(scale, (n, sums, scales, bias, output), size_t n, const int32_t *sums, const float *scales,
                       const float *bias, float *output)

#endif
