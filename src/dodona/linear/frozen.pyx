"""Frozen weights: pruned to the size of a model, quantized, in four arrays of its file; and ready for parsing.

    fingerprints    of each feature, in the order of the table: the lower half of its hash, made odd
    counts          how many features each bucket has
    rows            of each feature: how many pairs of an action and a weight, and the pairs; or which wide row
    wide            rows with a weight of 16 bits for each action
"""

from array import array

cimport cython
from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport abort
from libc.string cimport memcpy

import numpy as np

from dodona.errors import FormatError

cdef extern from "sums.h" nogil:
    void* dodona_allocate(size_t size)
    void dodona_free(void* memory)
    size_t dodona_group_of(uint64_t bucket)
    uint16_t dodona_pair_weights(int first, int second)
    void dodona_score(const WeightTable* table, const uint64_t* keys, int count, int32_t* scores)
    int PLACES "DODONA_PLACES"
    int MOST_FEATURES "DODONA_MOST"
    int BLOCK "DODONA_BLOCK"
    int HALF "DODONA_HALF"
    int KIND_BITS "DODONA_KIND_BITS"
    int FOUR "DODONA_FOUR_PAIRS"
    int EIGHT "DODONA_EIGHT_PAIRS"
    int MANY "DODONA_MANY_PAIRS"
    int DENSE "DODONA_DENSE"
    int WIDE "DODONA_WIDE"
    int ROW_KINDS "DODONA_KINDS"

cdef enum:
    WIDE_ROW = 0xFFFF  # in a model file: instead of the number of pairs
    DENSE_FROM = 16    # rows of more than 8 pairs are dense if they have a pair for each 16 actions
    UNIT = 8           # bytes

WEIGHTS = ("fingerprints", "counts", "rows", "wide")


def weight_bits(int actions):
    """Return how many bits of a pair are the weight: 16 minus those of the action, or 16 of 32 if that is too few."""
    bits = 16 - max(8, (actions - 1).bit_length())
    return bits if bits >= 6 else 16


