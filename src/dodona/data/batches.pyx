"""What components do with each sentence of a batch: sentences are many, and in Python each of these steps would take as
long as the parse of a word."""

from cpython cimport array

from dodona.data.columns cimport Columns
from dodona.data.storage cimport Storage
from dodona.data.values cimport Inventory, Values, chosen_values

from dodona.data.storage import COLUMNS

cdef dict NUMBERS = COLUMNS

cdef enum:
    FORM = 1
    MISC = 9


def new_sentence(kind, bytes header not None, Values forms not None, Values misc, list multiword, dict between):
    """Return a sentence of a tokenizer; MISC may be None."""
    cdef Storage made = kind.__new__(kind)
    cdef Columns table = Columns.__new__(Columns)
    table.n, table.header, table.between, table.is_new = forms.n, header, between, True
    table._columns = {FORM: forms} if misc is None else {FORM: forms, MISC: misc}
    made.file, made.line, made.format = "", 1, "conllu"
    made._table, made._replaced, made.multiword = table, {}, multiword
    made.before, made.end, made.after, made.own_forms = b"", b"\n\n", b"", forms
    return made


def with_lists(list sentences not None):
    """Return the sentences with lists that somebody may have changed. Those without lists need no checks."""
    cdef Storage one
    return [one for one in sentences if one.has_lists]


def mentioning(list sentences not None, tuple words not None):
    """Return the sentences that may have one of these words, as bytes, in a comment or in MISC."""
    cdef Storage one
    return [one for one in sentences if not one.is_new() and one.may_mention(words)]


def lacking(list sentences not None, str name not None):
    """Return the sentences with nothing but `_` in a column."""
    cdef Storage one
    return [one for one in sentences if one.lacks(name)]


def forms_of(list sentences not None):
    """Return the words of each sentence as values."""
    cdef Storage one
    return [one.own_forms if one.own_forms is not None else one.forms() for one in sentences]


def columns_of(list sentences not None, str name not None):
    """Return a column of each sentence, as values or as a list."""
    cdef Storage one
    return [one.column(name) for one in sentences]


def fill_in(list sentences not None, str name not None, list columns not None):
    """Give each sentence a column."""
    cdef Py_ssize_t i
    cdef int number = NUMBERS[name]
    for i in range(len(sentences)):
        (<Storage?> sentences[i]).accept(number, columns[i])


def fill_in_tags(list sentences not None, list inventories not None, list numbers not None):
    """Give each sentence the columns for which there are inventories, by name; the numbers are valid for all of them."""
    cdef Py_ssize_t i
    cdef int number
    cdef Inventory inventory
    for name, inventory in inventories:
        number = NUMBERS[name]
        for i in range(len(sentences)):
            (<Storage?> sentences[i]).accept(number, chosen_values(inventory, numbers[i]))


def fill_in_arcs(list sentences not None, list arcs not None, Inventory labels not None, const unsigned char[::1] lifted):
    """Give each sentence its heads and labels, which are valid; return the numbers of those that have a lifted arc, by
    its label, and are left as they are."""
    cdef Py_ssize_t i, k
    cdef array.array heads, numbers
    cdef bint is_lifted
    cdef list left = []
    for i in range(len(sentences)):
        heads, numbers = arcs[i]
        is_lifted = False
        if lifted is not None:
            for k in range(len(numbers)):
                is_lifted |= lifted[numbers.data.as_ints[k]]
        if is_lifted:
            left.append(i)
        else:
            (<Storage?> sentences[i]).accept_arcs(heads, chosen_values(labels, numbers))
    return left
