"""How a sentence keeps its columns: as bytes, as values, or as lists of strings if somebody has looked at them."""

import re

from cpython cimport array

from dodona.data.rows cimport DEPREL, FORM, HEAD, MISC, MadeRows, ReadRows, WordRows
from dodona.data.values cimport Inventory, Values, pick_values

from dodona.data.ud import NUMBERS as _NUMBERS
from dodona.data.values import values_of

FIRST_BLANK_LINE = re.compile(rb"^(\n[ \t\r]*\n).*", re.S)

cdef dict NUMBERS = _NUMBERS
cdef Inventory DECIMALS = Inventory([str(k) for k in range(1024)])


cdef class Storage:
    """The storage of a sentence. Most of it is for readers and components, which know that what they give is valid."""

    cdef public str file
    cdef public int line
    cdef public str format
    cdef public list multiword
    cdef public list offsets
    cdef WordRows table
    cdef dict replaced          # by number: values, or lists of strings
    cdef list lists             # by number: columns that were looked at; None if there are none
    cdef list own_comments      # None as long as nobody has looked
    cdef bint has_new_comments
    cdef Values own_forms
    cdef bytes before, end, after

    def __init__(
        self, str file not None, int line, str format not None, WordRows rows not None, bytes end not None,
        list comments, list multiword not None,
    ):
        """For readers; use `from_words` to create a sentence. `end` are the bytes after the rows."""
        self.file, self.line, self.format = file, line, format
        self.table, self.replaced = rows, {}
        self.own_comments, self.multiword = comments, multiword
        self.before, self.end, self.after = b"", end, b""

    def __reduce__(self):
        return restore, (
            type(self), self.table, dict(self.replaced), self.file, self.line, self.format, self.multiword,
            self.offsets, None if self.lists is None else list(self.lists), self.own_comments, self.has_new_comments,
            self.before, self.end, self.after,
        )

    def copy(self):
        """Return a copy of the sentence."""
        make, parts = self.__reduce__()
        return make(*parts)

    def repeat(self, int count):
        """Return the sentence and copies of it, to be written in a row: what is around it is not repeated."""
        cdef Storage other
        sentences = [self, *(self.copy() for _ in range(count - 1))]
        for other in sentences[1:]:
            other.before = b""
        for other in sentences[: count - 1]:
            other.end, other.after = FIRST_BLANK_LINE.sub(rb"\1", other.end), b""
        return sentences

    def __len__(self):
        return self.table.n

    @property
    def comments(self):
        """The comments, whole lines."""
        if self.own_comments is None:
            self.own_comments = (<MadeRows?> self.table).comments()
        return self.own_comments

    def accept_comments(self, list lines not None):
        """Replace all comments, without checks."""
        self.own_comments, self.has_new_comments = lines, True

    def list_column(self, int number):
        """Return a column as a list of strings, or of numbers for HEAD; it is converted when it is first used."""
        cdef list column = self.lists[number] if self.lists is not None else None
        if column is not None:
            return column
        values = self.replaced.get(number)
        if number == HEAD:
            column = (<Values> values).numbers.tolist() if isinstance(values, Values) else self.table.heads()
        else:
            column = values.strings() if isinstance(values, Values) else self.table.to_list(number)
        self.keep(number, column)
        return column

    cdef int keep(self, int number, list column) except -1:
        """Let a column be read as this list; None: let it be converted again when it is next used."""
        if self.lists is None:
            if column is None:
                return 0
            self.lists = [None] * 10
        self.lists[number] = column
        return 0

    def keep_column(self, str name not None, list column not None):
        """Let a column be read as this list, without any change of the output; for readers."""
        self.keep(NUMBERS[name], column)

    def accept_column(self, str name not None, column):
        """Replace a column by values or by a list, without checks and without a copy; for components."""
        self.accept(NUMBERS[name], column)

    cdef int accept(self, int number, column) except -1:
        self.keep(number, None if isinstance(column, Values) else column)
        self.replaced[number] = column
        return 0

    def accept_heads(self, list heads not None):
        """Replace HEAD by numbers, or None for `_`, without checks."""
        self.keep(HEAD, heads)
        self.replaced[HEAD] = ["_" if head is None else str(head) for head in heads]

    def accept_tree(self, list heads not None, list labels not None):
        """Replace HEAD and DEPREL without checks; for parsers."""
        self.accept_heads(list(heads))
        self.accept(DEPREL, labels)

    def accept_arcs(self, array.array heads not None, Values labels not None):
        """Replace HEAD and DEPREL by numbers and values, which become lists only if somebody looks."""
        if len(heads) >= len(DECIMALS.values):
            self.accept_tree(heads.tolist(), labels.strings())
            return
        self.accept(HEAD, pick_values(DECIMALS, heads))
        self.accept(DEPREL, labels)

    def column(self, str name not None):
        """Return a column without making strings: values where there are no strings yet, or else the list; for
        components."""
        cdef int number = NUMBERS[name]
        values = self.replaced.get(number)
        if values is None and (self.lists is None or self.lists[number] is None):
            values = self.table.to_values(number)
        return values if isinstance(values, Values) else self.list_column(number)

    def forms(self):
        """Return the words as values; for components. They are kept until `refresh` is called."""
        if self.own_forms is None:
            self.refresh()
        return self.own_forms

    def refresh(self):
        """Take the words from their list once more, if there is one: somebody may have changed it."""
        if self.lists is not None and self.lists[FORM] is not None:
            self.own_forms = values_of(self.lists[FORM])
        else:
            self.own_forms = self.table.to_values(FORM) or values_of(self.list_column(FORM))

    cdef bint has_lists(self):
        """Whether there are any lists that somebody may have, and may have changed."""
        return self.lists is not None or (isinstance(self.table, MadeRows) and (<MadeRows> self.table).has_lists)

    def find_list(self, str name not None):
        """Return a column if there is a list of strings that somebody may have, and may have changed."""
        cdef int number = NUMBERS[name]
        if self.lists is not None and self.lists[number] is not None:
            return self.lists[number]
        return self.table.given_list(number) if number not in self.replaced else None

    def lacks(self, str name not None):
        """Whether a column is `_` for all words."""
        cdef int number = NUMBERS[name]
        values = self.replaced.get(number)
        if values is None:
            return self.table.lacks(number)
        return values.lacks() if isinstance(values, Values) else values.count("_") == len(self)

    cdef bint may_mention(self, tuple words) except -1:
        """Whether one of these words may be in the comments or in MISC."""
        if isinstance(self.table, MadeRows):  # as the tokenizer made it, no parse has written anything
            return self.lists is not None or self.has_new_comments or not (<MadeRows> self.table).is_new
        if self.has_new_comments or MISC in self.replaced:
            return True
        cdef bytes body = (<ReadRows> self.table).body
        for word in words:
            if word in body:
                return True
        return False

    @property
    def has_words_only(self):
        """Whether it is certain that there are no rows of multiword ranges and empty nodes."""
        return isinstance(self.table, MadeRows) and not (<MadeRows> self.table).between

    def rows(self):
        """Return the ten columns of each line that is no comment, as it was read or made."""
        lines = self.table.to_bytes({}).decode().split("\n")
        return [line.removesuffix("\r").split("\t") for line in lines if not line.startswith("#")]

    def word_line(self, int d):
        """Return the number of the line of word d in the file."""
        return self.line + self.table.count_above(d)

    def to_bytes(self):
        """Return the sentence exactly as it was read, except for replaced columns."""
        cdef bytes body = self.table.to_bytes(self.replaced)
        if self.has_new_comments:
            body = self.replace_comments(body)
        return b"".join((self.before, body, self.end, self.after))

    cdef bytes replace_comments(self, bytes body):
        kept = [line for line in body.split(b"\n") if not line.startswith(b"#")]
        end = b"\r" if kept[0].endswith(b"\r") else b""
        return b"\n".join([comment.encode() + end for comment in self.comments] + kept)

    def enclose(self, bytes before=b"", bytes after=b""):
        """Add bytes that belong to no sentence: a BOM, blank lines, comments that stand alone."""
        self.before = before + self.before
        self.after += after


