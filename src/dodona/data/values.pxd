cimport cython
from cpython cimport array
from libc.stdint cimport uint32_t

@cython.final
cdef class Inventory:
    cdef readonly list values       # strings
    cdef bytes text                 # all of them in UTF-8
    cdef array.array ends           # where each ends in the text, with a 0 before

@cython.final
@cython.no_gc  # it can be in no cycle
cdef class Values:
    cdef readonly int n
    cdef readonly Inventory inventory   # None if the column has a text of its own
    cdef readonly array.array numbers   # which values of the inventory
    cdef bytes own                      # keeps the text
    cdef array.array own_ends
    cdef const char* text
    cdef const int* ends            # value i is text[ends[i]:ends[i + 1]]
    cdef const int* chosen          # and with an inventory value chosen[i]; NULL without

cdef Values pick_values(Inventory inventory, array.array numbers)
cdef Values own_values(bytes text, array.array ends)

cdef extern from "Python.h":
    void* PyTuple_GET_ITEM(void* items, Py_ssize_t i) noexcept nogil

cdef inline void* item(tuple items, Py_ssize_t i) noexcept nogil:
    """Return an item of a batch that is processed without the interpreter's lock: the tuple keeps it alive, and cannot
    change meanwhile."""
    return PyTuple_GET_ITEM(<void*> items, i)

cdef inline int begin_of(Values values, int i) noexcept nogil:
    return values.ends[values.chosen[i] if values.chosen != NULL else i]

cdef inline int end_of(Values values, int i) noexcept nogil:
    return values.ends[(values.chosen[i] if values.chosen != NULL else i) + 1]

cdef inline int decode(const char* text, int size, uint32_t* codes) noexcept nogil:
    """Write the characters of valid UTF-8 into `codes`, which has room for `size` of them; return how many."""
    cdef const unsigned char* at = <const unsigned char*> text
    cdef int i = 0, count = 0
    while i < size:
        if at[i] < 0x80:
            codes[count] = at[i]
            i += 1
        elif at[i] < 0xE0:
            codes[count] = (at[i] & 0x1F) << 6 | at[i + 1] & 0x3F
            i += 2
        elif at[i] < 0xF0:
            codes[count] = (at[i] & 0x0F) << 12 | (at[i + 1] & 0x3F) << 6 | at[i + 2] & 0x3F
            i += 3
        else:
            codes[count] = (
                (at[i] & 0x07) << 18 | (at[i + 1] & 0x3F) << 12 | (at[i + 2] & 0x3F) << 6 | at[i + 3] & 0x3F
            )
            i += 4
        count += 1
    return count

cdef inline int encode(uint32_t code, char* at) noexcept nogil:
    """Write a character as UTF-8; return the number of bytes, at most four."""
    if code < 0x80:
        at[0] = <char> code
        return 1
    if code < 0x800:
        at[0], at[1] = <char> (0xC0 | code >> 6), <char> (0x80 | code & 0x3F)
        return 2
    if code < 0x10000:
        at[0], at[1] = <char> (0xE0 | code >> 12), <char> (0x80 | code >> 6 & 0x3F)
        at[2] = <char> (0x80 | code & 0x3F)
        return 3
    at[0], at[1] = <char> (0xF0 | code >> 18), <char> (0x80 | code >> 12 & 0x3F)
    at[2], at[3] = <char> (0x80 | code >> 6 & 0x3F), <char> (0x80 | code & 0x3F)
    return 4
