"""From the tokens of a passage to the columns of a sentence: forms, MISC with the whitespace, and `# text`.

How whitespace is written in MISC is explained in dodona.data.rawtext, whose functions read it.
"""

from array import array as new_array

from cpython cimport array
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from dodona.data.values cimport Values, encoded, own_values
from dodona.text.multiword_filter cimport MultiwordFilter
from dodona.text.runs cimport PARAGRAPH, Passage, is_blank
from dodona.text.segmenter cimport Segmenter, Segments, Token

cdef array.array NUMBERS = new_array("i")
cdef char* HEXADECIMAL = b"0123456789ABCDEF"


cdef class Pieces:
    """A text in UTF-8 that grows, and where its pieces end."""

    def __cinit__(self):
        self.make_room(1 << 12)
        self.end_room = 0

    def __dealloc__(self):
        free(self.text)
        free(self.ends)

    cdef int make_room(self, Py_ssize_t more) except -1 nogil:
        cdef char* text
        if self.size + more > self.room:
            if self.size + more > 0x3FFFFFFF:
                raise MemoryError("a sentence of more than a gigabyte")
            self.room = 2 * (self.size + more)
            text = <char*> realloc(self.text, self.room)
            if text == NULL:
                raise MemoryError
            self.text = text
        return 0

    cdef int put(self, const char* text, Py_ssize_t size) except -1 nogil:
        self.make_room(size)
        memcpy(self.text + self.size, text, size)
        self.size += size
        return 0

    cdef int put_string(self, str text) except -1:
        cdef bytes data = text.encode()
        return self.put(data, len(data))

    cdef int put_code(self, uint32_t code) except -1 nogil:
        self.make_room(4)
        self.size += encoded(code, self.text + self.size)
        return 0

    cdef int put_codes(self, const uint32_t* codes, Py_ssize_t size) except -1 nogil:
        cdef Py_ssize_t i
        self.make_room(4 * size)
        for i in range(size):
            self.size += encoded(codes[i], self.text + self.size)
        return 0

    cdef int put_escaped(self, const uint32_t* codes, Py_ssize_t size) except -1 nogil:
        """Write blanks, | and \\ as escapes, and other characters as they are."""
        cdef Py_ssize_t i
        cdef uint32_t code
        cdef int shift
        for i in range(size):
            code = codes[i]
            if code == c" ":
                self.put(b"\\s", 2)
            elif code == c"\t":
                self.put(b"\\t", 2)
            elif code == c"\n":
                self.put(b"\\n", 2)
            elif code == c"\r":
                self.put(b"\\r", 2)
            elif code == c"|":
                self.put(b"\\p", 2)
            elif code == c"\\":
                self.put(b"\\\\", 2)
            elif is_blank(code):  # all are below 0x10000
                self.put(b"\\u", 2)
                for shift in range(12, -1, -4):
                    self.put(HEXADECIMAL + (code >> shift & 15), 1)
            else:
                self.put_code(code)
        return 0

    cdef int end(self) except -1 nogil:
        """End a piece."""
        cdef int* ends
        if self.count >= self.end_room:
            self.end_room = 2 * self.end_room + 64
            ends = <int*> realloc(self.ends, self.end_room * sizeof(int))
            if ends == NULL:
                raise MemoryError
            self.ends = ends
        self.ends[self.count] = <int> self.size
        self.count += 1
        return 0

    cdef Values values(self):
        """Return the pieces as values, and begin again."""
        cdef array.array ends = array.clone(NUMBERS, self.count + 1, False)
        ends.data.as_ints[0] = 0
        memcpy(ends.data.as_ints + 1, self.ends, self.count * sizeof(int))
        cdef bytes text = PyBytes_FromStringAndSize(self.text, self.size)
        self.size = self.count = 0
        return own_values(text, ends)