def restore(kind, WordRows rows, dict replaced, *others):
    """Return a sentence that was taken apart, by `pickle` or `copy`."""
    cdef Storage made = kind.__new__(kind)
    made.table, made.replaced = rows, replaced
    (
        made.file, made.line, made.format, made.multiword, made.offsets, made.lists, made.own_comments,
        made.has_new_comments, made.before, made.end, made.after,
    ) = others
    return made


# What follows is done to each sentence of a batch: sentences are many, and in Python each of these steps would take as
# long as the parse of a word.


def make_sentence(kind, bytes header not None, Values forms not None, Values misc, list multiword, dict between):
    """Return a sentence of a tokenizer; MISC may be None."""
    cdef Storage made = kind.__new__(kind)
    cdef MadeRows rows = MadeRows.__new__(MadeRows)
    rows.n, rows.header, rows.between, rows.is_new = forms.n, header, between, True
    rows.columns = {FORM: forms} if misc is None else {FORM: forms, MISC: misc}
    made.file, made.line, made.format = "", 1, "conllu"
    made.table, made.replaced, made.multiword = rows, {}, multiword
    made.before, made.end, made.after, made.own_forms = b"", b"\n\n", b"", forms
    return made


def select_listed(list sentences not None):
    """Return the sentences with lists that somebody may have changed. Those without lists need no checks."""
    cdef Storage one
    return [one for one in sentences if one.has_lists()]


def select_mentioning(list sentences not None, tuple words not None):
    """Return the sentences that may have one of these words, as bytes, in a comment or in MISC."""
    cdef Storage one
    return [one for one in sentences if one.may_mention(words)]


def select_lacking(list sentences not None, str name not None):
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
    """Give each sentence the columns that have inventories, by name; the numbers are valid for all of them."""
    cdef Py_ssize_t i
    cdef int number
    cdef Inventory inventory
    for name, inventory in inventories:
        number = NUMBERS[name]
        for i in range(len(sentences)):
            (<Storage?> sentences[i]).accept(number, pick_values(inventory, numbers[i]))


def fill_in_arcs(
    list sentences not None, list arcs not None, Inventory labels not None, const unsigned char[::1] lifted
):
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
            (<Storage?> sentences[i]).accept_arcs(heads, pick_values(labels, numbers))
    return left