@cython.final
cdef class RowPool:
    """The rows in memory, arranged for speed; made from the arrays of a model file with this many features.

    A model file has sparse rows of any length and wide ones. In memory, rows have the kinds of `sums.h`: rows of few
    pairs are filled up to four or eight, with weights of 0, and rows of many pairs are dense, with 8 bits for each
    action, or with 16 where a weight needs them. Dense rows come first: they are few, used most, and stay in the cache
    together.
    """

    cdef int actions
    cdef int bits               # of a pair that are the weight; 16: pairs of 32 bits
    cdef int step               # the size of a pair, in units of 16 bits
    cdef int width              # of a dense row
    cdef uint64_t* memory       # the rows: units of 8 bytes
    cdef uint32_t[::1] starts   # for each feature the start of its row, with its kind
    cdef int32_t[::1] weights   # of the row that was unpacked last; 0 for what fills up a dense row

    def __init__(self, int actions, int bits, Py_ssize_t features, const uint16_t[::1] rows, const int16_t[::1] wide):
        cdef Py_ssize_t i, at = 0, total = 0
        cdef int kind
        cdef Py_ssize_t[::1] sizes = np.zeros(ROW_KINDS, np.intp)
        cdef const int16_t* wide_rows = &wide[0] if wide.shape[0] else NULL
        self.actions, self.bits, self.step = actions, bits, 2 if bits == 16 else 1
        self.width = (actions + BLOCK - 1) // BLOCK * BLOCK
        self.weights = array("i", bytes(4 * self.width))
        self.starts = array("I", bytes(4 * max(1, features)))
        for i in range(features):
            kind = self.starts[i] = self.kind(&rows[at], wide_rows)
            sizes[kind] += self.units(kind, rows[at])
            at += self.step * (3 if rows[at] == WIDE_ROW else 1 + rows[at])
        for kind in (DENSE, WIDE, MANY, EIGHT, FOUR):
            total, sizes[kind] = total + sizes[kind], total
        if total >> (32 - KIND_BITS):
            raise MemoryError
        self.memory = <uint64_t*> dodona_allocate(total * UNIT + UNIT)
        if self.memory == NULL:
            raise MemoryError
        at = 0
        for i in range(features):
            kind = self.starts[i]
            self.pack(kind, &rows[at], wide_rows, &self.memory[sizes[kind]], i)
            self.starts[i] = sizes[kind] << KIND_BITS | kind
            sizes[kind] += self.units(kind, rows[at])
            at += self.step * (3 if rows[at] == WIDE_ROW else 1 + rows[at])

    def __dealloc__(self):
        dodona_free(self.memory)

    cdef int kind(self, const uint16_t* row, const int16_t* wide) noexcept nogil:
        """Return the kind for a row of a model file."""
        cdef int i, least = 0, most = 0, size = row[0]
        if size != WIDE_ROW and (size <= 8 or DENSE_FROM * size <= self.width):
            return FOUR if size <= 4 else EIGHT if size <= 8 else MANY
        self.unpack(row, wide)
        for i in range(self.actions):
            least, most = min(least, self.weights[i]), max(most, self.weights[i])
        return WIDE if least < -128 or most > 127 else DENSE

    cdef void unpack(self, const uint16_t* row, const int16_t* wide) noexcept nogil:
        """Write the weights of a row of a model file into `weights`."""
        cdef int i, size = row[0]
        cdef int32_t* weights = &self.weights[0]
        if size == WIDE_ROW:
            wide += (row[self.step] | <Py_ssize_t> row[2 * self.step] << 16) * self.actions
            for i in range(self.actions):
                weights[i] = wide[i]
            return
        for i in range(self.actions):
            weights[i] = 0
        for i in range(1, size + 1):
            if self.step == 2:
                weights[row[2 * i]] += <int16_t> row[2 * i + 1]
            else:
                weights[row[i] >> self.bits] += <int16_t> (row[i] << (16 - self.bits)) >> (16 - self.bits)

    cdef Py_ssize_t units(self, int kind, int pairs) noexcept nogil:
        """Return how many units of memory a row takes."""
        if kind == DENSE:
            return self.width // UNIT
        if kind == WIDE:
            return (self.actions * 2 + UNIT - 1) // UNIT
        if kind == MANY:
            return ((1 + pairs) * self.step * 2 + UNIT - 1) // UNIT
        return (4 if kind == FOUR else 8) * self.step * 2 // UNIT

    cdef void pack(
        self, int kind, const uint16_t* row, const int16_t* wide, void* to, Py_ssize_t feature
    ) noexcept nogil:
        """Copy a row of a model file."""
        cdef int i, action, size = row[0]
        if kind == MANY:
            memcpy(to, row, (1 + size) * self.step * sizeof(uint16_t))
        elif kind == DENSE:
            self.unpack(row, wide)
            for i in range(self.width // 2):
                action = i // HALF * BLOCK + i % HALF
                (<uint16_t*> to)[i] = dodona_pair_weights(self.weights[action], self.weights[action + HALF])
        elif kind == WIDE:
            self.unpack(row, wide)
            for i in range(self.actions):
                (<int16_t*> to)[i] = self.weights[i]
        else:
            memcpy(to, row + self.step, size * self.step * sizeof(uint16_t))
            for i in range(size, 4 if kind == FOUR else 8):
                action = (feature + i) % self.actions  # additions to different actions do not wait for each other
                if self.step == 2:
                    (<uint32_t*> to)[i] = action
                else:
                    (<uint16_t*> to)[i] = action << self.bits


cdef class FrozenWeights:
    """Weights ready for parsing, from the arrays that `freeze` makes.

    Only the hash table of the features is built here; their rows are in a `RowPool`.
    """

    def __init__(self, int actions, fingerprints, counts, rows, wide):
        cdef RowPool pool = RowPool(actions, weight_bits(actions), len(fingerprints), rows.view(np.uint16), wide)
        self.actions = actions
        self.pool = pool
        self.build(fingerprints, counts, &pool.starts[0])
        self.table.groups, self.table.buckets = self.groups, len(counts)
        self.table.pool, self.table.actions, self.table.bits = pool.memory, actions, weight_bits(actions)

    def __dealloc__(self):
        dodona_free(self.groups)

    cdef build(self, const uint32_t[::1] fingerprints, const uint8_t[::1] counts, const uint32_t* starts):
        """Insert every feature at the first free place from its group on (open addressing), in the order of the file.

        Of features with the same fingerprint on one group, only the first is kept: the others could not be found.
        """
        cdef Py_ssize_t bucket, k, feature = 0, place = 0
        cdef Group* group
        for bucket in range(counts.shape[0]):
            place = max(place, <Py_ssize_t> dodona_group_of(bucket) * PLACES) + counts[bucket]
        self.groups = <Group*> dodona_allocate((place // PLACES + 2) * sizeof(Group))
        if self.groups == NULL:
            raise MemoryError
        place = 0
        for bucket in range(counts.shape[0]):
            place = max(place, <Py_ssize_t> dodona_group_of(bucket) * PLACES)
            for _ in range(counts[bucket]):
                group = &self.groups[place // PLACES]
                k = 0
                while k < place % PLACES and group.fingerprints[k] != fingerprints[feature]:
                    k += 1
                if k == place % PLACES:
                    group.fingerprints[k] = fingerprints[feature]
                    group.starts[k] = starts[feature]
                    place += 1
                feature += 1

    def scores(self, const uint64_t[::1] keys):
        """Return the sum of the weights of these features for each action."""
        cdef int32_t[::1] scores = np.zeros(self.actions, np.int32)
        if len(keys):
            self.score(&keys[0], len(keys), &scores[0])
        return list(scores)

    cdef void score(self, const uint64_t* keys, int count, int32_t* scores) noexcept nogil:
        """scores[a] = the sum of the weights of these features for action a."""
        cdef int i
        for i in range(count):
            self.expect(keys[i])
        self.sum(keys, count, scores)

    cdef void sum(self, const uint64_t* keys, int count, int32_t* scores) noexcept nogil:
        """Score features that are expected: it is faster if this was known early."""
        dodona_score(&self.table, keys, min(count, MOST_FEATURES), scores)
        if count > MOST_FEATURES:
            self.add(keys + MOST_FEATURES, count - MOST_FEATURES, scores)

    cdef void add(self, const uint64_t* keys, int count, int32_t* scores) noexcept nogil:
        """Add what further features score; hardly any model has so many."""
        cdef int32_t* more = <int32_t*> dodona_allocate(self.actions * sizeof(int32_t))
        cdef int a
        if more == NULL:
            abort()
        self.score(keys, count, more)
        for a in range(self.actions):
            scores[a] += more[a]
        dodona_free(more)


def freeze(keys, actions, weights, int action_count):
    """Return (fingerprints, counts, rows, wide): fingerprints of the features in the order of the table, and quantized
    weights, with 16 bits for rows that need them. Keys must be sorted.

    The scale is chosen so that nearly all weights fit; weights that round to 0 are removed. For the perceptron, whose
    updates are integers, no loss of accuracy was measured.
    """
    cdef int bits = weight_bits(action_count)
    most = (1 << (bits - 1)) - 1
    size = np.abs(weights)
    scale = min(most, 127.0) / max(float(np.quantile(size, 0.9999)) if len(size) else 1.0, 1e-9)
    numbers = np.clip(np.rint(weights * scale), -32767, 32767).astype(np.int16)
    kept = numbers != 0
    keys, actions, numbers = keys[kept], actions[kept], numbers[kept]
    begins = np.flatnonzero(np.append(True, keys[1:] != keys[: max(0, len(keys) - 1)])[: len(keys)])
    features, sizes = keys[begins], np.diff(begins, append=len(keys))
    buckets = max(1, len(features) // 2)
    places = ((features >> np.uint64(32)) * np.uint64(buckets)) >> np.uint64(32)
    counts = np.bincount(places.astype(np.int64), minlength=buckets)
    if len(counts) and counts.max() > 255:
        raise ValueError("the feature hashes are not spread evenly")
    fingerprints = (features & np.uint64(0xFFFFFFFF)).astype(np.uint32) | np.uint32(1)
    largest = np.maximum.reduceat(np.abs(numbers), begins) if len(begins) else np.zeros(0, np.int16)
    is_wide = (sizes * 3 > action_count) | (largest > most)
    rows = np.zeros(int(np.where(is_wide, 3, 1 + sizes).sum()), dtype=np.uint32)
    wide = np.zeros(int(is_wide.sum()) * action_count, dtype=np.int16)
    cdef uint16_t[::1] action_view = actions
    cdef int16_t[::1] number_view = numbers
    cdef int16_t[::1] wide_view = wide
    cdef const Py_ssize_t[::1] begin_view = begins
    cdef const Py_ssize_t[::1] size_view = sizes
    cdef uint8_t[::1] is_wide_view = is_wide.view(np.uint8)
    cdef uint32_t[::1] row_view = rows
    cdef Py_ssize_t i, j, at = 0, wide_row = 0
    for i in range(len(features)):
        if is_wide_view[i]:
            for j in range(begin_view[i], begin_view[i] + size_view[i]):
                wide_view[wide_row * action_count + action_view[j]] = number_view[j]
            row_view[at], row_view[at + 1], row_view[at + 2] = WIDE_ROW, wide_row & 0xFFFF, wide_row >> 16
            wide_row += 1
            at += 3
            continue
        row_view[at] = size_view[i]
        at += 1
        for j in range(begin_view[i], begin_view[i] + size_view[i]):
            if bits < 16:
                row_view[at] = action_view[j] << bits | (number_view[j] & ((1 << bits) - 1))
            else:
                row_view[at] = action_view[j] | (<uint32_t> <uint16_t> number_view[j]) << 16
            at += 1
    return fingerprints, counts.astype(np.uint8), rows.astype(np.uint16) if bits < 16 else rows, wide


def rows_are_sound(const uint16_t[::1] rows, int step, Py_ssize_t count, Py_ssize_t wide, int actions):
    """Return whether there are exactly `count` rows, and each has only valid actions and wide rows."""
    cdef Py_ssize_t at = 0, end = rows.shape[0], j, size
    cdef int bits = weight_bits(actions)
    for _ in range(count):
        if at >= end:
            return False
        size = 2 if rows[at] == WIDE_ROW else rows[at]
        if at + step * (1 + size) > end:
            return False
        if rows[at] == WIDE_ROW:
            if rows[at + step] + (<Py_ssize_t> rows[at + 2 * step] << 16) >= wide:
                return False
        else:
            for j in range(1, size + 1):
                if (rows[at + j] >> bits if step == 1 else rows[at + 2 * j]) >= actions:
                    return False
        at += step * (1 + size)
    return at == end


def freeze_weights(weights, double megabytes):
    """Return the arrays of the largest averaged `Weights`, as many as fit into the given size.

    Most weights of a large model are small and come from a single update; without them parsing is also faster.
    """
    size = int(1e6 * megabytes)
    keys, actions, values = weights.averages()
    magnitudes = np.sort(np.abs(values))
    most = len(values)
    while True:
        kept = np.abs(values) >= magnitudes[len(values) - most] if most else np.zeros(len(values), dtype=bool)
        arrays = dict(zip(WEIGHTS, freeze(keys[kept], actions[kept], values[kept], weights.actions), strict=True))
        taken = sum([each.nbytes for each in arrays.values()])
        if taken <= size or not most:
            return arrays
        most = int(most * 0.98 * size / taken)


def check_weights(where, actions, arrays):
    """Return the weights in these arrays, after a check that all indices are valid; errors name `where`."""
    missing = [name for name in WEIGHTS if name not in arrays]
    if missing:
        raise FormatError(f"{where}: no array {missing[0]!r}; expected the weights of a model")
    fingerprints, counts, rows, wide = [arrays[name] for name in WEIGHTS]
    row_kind = "<u2" if weight_bits(actions) < 16 else "<u4"
    kinds = [each.dtype.str for each in (fingerprints, counts, rows, wide)]
    if kinds != ["<u4", "|u1", row_kind, "<i2"] or len(wide) % actions or not len(counts):
        raise FormatError(f"{where}: weights of another kind than expected")
    if len(counts) > max(1, len(fingerprints)):  # each takes memory, and freeze makes half as many
        raise FormatError(f"{where}: {len(counts)} buckets for {len(fingerprints)} features; expected at most as many")
    if int(counts.sum(dtype="int64")) != len(fingerprints) or not rows_are_sound(
        rows.view("<u2"), 1 if row_kind == "<u2" else 2, len(fingerprints), len(wide) // actions, actions
    ):
        raise FormatError(f"{where}: the weights do not fit the {actions} classes of the model")
    return FrozenWeights(actions, fingerprints, counts, rows, wide)
