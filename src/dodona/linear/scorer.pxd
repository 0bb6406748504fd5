cimport cython
from libc.stdint cimport int32_t, uint64_t

from dodona.linear.frozen cimport FrozenWeights, WeightTable
from dodona.linear.weights cimport Weights
from dodona.search.addresses cimport Addresses
from dodona.search.scorer cimport EncodedSentence, Scorer
from dodona.transitions.state cimport State

cdef extern from "template_hashes.h" nogil:
    ctypedef struct SortedTemplates "dodona_templates":
        int longest
        const int* lengths
        const int* atoms
        const uint64_t* begins

    int LANES "DODONA_LANES"
    uint64_t dodona_signature(const uint64_t* values, int count, uint64_t begin)
    uint64_t dodona_signature_of_nodes(const int* nodes, int count, uint64_t begin)
    void dodona_hash(const SortedTemplates* templates, const uint64_t* values, uint64_t* hashes)
    int dodona_collect(
        const uint64_t* set, int words, const int* places, const uint64_t* hashes, uint64_t* keys,
        const WeightTable* table
    )

@cython.final
cdef class Words(EncodedSentence):
    cdef uint64_t* atoms  # one row of n + 2 for each column; ROOT's value is first, nobody's last
    cdef uint64_t number  # a hash: no other sentence has the same

@cython.final
cdef class Extractor:
    cdef readonly int most              # how many features a configuration can have
    cdef int node_count, atom_count
    cdef int from_input                 # how many atoms are columns of the input; they come first
    cdef Addresses addresses
    cdef int[::1] atoms                 # of each atom the node, the attribute, and for distances the other node
    cdef int[::1] lengths, combinations  # the templates: see `SortedTemplates`
    cdef uint64_t[::1] begins           # the hash of each template: templates must not share keys
    cdef SortedTemplates templates
    cdef int[::1] places                # where each template is among the sorted ones
    cdef int words                      # of a set of templates
    cdef uint64_t[::1] users            # for each node the set of templates that need it
    cdef uint64_t[::1] everything       # the set of all templates
    cdef uint64_t[::1] named            # the set of those that are not silent
    cdef uint64_t[::1] values           # the value of each atom
    cdef uint64_t[::1] hashes           # of the sorted templates

    cdef void look(self, State s, int site) noexcept nogil
    cdef void read(self, Words words) noexcept nogil
    cdef uint64_t distance(self, const int* atom, const int* nodes, int n) noexcept nogil
    cdef uint64_t signature(self, uint64_t begin) noexcept nogil
    cdef int name(self, uint64_t* keys, FrozenWeights weights) noexcept nogil

@cython.final
cdef class LinearScorer(Scorer):
    cdef Extractor extractor
    cdef readonly Weights weights  # during training; or None, and
    cdef FrozenWeights frozen      # frozen weights
    cdef bint is_learning
    cdef bint cached
    cdef uint64_t[::1] keys        # the features of the configuration scored last
    cdef int count                 # their number; NONE: not computed yet
    cdef int32_t[::1] numbers
    cdef uint64_t[::1] signatures  # the signature that each row of `rows` was computed for; 0: none
    cdef float[::1] rows
    cdef bint in_parts             # whether scores are sums of two parts:
    cdef Extractor steady          # of features that depend only on the words on stack and buffer,
    cdef Extractor changing        # and of all others
    cdef uint64_t[::1] steady_signatures
    cdef int32_t[::1] steady_rows

    cdef void forget(self) noexcept nogil
    cdef void begin(self, State s, Words words, int site) noexcept nogil
    cdef float* finish(self) noexcept nogil
    cdef float* add_parts(self, State s, Words words, int site) noexcept nogil
    cdef int name_features(self) noexcept nogil
