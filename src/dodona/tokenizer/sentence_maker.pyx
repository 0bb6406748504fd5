"""From the tokens of a passage to the columns of a sentence: forms, MISC with the whitespace, and `# text`.

How whitespace is written in MISC is explained in dodona.data.spacing, whose functions read it.
"""

from libc.stdint cimport uint32_t, uint64_t
from dodona.data.hashing cimport HashTable, mix
from dodona.data.hashing cimport BACKWARDS, FORWARDS
from dodona.data.hashing cimport Letters, to_lower
from array import array as new_array
from cpython cimport array
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy
from dodona.data.values cimport Values, encode, own_values
from dodona.tokenizer.segmenter cimport PARAGRAPH, Passage, is_blank
from dodona.tokenizer.segmenter cimport Segmenter, Segments, Token

cdef enum:
    CAPITAL_I_WITH_DOT = 0x130
    CAPITAL_SIGMA = 0x3A3


cdef class MultiwordFilter:
    """Passes every token that a lexicon of tokens, in any case, or one of the suffixes may apply to."""

    def __init__(self, forms, suffixes):
        cdef Letters word = Letters()
        cdef uint64_t h
        cdef int i
        self.forms, self.suffixes = HashTable(len(forms)), HashTable(len(suffixes))
        for form in forms:
            word.read_string(form)
            h = FORWARDS
            for i in range(word.size):
                h = mix(h, to_lower(word.codes[i]))
            self.forms.add(h | 1)
        for suffix in suffixes:
            word.read_string(suffix)
            h = BACKWARDS
            for i in range(word.size - 1, -1, -1):
                h = mix(h, word.codes[i])
            self.suffixes.add(h | 1)
            self.longest = max(self.longest, word.size)

    def __contains__(self, str token not None):
        cdef Letters word = Letters()
        word.read_string(token)
        return self.passes(word.codes, word.size)

    cdef bint passes(self, const uint32_t* codes, Py_ssize_t size) noexcept nogil:
        """Whether a token with these characters may be a multiword token.

        Two capitals are lowercased by `str.lower` in a way that depends on their neighbours or changes the length.
        """
        cdef uint64_t h = FORWARDS
        cdef Py_ssize_t i
        if self.forms.count == 0 and self.suffixes.count == 0:
            return False
        for i in range(size):
            if codes[i] == CAPITAL_SIGMA or codes[i] == CAPITAL_I_WITH_DOT:
                return True
            h = mix(h, to_lower(codes[i]))
        if self.forms.find(h | 1).key != 0:
            return True
        h = BACKWARDS
        for i in range(size - 1, max(0, size - 1 - self.longest), -1):  # not the whole token
            h = mix(h, to_lower(codes[i]))
            if self.suffixes.find(h | 1).key != 0:
                return True
        return False


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
        self.size += encode(code, self.text + self.size)
        return 0

    cdef int put_codes(self, const uint32_t* codes, Py_ssize_t size) except -1 nogil:
        cdef Py_ssize_t i
        self.make_room(4 * size)
        for i in range(size):
            self.size += encode(codes[i], self.text + self.size)
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

    cdef void clear(self) noexcept nogil:
        self.size = self.count = 0

    cdef Py_ssize_t begin_of(self, int i) noexcept nogil:
        return self.ends[i - 1] if i > 0 else 0

    cdef bytes piece(self, int i):
        cdef Py_ssize_t begin = self.begin_of(i)
        return PyBytes_FromStringAndSize(self.text + begin, self.ends[i] - begin)

    cdef Values values(self, int first, int count):
        """Return some of the pieces as values."""
        cdef array.array ends = array.clone(NUMBERS, count + 1, False)
        cdef int begin = <int> self.begin_of(first), i
        ends.data.as_ints[0] = 0
        for i in range(count):
            ends.data.as_ints[i + 1] = self.ends[first + i] - begin
        return own_values(PyBytes_FromStringAndSize(self.text + begin, ends.data.as_ints[count]), ends)


