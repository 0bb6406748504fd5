"""How a sentence keeps its columns: as bytes, as values, or as lists of strings if somebody has looked at them."""

import re

from cpython cimport array

from dodona.data.values cimport Inventory, Values, chosen_values

from dodona.data.columns cimport Columns

from dodona.data.columns import DECIMALS as _DECIMALS, decimals
from dodona.data.values import values_of

COLUMNS = {"words": 1, "lemmas": 2, "upos": 3, "xpos": 4, "feats": 5, "heads": 6, "labels": 7, "deps": 8, "misc": 9}
"""The columns by name, and their numbers in CoNLL-U."""

FIRST_BLANK_LINE = re.compile(rb"^(\n[ \t\r]*\n).*", re.S)

cdef dict NUMBERS = COLUMNS
cdef Py_ssize_t MOST_DECIMALS = len(_DECIMALS.values)
cdef Inventory DECIMALS = _DECIMALS

cdef enum:
    FORM = 1
    HEAD = 6
    DEPREL = 7
    MISC = 9


def restored(kind, table, dict replaced, *others):
    """Make a sentence that was taken apart, by `pickle` or `copy`."""
    cdef Storage made = kind.__new__(kind)
    made._table, made._replaced = table, replaced
    (
        made.file, made.line, made.format, made.multiword, made.offsets, made.lists, made.own_comments,
        made.new_comments, made.before, made.end, made.after,
    ) = others
    return made


