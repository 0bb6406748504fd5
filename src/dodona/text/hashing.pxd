from libc.stdint cimport uint64_t

cdef uint64_t hash_prefixes(str text, uint64_t* hashes, int most)
cdef void hash_suffixes(str text, uint64_t* hashes, int most)
cdef uint64_t hash_shape(str text)