cdef class SentenceMaker:
    """Makes the columns of one sentence after the other."""

    def __init__(self, Segmenter segmenter not None, expander, MultiwordFilter filter not None):
        self.segmenter, self.expander, self.filter = segmenter, expander, filter
        self.text, self.forms, self.misc = Pieces(), Pieces(), Pieces()
        self.careful_text, self.careful_forms, self.careful_misc, self.one = Pieces(), Pieces(), Pieces(), Pieces()

    def ends_paragraph(self, Segments segments not None, int i):
        """Return whether a paragraph ends after sentence i."""
        cdef int next = segments.tokens[segments.firsts[i + 1] - 1].last + 1
        return next < segments.passage.count and segments.passage.runs[next].gap == PARAGRAPH

    def sentences(self, Segments segments not None, Py_ssize_t before):
        """Yield (`# text`, forms, MISC or None, multiword tokens, their MISC) of each sentence.

        `before` is how many blanks before the first token belong to it. Sentences without multiword tokens are made
        without the interpreter's lock, all of them before the first is yielded.
        """
        cdef array.array places = array.clone(NUMBERS, segments.count, False)
        cdef int* place = places.data.as_ints
        cdef int i, n, at = 0
        self.text.clear()
        self.forms.clear()
        self.misc.clear()
        with nogil:
            for i in range(segments.count):
                place[i] = self.forms.count
                if not self.make(segments, i, before if i == 0 else 0):
                    place[i] = -1
        for i in range(segments.count):
            if place[i] < 0:
                yield self.make_carefully(segments, i, before if i == 0 else 0)
                continue
            n = segments.firsts[i + 1] - segments.firsts[i]
            yield self.text.piece(at), self.forms.values(place[i], n), self.misc_values(self.misc, place[i], n), [], []
            at += 1

    cdef bint make(self, Segments segments, int i, Py_ssize_t before) except -1 nogil:
        """Add the pieces of sentence i; or return False if it may have multiword tokens."""
        cdef int k, begin = segments.firsts[i], last = segments.firsts[i + 1] - 1
        cdef Token* token
        for k in range(begin, last + 1):
            token = &segments.tokens[k]
            if self.may_be_several(segments.passage, token):
                return False
        for k in range(begin, last + 1):
            token = &segments.tokens[k]
            self.add_text(self.text, segments.passage, token, k == last)
            self.add_form(self.forms, segments.passage, token)
            self.forms.end()
            self.add_misc(self.misc, segments.passage, token, before if k == begin else 0)
            self.misc.end()
        self.text.end()
        return True

    cdef tuple make_carefully(self, Segments segments, int i, Py_ssize_t before):
        """Return the columns of a sentence that may have multiword tokens."""
        cdef Passage passage = segments.passage
        cdef int k, first, begin = segments.firsts[i], last = segments.firsts[i + 1] - 1, sentence
        cdef Token* token
        cdef list words, ranges = [], notes = []
        cdef Pieces text = self.careful_text, forms = self.careful_forms, misc = self.careful_misc
        text.clear()
        forms.clear()
        misc.clear()
        sentence = first = segments.tokens[begin - 1].last + 1 if begin > 0 else 0
        for k in range(begin, last + 1):
            token = &segments.tokens[k]
            self.add_text(text, passage, token, k == last)
            words = self.words_of(passage, token, sentence, first)
            if words is None:
                self.add_form(forms, passage, token)
                forms.end()
                self.add_misc(misc, passage, token, before if k == begin else 0)
                misc.end()
            else:
                ranges.append((forms.count + 1, forms.count + len(words), self.form(passage, token)))
                self.one.clear()
                self.add_misc(self.one, passage, token, before if k == begin else 0)
                notes.append(self.one.text[: self.one.size].decode("utf-8"))
                for word in words:
                    forms.put_string(word)
                    forms.end()
                    misc.put(b"_", 1)
                    misc.end()
            first = token.last + 1
        text.end()
        return text.piece(0), forms.values(0, forms.count), self.misc_values(misc, 0, misc.count), ranges, notes

    cdef Values misc_values(self, Pieces misc, int first, int count):
        """Return values, or None if all of them are `_`: every other value is longer than one byte."""
        if misc.ends[first + count - 1] - misc.begin_of(first) == count:
            return None
        return misc.values(first, count)

    cdef int add_text(self, Pieces to, Passage passage, Token* token, bint is_last) except -1 nogil:
        self.add_form(to, passage, token)
        if not is_last and token.next > token.end:
            to.put(b" ", 1)
        return 0

    cdef bint may_be_several(self, Passage passage, Token* token) noexcept nogil:
        return token.is_spaced or self.filter.passes(passage.codes + token.start, token.end - token.start)

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

    cdef int add_misc(self, Pieces to, Passage passage, Token* token, Py_ssize_t before) except -1 nogil:
        """Write what MISC says about the whitespace of a token."""
        cdef Py_ssize_t at, size = token.next - token.end, note = to.size
        cdef const uint32_t* codes = passage.codes
        cdef bint is_usual = True
        if size == 0:
            to.put(b"SpaceAfter=No", 13)
        elif size > 1 or codes[token.end] != c" ":
            to.put(b"SpacesAfter=", 12)
            to.put_escaped(codes + token.end, size)
        if before > 0:
            if to.size > note:
                to.put(b"|", 1)
            to.put(b"SpacesBefore=", 13)
            to.put_escaped(codes + token.start - before, before)
        if token.is_spaced:
            for at in range(token.start, token.end):
                if is_blank(codes[at]) and (codes[at] != c" " or is_blank(codes[at + 1])):
                    is_usual = False
            if not is_usual:
                if to.size > note:
                    to.put(b"|", 1)
                to.put(b"SpacesInToken=", 14)
                to.put_escaped(codes + token.start, token.end - token.start)
        return to.put(b"_", 1) if to.size == note else 0

    cdef list words_of(self, Passage passage, Token* token, int sentence, int first):
        """Return the words of a multiword token that begins with run `first`, None for any other token."""
        if not self.may_be_several(passage, token):
            return None
        expansion = self.expander[self.form(passage, token)]
        if expansion is None:
            return None
        if expansion.is_certain or self.segmenter.is_several(passage, sentence, first, token.last):
            return expansion.words
        return None

    cdef str form(self, Passage passage, Token* token):
        self.one.clear()
        self.add_form(self.one, passage, token)
        return self.one.text[: self.one.size].decode("utf-8")