cdef class Storage:
    """The storage of a sentence. Most of it is for readers and components, which know that what they give is valid."""

    def __init__(
        self, str file not None, int line, str format not None, table, bytes end not None, list comments,
        list multiword not None,
    ):
        """For readers; use `from_words` to create a sentence. `end` are the bytes after the table's. Comments that are
        None are those of the table, which has to be `Columns`."""
        self.file, self.line, self.format = file, line, format
        self._table, self._replaced = table, {}
        self.own_comments, self.multiword = comments, multiword
        self.before, self.end, self.after = b"", end, b""

    def __reduce__(self):
        return restored, (
            type(self), self._table, dict(self._replaced), self.file, self.line, self.format, self.multiword, self.offsets,
            None if self.lists is None else list(self.lists), self.own_comments, self.new_comments, self.before, self.end,
            self.after,
        )

    def copied(self):
        """Return a copy of the sentence."""
        make, parts = self.__reduce__()
        return make(*parts)

    def __len__(self):
        return self._table.n

    @property
    def comments(self):
        """The comments, whole lines."""
        if self.own_comments is None:
            self.own_comments = self._table.comments()
        return self.own_comments

    def accept_comments(self, list lines not None):
        """Replace all comments, without checks."""
        self.own_comments, self.new_comments = lines, True

    def listed_column(self, int number):
        """Return a column as a list of strings, or of numbers for HEAD; it is converted when it is first used."""
        cdef list found = self.lists[number] if self.lists is not None else None
        if found is not None:
            return found
        values = self._replaced.get(number)
        if number == HEAD:
            found = (<Values> values).numbers.tolist() if isinstance(values, Values) else self._table.heads()
        else:
            found = values.strings() if isinstance(values, Values) else self._table.column(number)
        self.keep(number, found)
        return found

    cdef int keep(self, int number, list values) except -1:
        if self.lists is None:
            self.lists = [None] * 10
        self.lists[number] = values
        return 0

    cdef int forget(self, int number) except -1:
        """Let a column be converted again when it is next used."""
        if self.lists is not None:
            self.lists[number] = None
        return 0

    def keep_column(self, str name not None, values):
        """Let a column be read as this list, without any change of the output; for readers."""
        self.keep(NUMBERS[name], values)

    def accept_tree(self, list heads not None, list labels not None):
        """Like `set_tree`, but without checks and without a copy of the labels; for parsers."""
        written = decimals(len(heads))
        self.accept_heads(list(heads), [written[h] for h in heads])
        self.accept_column("labels", labels)

    def accept_heads(self, list heads not None, list written not None):
        """Replace HEAD by numbers, which are also given as strings."""
        self.keep(HEAD, heads)
        self._replaced[HEAD] = written

    def accept_arcs(self, array.array heads not None, Values labels not None):
        """Like `accept_tree`, but with numbers and values, which become lists only if somebody looks."""
        if len(heads) >= MOST_DECIMALS:
            self.accept_tree(heads.tolist(), labels.strings())
            return
        self._replaced[HEAD] = chosen_values(DECIMALS, heads)
        self._replaced[DEPREL] = labels
        self.forget(HEAD)
        self.forget(DEPREL)

    def accept_column(self, str name not None, values):
        """Like `set_column`, but without checks and without a copy of the values; for components."""
        self.accept(NUMBERS[name], values)

    cdef int accept(self, int number, values) except -1:
        if isinstance(values, Values):
            self.forget(number)
        else:
            self.keep(number, values)
        self._replaced[number] = values
        return 0

    def column(self, str name not None):
        """Return a column without making strings: values where there are no strings yet, or else the list; for
        components."""
        cdef int number = NUMBERS[name]
        found = self._replaced.get(number)
        if found is None and (self.lists is None or self.lists[number] is None):
            found = self._table.values(number)
        return found if isinstance(found, Values) else self.listed_column(number)

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
            self.own_forms = self._table.values(FORM) or values_of(self.listed_column(FORM))

    @property
    def has_lists(self):
        """Whether there are any lists that somebody may have, and may have changed."""
        return self.lists is not None or self._table.has_lists

    def listed(self, str name not None):
        """Return a column if there is a list of strings that somebody may have, and may have changed."""
        cdef int number = NUMBERS[name]
        if self.lists is not None and self.lists[number] is not None:
            return self.lists[number]
        return self._table.listed(number) if number not in self._replaced else None

    def lacks(self, str name not None):
        """Whether a column is `_` for all words."""
        cdef int number = NUMBERS[name]
        values = self._replaced.get(number)
        if values is None:
            return self._table.lacks(number)
        return values.lacks() if isinstance(values, Values) else values.count("_") == len(self)

    cdef bint may_mention(self, tuple words) except -1:
        """Whether one of these words is in the lines that were read; True if they are not what will be written."""
        if self.new_comments or MISC in self._replaced or isinstance(self._table, Columns):
            return True
        cdef bytes body = self._table.body
        for word in words:
            if word in body:
                return True
        return False

    cdef bint is_new(self):
        """Whether the sentence is as the tokenizer made it: no parse has written anything into MISC or comments."""
        return (
            self.lists is None and not self.new_comments and isinstance(self._table, Columns)
            and (<Columns> self._table).is_new
        )

    def to_bytes(self):
        """Return the sentence exactly as it was read, except for replaced columns."""
        cdef bytes body = self._table.replaced(self._replaced) if self._replaced else self._table.body
        if self.new_comments:
            body = self.with_new_comments(body)
        return b"".join((self.before, body, self.end, self.after))

    cdef bytes with_new_comments(self, bytes body):
        kept = [line for line in body.split(b"\n") if not line.startswith(b"#")]
        end = b"\r" if kept[0].endswith(b"\r") else b""
        return b"\n".join([comment.encode() + end for comment in self.comments] + kept)

    def enclose(self, bytes before=b"", bytes after=b""):
        """Add bytes that belong to no sentence: a BOM, blank lines, comments that stand alone."""
        self.before = before + self.before
        self.after += after

    def repeated(self, int count):
        """Return the sentence and copies of it, to be written in a row: what is around it is not repeated."""
        cdef Storage other
        found = [self, *(self.copied() for _ in range(count - 1))]
        for other in found[1:]:
            other.before = b""
        for other in found[:-1]:
            other.end, other.after = FIRST_BLANK_LINE.sub(rb"\1", other.end), b""
        return found