cdef class SentenceMaker:
    """Makes the columns of one sentence after the other."""

    def __init__(self, Segmenter segmenter not None, expander, MultiwordFilter filter not None):
        self.segmenter, self.expander, self.filter = segmenter, expander, filter
        self.header, self.forms, self.misc, self.one = Pieces(), Pieces(), Pieces(), Pieces()

    def ends_paragraph(self, Segments segments not None, int i):
        """Return whether a paragraph ends after sentence i."""
        cdef int next = segments.tokens[segments.firsts[i + 1] - 1].last + 1
        return next < segments.passage.count and segments.passage.runs[next].gap == PARAGRAPH

    def columns(self, Segments segments not None, int i, bytes comments not None, Py_ssize_t before):
        """Return (header, forms, MISC or None, multiword tokens, their MISC) of sentence i.

        `before` is how many blanks before its first token belong to it. The header are these comments and `# text`.
        """
        cdef Passage passage = segments.passage
        cdef int k, first, begin = segments.firsts[i], last = segments.firsts[i + 1] - 1, sentence
        cdef Token* token
        cdef list words, ranges = [], range_misc = []
        cdef Py_ssize_t note
        self.has_misc = False
        self.header.size = self.header.count = self.forms.size = self.forms.count = 0
        self.misc.size = self.misc.count = 0
        self.header.put(comments, len(comments))
        self.header.put(b"# text = ", 9)
        sentence = first = segments.tokens[begin - 1].last + 1 if begin > 0 else 0
        for k in range(begin, last + 1):
            token = &segments.tokens[k]
            self.add_form(self.header, passage, token)
            if k < last and token.next > token.end:
                self.header.put(b" ", 1)
            note = self.misc.size
            self.add_misc(passage, token, before if k == begin else 0)
            words = self.words_of(passage, token, sentence, first)
            if words is None:
                self.add_form(self.forms, passage, token)
                self.forms.end()
                self.misc.end()
            else:
                ranges.append((self.forms.count + 1, self.forms.count + len(words), self.form(passage, token)))
                range_misc.append(self.misc.text[note : self.misc.size].decode("utf-8"))
                self.misc.size = note
                for word in words:
                    self.forms.put_string(word)
                    self.forms.end()
                    self.misc.put(b"_", 1)
                    self.misc.end()
            first = token.last + 1
        self.header.put(b"\n", 1)
        header = PyBytes_FromStringAndSize(self.header.text, self.header.size)
        return header, self.forms.values(), self.misc.values() if self.has_misc else None, ranges, range_misc

    cdef int add_form(self, Pieces to, Passage passage, Token* token) except -1 nogil:
        """Write a form; blanks in it become single spaces."""
        cdef Py_ssize_t at
        cdef bint after_blank = False
        if not token.is_spaced:
            return to.put_codes(passage.codes + token.start, token.end - token.start)
        for at in range(token.start, token.end):
            if not is_blank(passage.codes[at]):
                to.put_code(passage.codes[at])
                after_blank = False
            elif not after_blank:
                to.put(b" ", 1)
                after_blank = True
        return 0

    cdef int add_misc(self, Passage passage, Token* token, Py_ssize_t before) except -1 nogil:
        """Write what MISC says about the whitespace of a token."""
        cdef Py_ssize_t at, size = token.next - token.end, note = self.misc.size
        cdef const uint32_t* codes = passage.codes
        cdef bint is_usual = True
        if size == 0:
            self.misc.put(b"SpaceAfter=No", 13)
        elif size > 1 or codes[token.end] != c" ":
            self.misc.put(b"SpacesAfter=", 12)
            self.misc.put_escaped(codes + token.end, size)
        if before > 0:
            if self.misc.size > note:
                self.misc.put(b"|", 1)
            self.misc.put(b"SpacesBefore=", 13)
            self.misc.put_escaped(codes + token.start - before, before)
        if token.is_spaced:
            for at in range(token.start, token.end):
                if is_blank(codes[at]) and (codes[at] != c" " or is_blank(codes[at + 1])):
                    is_usual = False
            if not is_usual:
                if self.misc.size > note:
                    self.misc.put(b"|", 1)
                self.misc.put(b"SpacesInToken=", 14)
                self.misc.put_escaped(codes + token.start, token.end - token.start)
        if self.misc.size > note:
            self.has_misc = True
            return 0
        return self.misc.put(b"_", 1)

    cdef list words_of(self, Passage passage, Token* token, int sentence, int first):
        """Return the words of a multiword token that begins with run `first`, None for any other token."""
        if not token.is_spaced and not self.filter.passes(passage.codes + token.start, token.end - token.start):
            return None
        expansion = self.expander[self.form(passage, token)]
        if expansion is None:
            return None
        if expansion.is_certain or self.segmenter.is_several(passage, sentence, first, token.last):
            return expansion.words
        return None

    cdef str form(self, Passage passage, Token* token):
        self.one.size = 0
        self.add_form(self.one, passage, token)
        return self.one.text[: self.one.size].decode("utf-8")
