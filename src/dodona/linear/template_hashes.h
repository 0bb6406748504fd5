/* The features of a configuration from the values of its atoms.

   A feature is a template and the values of its atoms, hashed one after the other, and each hash waits for the one before
   it. Templates of the same length are hashed in one loop: the processor works on several of them at a time, and no loop
   has a length that it must guess. */
#ifndef DODONA_TEMPLATE_HASHES_H
#define DODONA_TEMPLATE_HASHES_H

#include "rows.h"

/* Templates in the order of their lengths. */
typedef struct {
    int longest;
    const int *lengths;     /* how many templates have 1 atom, how many have 2, ... */
    const int *atoms;       /* the numbers of the atoms of all templates */
    const uint64_t *begins; /* the hash that each template begins with */
} dodona_templates;

static inline uint64_t dodona_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 32;
}

#if defined(__GNUC__)
__attribute__((always_inline)) /* the loop over a template is unrolled where its length is known */
#endif
static inline void dodona_hash_alike(const int *atoms, int count, int length, const uint64_t *begins,
                                     const uint64_t *values, uint64_t *DODONA_RESTRICT hashes)
{
    for (int i = 0; i < count; i++) {
        uint64_t hash = begins[i];
        for (int k = 0; k < length; k++)
            hash = dodona_mix(hash, values[atoms[i * length + k]]);
        hashes[i] = hash;
    }
}

/* hashes = the feature of each template */
static void dodona_hash(const dodona_templates *templates, const uint64_t *values, uint64_t *DODONA_RESTRICT hashes)
{
    const int *atoms = templates->atoms;
    const uint64_t *begins = templates->begins;
    for (int length = 1; length <= templates->longest; length++) {
        const int count = templates->lengths[length - 1];
        if (length == 1)
            dodona_hash_alike(atoms, count, 1, begins, values, hashes);
        else if (length == 2)
            dodona_hash_alike(atoms, count, 2, begins, values, hashes);
        else if (length == 3)
            dodona_hash_alike(atoms, count, 3, begins, values, hashes);
        else
            dodona_hash_alike(atoms, count, length, begins, values, hashes);
        atoms += count * length, begins += count, hashes += count;
    }
}

#define DODONA_LANES 4

/* Return a hash of all values, in lanes that do not wait for each other; zeros follow up to a multiple of the lanes. */
static uint64_t dodona_signature(const uint64_t *values, int count, uint64_t begin)
{
    uint64_t lanes[DODONA_LANES] = {begin, 1, 2, 3};
    for (int i = 0; i < count; i += DODONA_LANES)
        for (int k = 0; k < DODONA_LANES; k++)
            lanes[k] = dodona_mix(lanes[k], values[i + k]);
    return dodona_mix(dodona_mix(lanes[0], lanes[1]), dodona_mix(lanes[2], lanes[3]));
}

/* Return a hash of these nodes. */
static uint64_t dodona_signature_of_nodes(const int *nodes, int count, uint64_t begin)
{
    uint64_t lanes[2] = {begin, 1};
    for (int i = 0; i < count; i++)
        lanes[i & 1] = dodona_mix(lanes[i & 1], (uint64_t)nodes[i]);
    return dodona_mix(lanes[0], lanes[1]);
}

static inline int dodona_lowest_bit(uint64_t bits)
{
#if defined(__GNUC__)
    return __builtin_ctzll(bits);
#else
    int i = 0;
    while (!(bits >> i & 1))
        i++;
    return i;
#endif
}

/* Copy the hashes of a set of templates, 64 bits a word, to `keys`; the hash of template i is at places[i]. The table, if
   there is one, is to expect these features. Returns how many there are. */
static int dodona_collect(const uint64_t *set, int words, const int *places, const uint64_t *hashes,
                          uint64_t *DODONA_RESTRICT keys, const dodona_table *table)
{
    int count = 0;
    for (int word = 0; word < words; word++)
        for (uint64_t left = set[word]; left != 0; left &= left - 1) {
            const uint64_t key = hashes[places[64 * word + dodona_lowest_bit(left)]];
            keys[count++] = key;
            if (table != NULL)
                dodona_expect(table, key);
        }
    return count;
}

#endif
