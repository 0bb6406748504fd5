from libc.stdint cimport uint64_t

cdef inline uint64_t mix(uint64_t h, uint64_t value) noexcept nogil:
    h = (h ^ value) * <uint64_t> 0x9E3779B97F4A7C15
    return h ^ (h >> 32)

cdef uint64_t hash_prefixes(str text, uint64_t* hashes, int most)
cdef void hash_suffixes(str text, uint64_t* hashes, int most)
cdef uint64_t hash_shape(str text)
