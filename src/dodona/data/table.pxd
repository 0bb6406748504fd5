cimport cython

cdef int COLUMNS, WIDTH, HEAD, TAB, LINE_FEED, RETURN, DASH, ZERO, NINE, UNDERSCORE, DIGITS, NOTHING, WRONG

@cython.final
cdef class Table:
    cdef public bytes body      # the lines of the sentence, all of them
    cdef public int n           # words
    cdef public int[::1] starts # WIDTH positions in `body` for each word

    @cython.locals(data=cython.p_uchar, k=cython.int, begin=cython.int, end=cython.int)
    cpdef list column(self, int number)
    @cython.locals(data=cython.p_uchar, k=cython.int, begin=cython.int)
    cpdef bint lacks(self, int number)
    @cython.locals(data=cython.p_uchar, k=cython.int, head=cython.int)
    cpdef list heads(self)

@cython.locals(i=cython.int, count=cython.int)
cpdef int line_feeds(const unsigned char* data, int begin, int end)
@cython.locals(begin=cython.int, n=cython.int)
cpdef tuple plain_words(bytes body, bint ranges)
@cython.locals(
    word=cython.int, highest=cython.int, covered=cython.int, last=cython.int, head=cython.int, base=cython.int,
    begin=cython.int, stop=cython.int, dash=cython.int, after_range=cython.bint
)
cdef int scan(const unsigned char* data, int at, int end, int[::1] starts, list multiword) except? -3
@cython.locals(column=cython.int)
cdef int mark(const unsigned char* data, int at, int[::1] starts, int base) noexcept nogil
@cython.locals(number=cython.int, i=cython.int)
cdef int read_number(const unsigned char* data, int begin, int end) noexcept nogil
cdef int read_head(const unsigned char* data, int begin, int end) noexcept nogil
cpdef Table words_in_rows(bytes body, rows)
@cython.locals(line=cython.int, base=cython.int, row=cython.int, at=cython.int)
cdef void find_rows(const unsigned char* data, rows, int[::1] starts)
