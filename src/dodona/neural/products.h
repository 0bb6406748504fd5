/* Products of small integers: sums[m][n] = the sum over k of row[m][k] * weight[n][k], exactly.

   Weights are packed once, for one kernel, in strips of 16 outputs. Rows are prepared for the same kernel. Each tile of
   a few rows and one or four strips keeps its sums in registers, so that a weight is read once for several rows. */
#ifndef DODONA_PRODUCTS_H
#define DODONA_PRODUCTS_H

#include "kernels.h"

#define DODONA_STRIP 16 /* outputs */
#define DODONA_DEPTH 4  /* inputs that VNNI multiplies at once: rows are padded to a multiple of this */

typedef struct {
    int kernel;
    int inputs;
    int depth;      /* inputs, padded */
    int outputs;    /* padded to whole strips */
    void *weights;  /* of 8 bits for VNNI, else of 16; outputs * depth of them; zeros where padded */
    int32_t *start; /* what the sum of each output begins with */
} dodona_matrix;

/* The bytes of one weight and of one number of a prepared row. */
static int dodona_cell_size(int kernel)
{
    return kernel == DODONA_AVX512VNNI ? 1 : 2;
}

/* Put the weights of one output at their places. VNNI multiplies unsigned by signed numbers: it gets row[k] + 128, and
   the sum of an output begins with -128 times the sum of its weights. All sums are modulo 2^32, so this is exact. */
static void dodona_pack(const dodona_matrix *matrix, int output, const int8_t *weights)
{
    const size_t strip = (size_t)(output / DODONA_STRIP) * matrix->depth * DODONA_STRIP;
    const int place = output % DODONA_STRIP;
    int8_t *bytes = (int8_t *)matrix->weights;
    int16_t *shorts = (int16_t *)matrix->weights;
    int32_t sum = 0;
    for (int k = 0; k < matrix->inputs; k++) {
        if (matrix->kernel == DODONA_AVX512VNNI)
            bytes[strip + k / 4 * 4 * DODONA_STRIP + place * 4 + k % 4] = weights[k];
        else if (matrix->kernel == DODONA_AVX2)
            shorts[strip + k / 2 * 2 * DODONA_STRIP + place * 2 + k % 2] = weights[k];
        else
            shorts[(size_t)output * matrix->depth + k] = weights[k];
        sum += weights[k];
    }
    matrix->start[output] = matrix->kernel == DODONA_AVX512VNNI ? -128 * sum : 0;
}

/* Prepare one row: `depth` numbers of the kernel's cell size. What is padded is multiplied by zero. */
static void dodona_prepare(const dodona_matrix *matrix, const int8_t *DODONA_RESTRICTED row,
                           void *DODONA_RESTRICTED prepared)
{
    const int n = matrix->inputs;
    if (matrix->kernel == DODONA_AVX512VNNI) {
        uint8_t *bytes = (uint8_t *)prepared;
        for (int k = 0; k < n; k++)
            bytes[k] = (uint8_t)row[k] ^ 0x80;
        for (int k = n; k < matrix->depth; k++)
            bytes[k] = 0x80;
    } else {
        int16_t *shorts = (int16_t *)prepared;
        for (int k = 0; k < n; k++)
            shorts[k] = row[k];
        for (int k = n; k < matrix->depth; k++)
            shorts[k] = 0;
    }
}

#if DODONA_X86

/* Four numbers of 8 bits or two of 16, as they are in memory. */
DODONA_INLINE int32_t dodona_together(const void *numbers)
{
    int32_t four;
    memcpy(&four, numbers, sizeof four);
    return four;
}

#define DODONA_WIDE_ROWS 6 /* six rows and four strips: 24 registers of sums, 4 of weights, 1 of inputs */
#define DODONA_WIDE_STRIPS 4

DODONA_INLINE DODONA_FOR_AVX512 void dodona_wide_tile(const dodona_matrix *matrix, const uint8_t *row, int output,
                                                      int32_t *sums, const int rows, const int strips)
{
    const size_t depth = matrix->depth;
    const int8_t *weights = (const int8_t *)matrix->weights + output * depth;
    __m512i sum[DODONA_WIDE_ROWS][DODONA_WIDE_STRIPS], weight[DODONA_WIDE_STRIPS];
    for (int s = 0; s < strips; s++)
        for (int r = 0; r < rows; r++)
            sum[r][s] = _mm512_loadu_si512(matrix->start + output + DODONA_STRIP * s);
    for (size_t k = 0; k < depth; k += 4) {
        for (int s = 0; s < strips; s++)
            weight[s] = _mm512_loadu_si512(weights + DODONA_STRIP * (s * depth + k));
        for (int r = 0; r < rows; r++) {
            const __m512i input = _mm512_set1_epi32(dodona_together(row + r * depth + k));
            for (int s = 0; s < strips; s++)
                sum[r][s] = _mm512_dpbusd_epi32(sum[r][s], input, weight[s]);
        }
    }
    for (int r = 0; r < rows; r++)
        for (int s = 0; s < strips; s++)
            _mm512_storeu_si512(sums + (size_t)r * matrix->outputs + output + DODONA_STRIP * s, sum[r][s]);
}

/* The compiler makes one version of the tile for each number of rows, because its sums must be in registers. */
#define DODONA_TILES(tile, strips)                                                                                     \
    switch (m - r) {                                                                                                   \
    case 1: tile(matrix, row, output, at, 1, strips); break;                                                           \
    case 2: tile(matrix, row, output, at, 2, strips); break;                                                           \
    case 3: tile(matrix, row, output, at, 3, strips); break;                                                           \
    case 4: tile(matrix, row, output, at, 4, strips); break;                                                           \
    case 5: tile(matrix, row, output, at, 5, strips); break;                                                           \
    default: tile(matrix, row, output, at, 6, strips);                                                                 \
    }

