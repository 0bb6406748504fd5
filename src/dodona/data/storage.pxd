from cpython cimport array

from dodona.data.values cimport Values

cdef class Storage:
    cdef public str file
    cdef public int line
    cdef public str format
    cdef public list multiword
    cdef public list offsets
    cdef readonly object _table     # Table or Columns
    cdef readonly dict _replaced    # by number: values, or lists of strings
    cdef list lists                 # by number: columns that were looked at; None if there are none
    cdef list own_comments          # None as long as nobody has looked
    cdef bint new_comments
    cdef Values own_forms
    cdef bytes before, end, after

    cdef int keep(self, int number, list values) except -1
    cdef bint is_new(self)
    cdef bint may_mention(self, tuple words) except -1
    cdef int accept(self, int number, values) except -1
    cdef int forget(self, int number) except -1
    cdef bytes with_new_comments(self, bytes body)
