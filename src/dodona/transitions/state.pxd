cimport cython

from dodona.transitions.watch cimport Watch

cdef int BUFFER, STACK, GONE, NONE
cdef int ROWS

@cython.final
cdef class State:
    cdef public int n              # words 1..n; 0 is ROOT; n + 1 is nobody, the sentinel
    cdef public int depth          # how many nodes are on the stack
    cdef public int front          # queue[front] is the first node of the buffer
    cdef public int end            # queue[end - 1] is its last
    cdef public long long steps    # transitions taken in searches of oracles
    cdef public int arcs           # how many words have a head
    cdef public int width          # length of one array in `memory`
    cdef public int[::1] memory    # all arrays, one after the other, so that a copy is a single memory copy
    cdef public int[::1] stack     # bottom first
    cdef public int[::1] queue     # the buffer's nodes in order; SWAP writes back in front of `front`
    cdef public int[::1] place     # BUFFER, STACK or GONE, for each node
    cdef public int[::1] head      # NONE while headless
    cdef public int[::1] label
    cdef public int[::1] left_arity   # number of dependents so far, to the left of the word
    cdef public int[::1] right_arity  # and to its right
    cdef public int[::1] leftmost     # the outermost of them, or nobody
    cdef public int[::1] rightmost
    cdef public int[::1] inner        # a dependent's next sibling in the direction of the head, or nobody
    cdef public int[::1] left_set     # the labels of these dependents as a set of 31 bits; labels may share a bit
    cdef public int[::1] right_set
    cdef public int[::1] set_before   # the set of a dependent's head before the dependent was added
    cdef public int[::1] remembered  # non-monotonic: the label that scored best when the word was shifted
    cdef public int[::1] before    # easy-first: left neighbour in the list
    cdef public int[::1] after     # easy-first: right neighbour in the list
    cdef public int[::1] joined    # covington: union-find over the words linked so far
    cdef public int[::1] items     # workspace of cost computations, never read across calls
    cdef public int[::1] marks     # another
    cdef public int[::1] flags     # and another
    cdef public Watch watch        # over what is done with this state
    cdef public int[::1] chart     # workspace of arc-standard's dynamic program, allocated on demand

    cpdef void reset(self, int n) noexcept nogil
    cpdef void copy_from(self, State other) noexcept nogil
    cpdef int s0(self) noexcept nogil
    cpdef int s1(self) noexcept nogil
    cpdef int b0(self) noexcept nogil
    cpdef void enqueue(self, int k) noexcept nogil
    cpdef void push(self, int k) noexcept nogil
    cpdef void shift(self) noexcept nogil
    cpdef void pop(self) noexcept nogil
    cpdef int arity(self, int k) noexcept nogil
    cpdef void add_arc(self, int head, int dependent, int label) noexcept nogil
    @cython.locals(left=cython.bint)
    cpdef void insert(self, int head, int dependent) noexcept nogil
    cpdef void remove_arc(self, int dependent) noexcept nogil
    cdef int reserve(self, Py_ssize_t size) except -1 with gil