DODONA_FOR_AVX512 static void dodona_product_avx512vnni(const dodona_matrix *matrix, const uint8_t *prepared, int m,
                                                        int32_t *sums)
{
    int strips;
    for (int output = 0; output < matrix->outputs; output += DODONA_STRIP * strips) {
        strips = output + DODONA_STRIP * DODONA_WIDE_STRIPS <= matrix->outputs ? DODONA_WIDE_STRIPS : 1;
        for (int r = 0; r < m; r += DODONA_WIDE_ROWS) {
            const uint8_t *row = prepared + (size_t)r * matrix->depth;
            int32_t *at = sums + (size_t)r * matrix->outputs;
            if (strips == 1) {
                DODONA_TILES(dodona_wide_tile, 1)
            } else {
                DODONA_TILES(dodona_wide_tile, DODONA_WIDE_STRIPS)
            }
        }
    }
}

#define DODONA_NARROW_ROWS 6 /* six rows and one strip: 12 of the 16 registers for sums */

DODONA_INLINE DODONA_FOR_AVX2 void dodona_narrow_tile(const dodona_matrix *matrix, const int16_t *row, int output,
                                                      int32_t *sums, const int rows, const int strips)
{
    const size_t depth = matrix->depth;
    const int16_t *weights = (const int16_t *)matrix->weights + output * depth;
    __m256i sum[DODONA_NARROW_ROWS][2];
    (void)strips;
    for (int r = 0; r < rows; r++)
        sum[r][0] = sum[r][1] = _mm256_setzero_si256();
    for (size_t k = 0; k < depth; k += 2) {
        const __m256i left = _mm256_loadu_si256((const __m256i *)(weights + DODONA_STRIP * k));
        const __m256i right = _mm256_loadu_si256((const __m256i *)(weights + DODONA_STRIP * (k + 1)));
        for (int r = 0; r < rows; r++) {
            const __m256i input = _mm256_set1_epi32(dodona_together(row + r * depth + k));
            sum[r][0] = _mm256_add_epi32(sum[r][0], _mm256_madd_epi16(input, left));
            sum[r][1] = _mm256_add_epi32(sum[r][1], _mm256_madd_epi16(input, right));
        }
    }
    for (int r = 0; r < rows; r++) {
        int32_t *at = sums + (size_t)r * matrix->outputs + output;
        _mm256_storeu_si256((__m256i *)at, sum[r][0]);
        _mm256_storeu_si256((__m256i *)(at + DODONA_STRIP / 2), sum[r][1]);
    }
}

DODONA_FOR_AVX2 static void dodona_product_avx2(const dodona_matrix *matrix, const int16_t *prepared, int m,
                                                int32_t *sums)
{
    for (int output = 0; output < matrix->outputs; output += DODONA_STRIP)
        for (int r = 0; r < m; r += DODONA_NARROW_ROWS) {
            const int16_t *row = prepared + (size_t)r * matrix->depth;
            int32_t *at = sums + (size_t)r * matrix->outputs;
            DODONA_TILES(dodona_narrow_tile, 1)
        }
}

#endif

#define DODONA_ROWS 4

/* One output of four rows. */
DODONA_INLINE void dodona_portable_tile(int depth, const int16_t *DODONA_RESTRICTED weights,
                                        const int16_t *DODONA_RESTRICTED row, int32_t *DODONA_RESTRICTED sum)
{
    const int16_t *second = row + depth, *third = second + depth, *fourth = third + depth;
    int32_t a = 0, b = 0, c = 0, d = 0;
    for (int k = 0; k < depth; k++) {
        a += (int32_t)row[k] * weights[k];
        b += (int32_t)second[k] * weights[k];
        c += (int32_t)third[k] * weights[k];
        d += (int32_t)fourth[k] * weights[k];
    }
    sum[0] = a, sum[1] = b, sum[2] = c, sum[3] = d;
}

static void dodona_product_portable(const dodona_matrix *matrix, const int16_t *prepared, int m, int32_t *sums)
{
    const int depth = matrix->depth, outputs = matrix->outputs;
    for (int output = 0; output < outputs; output++) {
        const int16_t *weights = (const int16_t *)matrix->weights + (size_t)output * depth;
        int r = 0;
        for (; r + DODONA_ROWS <= m; r += DODONA_ROWS) {
            int32_t sum[DODONA_ROWS];
            dodona_portable_tile(depth, weights, prepared + (size_t)r * depth, sum);
            for (int i = 0; i < DODONA_ROWS; i++)
                sums[(size_t)(r + i) * outputs + output] = sum[i];
        }
        for (; r < m; r++) {
            const int16_t *row = prepared + (size_t)r * depth;
            int32_t sum = 0;
            for (int k = 0; k < depth; k++)
                sum += (int32_t)row[k] * weights[k];
            sums[(size_t)r * outputs + output] = sum;
        }
    }
}

/* Multiply m prepared rows, one after the other; sums has a row of `outputs` numbers for each. */
static void dodona_product(const dodona_matrix *matrix, const void *prepared, int m, int32_t *sums)
{
#if DODONA_X86
    if (matrix->kernel == DODONA_AVX512VNNI) {
        dodona_product_avx512vnni(matrix, (const uint8_t *)prepared, m, sums);
        return;
    }
    if (matrix->kernel == DODONA_AVX2) {
        dodona_product_avx2(matrix, (const int16_t *)prepared, m, sums);
        return;
    }
#endif
    dodona_product_portable(matrix, (const int16_t *)prepared, m, sums);
}

#endif
