cimport cython

cdef int NONE

@cython.final
cdef class Gold:
    cdef public int n
    cdef public bint is_tree        # every word is a descendant of ROOT
    cdef public bint is_projective  # every subtree is a contiguous span of words
    cdef public int[::1] head       # nobody for ROOT, for nobody itself, and for unknown heads
    cdef public int[::1] label      # NONE: any label is correct
    cdef public int[::1] first      # child[first[h]:first[h + 1]] are the dependents of h, left to right
    cdef public int[::1] child
    cdef public int[::1] order      # the projective order: index of each node in the inorder traversal
    cdef public int[::1] post       # nodes in an order with dependents before their heads
    cdef public int[::1] component  # swap-standard: maximal projective components
    cdef int[::1] cursor

    @cython.locals(h=cython.int, k=cython.int)
    cpdef void fill(self, const int[::1] heads, const int[::1] labels, int offset, int n) noexcept nogil
    @cython.locals(met=cython.int)
    cdef void traverse(self) noexcept nogil
    @cython.locals(done=cython.int, more=cython.bint)
    cdef int walk(self, int top, int met) noexcept nogil
    cpdef int arity(self, int h) noexcept nogil
    cpdef int leftmost(self, int h) noexcept nogil
    cpdef int dependents_from(self, int h, int k) noexcept nogil
    cpdef bint wrong_label(self, int h, int d, int label) noexcept nogil
