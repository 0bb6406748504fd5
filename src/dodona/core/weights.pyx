"""The linear model: for each feature a row of weights, one for each action it has something to say about.

While training, a row is sparse until it has become long, and every weight carries its past, so that the average over all
steps can be had at any time without touching what did not change (lazy averaging). Features come into being when they are
first updated, for or against an action. A finished model is frozen: pruned, in 16 bits, ready to be mapped from a file.
"""

import numpy as np

from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

cdef extern from "rows.h" nogil:
    void dodona_add_floats(float* scores, const float* row, int n)
    void dodona_add_shorts(int32_t* scores, const int16_t* row, int n)
    void dodona_prefetch(const void* address)
    void* dodona_allocate(size_t size)

cdef int DENSE = 0xFFFF
cdef int WIDE = 0xFFFF
cdef int POWERS = 17


cdef class Weights:
    def __cinit__(self, int actions):
        self.actions = actions
        self.dense_from = max(8, actions // 5)
        self.mask = (1 << 16) - 1
        self.slots = <Slot*> dodona_allocate((self.mask + 1) * sizeof(Slot))
        self.free_rows = <uint32_t*> calloc(POWERS, sizeof(uint32_t))
        self.used = 1  # row 0 is none
        if self.slots == NULL or self.free_rows == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.slots)
        free(self.free_rows)
        free(self.entries)
        free(self.pasts)
        free(self.dense)
        free(self.dense_pasts)

    cdef void score(self, const uint64_t* keys, int count, float* scores) noexcept nogil:
        """scores[a] = the sum of the weights of these features for action a."""
        cdef int i, j
        cdef Slot* slot
        cdef Entry* entry
        cdef uint64_t at
        memset(scores, 0, self.actions * sizeof(float))
        for i in range(count):
            dodona_prefetch(&self.slots[keys[i] & self.mask])
        for i in range(count):
            at = keys[i] & self.mask
            while self.slots[at].key != keys[i] and self.slots[at].key != 0:
                at = (at + 1) & self.mask
            slot = &self.slots[at]
            if slot.key == 0:
                continue
            if slot.size == DENSE:
                dodona_add_floats(scores, self.dense + <Py_ssize_t> slot.start * self.actions, self.actions)
            else:
                entry = self.entries + slot.start
                for j in range(slot.size):
                    scores[entry[j].action] += entry[j].weight

    cdef int update(self, const uint64_t* keys, int count, int action, float delta) except -1 nogil:
        cdef int i
        for i in range(count):
            self.update_one(keys[i], action, delta)
        return 0

    cdef int update_one(self, uint64_t key, int action, float delta) except -1 nogil:
        """Add delta to one weight, after its past has been brought up to now."""
        cdef uint64_t at = key & self.mask
        cdef Slot* slot
        cdef Past* past
        cdef float* weight
        cdef Py_ssize_t where
        cdef uint32_t bigger
        cdef int j, power
        while self.slots[at].key != key and self.slots[at].key != 0:
            at = (at + 1) & self.mask
        slot = &self.slots[at]
        if slot.key == 0:
            if 2 * self.features > <Py_ssize_t> self.mask:
                self.grow_table()
                return self.update_one(key, action, delta)
            slot.start = self.new_row(2)
            slot.key = key
            slot.size = 0
            slot.room = 2
            self.features += 1
        if slot.size == DENSE:
            where = <Py_ssize_t> slot.start * self.actions + action
            weight = &self.dense[where]
            past = &self.dense_pasts[where]
        else:
            j = 0
            while j < slot.size and self.entries[slot.start + j].action != action:
                j += 1
            if j == slot.size:
                if slot.size == self.dense_from:
                    self.make_dense(slot)
                    return self.update_one(key, action, delta)
                if slot.size == slot.room:
                    bigger = self.new_row(2 * slot.room)
                    for j in range(slot.size):
                        self.entries[bigger + j] = self.entries[slot.start + j]
                        self.pasts[bigger + j] = self.pasts[slot.start + j]
                    power = 0
                    while 1 << power < slot.room:
                        power += 1
                    self.entries[slot.start].action = self.free_rows[power]
                    self.free_rows[power] = slot.start
                    slot.start = bigger
                    slot.room = 2 * slot.room
                    j = slot.size
                self.entries[slot.start + j].action = action
                self.entries[slot.start + j].weight = 0
                self.pasts[slot.start + j].total = 0
                self.pasts[slot.start + j].last = self.now
                slot.size += 1
            weight = &self.entries[slot.start + j].weight
            past = &self.pasts[slot.start + j]
        past.total += <double> weight[0] * (self.now - past.last)
        past.last = self.now
        weight[0] += delta
        return 0

    cdef int grow_table(self) except -1 nogil:
        """Twice as many slots."""
        cdef uint64_t old = self.mask, at, i
        cdef Slot* slots = self.slots
        self.mask = 2 * old + 1
        self.slots = <Slot*> dodona_allocate((self.mask + 1) * sizeof(Slot))
        if self.slots == NULL:
            self.slots = slots
            self.mask = old
            with gil:
                raise MemoryError
        for i in range(old + 1):
            if slots[i].key != 0:
                at = slots[i].key & self.mask
                while self.slots[at].key != 0:
                    at = (at + 1) & self.mask
                self.slots[at] = slots[i]
        free(slots)
        return 0

    cdef uint32_t new_row(self, int room) except? 0 nogil:
        """Where a sparse row with this much room (a power of two) begins."""
        cdef int power = 0
        cdef uint32_t start
        cdef Py_ssize_t wanted
        while 1 << power < room:
            power += 1
        start = self.free_rows[power]
        if start != 0:
            self.free_rows[power] = self.entries[start].action
            return start
        if self.used + room > self.room:
            wanted = 2 * self.room + 65536
            self.entries = <Entry*> realloc(self.entries, wanted * sizeof(Entry))
            self.pasts = <Past*> realloc(self.pasts, wanted * sizeof(Past))
            if self.entries == NULL or self.pasts == NULL:
                with gil:
                    raise MemoryError
            self.room = wanted
        start = self.used
        self.used += room
        return start

    cdef int make_dense(self, Slot* slot) except -1 nogil:
        """Move a row that has become long into the dense pool."""
        cdef Py_ssize_t row = self.dense_used, wanted, where
        cdef int j
        if row == self.dense_room:
            wanted = 2 * self.dense_room + 1024
            self.dense = <float*> realloc(self.dense, wanted * self.actions * sizeof(float))
            self.dense_pasts = <Past*> realloc(self.dense_pasts, wanted * self.actions * sizeof(Past))
            if self.dense == NULL or self.dense_pasts == NULL:
                with gil:
                    raise MemoryError
            self.dense_room = wanted
        self.dense_used += 1
        for j in range(self.actions):
            self.dense[row * self.actions + j] = 0
            self.dense_pasts[row * self.actions + j].total = 0
            self.dense_pasts[row * self.actions + j].last = self.now
        for j in range(slot.size):
            where = row * self.actions + self.entries[slot.start + j].action
            self.dense[where] = self.entries[slot.start + j].weight
            self.dense_pasts[where] = self.pasts[slot.start + j]
        slot.start = row
        slot.size = DENSE
        return 0

    def averages(self):
        """(keys, actions, weights): every weight that is not zero, averaged over all steps; sorted, so that the same
        training gives the same bytes."""
        cdef Py_ssize_t count = 0, i, where
        cdef Slot* slot
        cdef int j, size
        for i in range(<Py_ssize_t> self.mask + 1):
            if self.slots[i].key != 0:
                count += self.actions if self.slots[i].size == DENSE else self.slots[i].size
        key_array = np.empty(count, dtype=np.uint64)
        action_array = np.empty(count, dtype=np.uint16)
        weight_array = np.empty(count, dtype=np.float32)
        cdef uint64_t[::1] keys = key_array
        cdef uint16_t[::1] actions = action_array
        cdef float[::1] weights = weight_array
        cdef double now = max(1, self.now)
        count = 0
        for i in range(<Py_ssize_t> self.mask + 1):
            slot = &self.slots[i]
            if slot.key == 0:
                continue
            size = self.actions if slot.size == DENSE else slot.size
            for j in range(size):
                keys[count] = slot.key
                if slot.size == DENSE:
                    where = <Py_ssize_t> slot.start * self.actions + j
                    actions[count] = j
                    weights[count] = (
                        self.dense_pasts[where].total + <double> self.dense[where] * (self.now - self.dense_pasts[where].last)
                    ) / now
                else:
                    where = slot.start + j
                    actions[count] = self.entries[where].action
                    weights[count] = (
                        self.pasts[where].total + <double> self.entries[where].weight * (self.now - self.pasts[where].last)
                    ) / now
                if weights[count] != 0:
                    count += 1
        order = np.lexsort((action_array[:count], key_array[:count]))
        return key_array[:count][order], action_array[:count][order], weight_array[:count][order]


def weight_bits(int actions):
    """How many bits of a pair are the weight: what 16 leave beside the action, or 16 of 32 if that is too few."""
    bits = 16 - max(8, (actions - 1).bit_length())
    return bits if bits >= 6 else 16


cdef class FrozenWeights:
    """Weights ready for parsing, from the arrays that `freeze` makes; they may be mapped from a file.

    Most rows are a few (action, weight) pairs of 16 bits, or 32 if there are very many actions; rows with many or large
    weights are kept as 16-bit numbers for all actions. Only the table of slots is built here, in one sweep.
    """

    def __init__(self, int actions, marks, counts, rows, wide):
        self.actions = actions
        self.bits = weight_bits(actions)
        self.long_pairs = self.bits == 16
        self.rows = rows.view(np.uint16)
        self.wide = wide
        self.buckets = len(counts)
        self.slot_count = 0
        self.build(marks, counts)

    def __dealloc__(self):
        free(self.slots)

    cdef build(self, const uint32_t[::1] marks, const uint8_t[::1] counts):
        """Put every feature into the first free slot from its bucket on; the file has them in this order."""
        cdef Py_ssize_t bucket, i, feature = 0, slot = 0, spread = 2 + (marks.shape[0] * 5 // 4) // max(1, counts.shape[0])
        cdef uint64_t start = 0
        cdef int step = 2 if self.long_pairs else 1
        self.spread = spread
        self.slot_count = counts.shape[0] * spread + marks.shape[0] + 1
        self.slots = <FrozenSlot*> dodona_allocate(self.slot_count * sizeof(FrozenSlot))
        if self.slots == NULL:
            raise MemoryError
        for bucket in range(counts.shape[0]):
            slot = max(slot, bucket * spread)
            for i in range(counts[bucket]):
                self.slots[slot].mark = marks[feature]
                self.slots[slot].start = start
                start += step * (3 if self.rows[start] == WIDE else 1 + self.rows[start])
                feature += 1
                slot += 1

    cdef void score(self, const uint64_t* keys, int count, uint32_t* found, int32_t* scores) noexcept nogil:
        """scores[a] = the sum of the weights of these features for action a. `found` is room for `count` numbers.

        Memory is slow and far away, so everything is asked for before it is needed: first all slots, then all rows.
        """
        cdef int i, j, hits = 0, bits = self.bits
        cdef uint64_t at
        cdef uint32_t mark
        cdef FrozenSlot* slots = self.slots
        cdef uint64_t buckets = self.buckets, spread = self.spread
        cdef const uint16_t* rows = &self.rows[0]
        cdef const uint16_t* row
        memset(scores, 0, self.actions * sizeof(int32_t))
        for i in range(count):
            dodona_prefetch(&slots[((keys[i] >> 32) * buckets >> 32) * spread])
        for i in range(count):
            at = ((keys[i] >> 32) * buckets >> 32) * spread
            mark = <uint32_t> keys[i] | 1
            while slots[at].mark != mark and slots[at].mark != 0:
                at += 1
            if slots[at].mark != 0:
                found[hits] = slots[at].start
                dodona_prefetch(&rows[found[hits]])
                hits += 1
        for i in range(hits):
            row = &rows[found[i]]
            if row[0] == WIDE:
                if self.long_pairs:
                    j = row[2] | row[4] << 16
                else:
                    j = row[1] | row[2] << 16
                dodona_add_shorts(scores, &self.wide[<Py_ssize_t> j * self.actions], self.actions)
            elif self.long_pairs:
                for j in range(1, row[0] + 1):
                    scores[row[2 * j]] += <int16_t> row[2 * j + 1]
            else:
                for j in range(1, row[0] + 1):
                    scores[row[j] >> bits] += <int16_t> (row[j] << (16 - bits)) >> (16 - bits)


def freeze(keys, actions, weights, int action_count):
    """(marks, counts, rows, wide): weights in few bits, or 16 for rows that need them, features in the order of the table.

    The scale is set so that nearly all weights fit; weights that round to nothing are gone. For the perceptron, whose
    updates are whole numbers, this loses nothing that can be measured.
    """
    cdef int bits = weight_bits(action_count)
    most = (1 << (bits - 1)) - 1
    size = np.abs(weights)
    scale = min(most, 127.0) / max(float(np.quantile(size, 0.9999)) if len(size) else 1.0, 1e-9)
    numbers = np.clip(np.rint(weights * scale), -32767, 32767).astype(np.int16)
    kept = numbers != 0
    keys, actions, numbers = keys[kept], actions[kept], numbers[kept]
    features, begins, sizes = np.unique(keys, return_index=True, return_counts=True)
    buckets = max(1, len(features) // 2)
    places = ((features >> np.uint64(32)) * np.uint64(buckets)) >> np.uint64(32)
    counts = np.bincount(places.astype(np.int64), minlength=buckets)
    if len(counts) and counts.max() > 255:
        raise ValueError("the feature hashes are not spread evenly")
    marks = (features & np.uint64(0xFFFFFFFF)).astype(np.uint32) | np.uint32(1)
    largest = np.maximum.reduceat(np.abs(numbers), begins) if len(begins) else np.zeros(0, np.int16)
    is_wide = (sizes * 3 > action_count) | (largest > most)
    short = bits < 16
    rows = np.zeros(int(np.where(is_wide, 3, 1 + sizes).sum()), dtype=np.uint16 if short else np.uint32)
    wide = np.zeros(int(is_wide.sum()) * action_count, dtype=np.int16)
    cdef uint16_t[::1] action_view = actions
    cdef int16_t[::1] number_view = numbers
    cdef int16_t[::1] wide_view = wide
    cdef long[::1] begin_view = begins
    cdef long[::1] size_view = sizes
    cdef uint8_t[::1] is_wide_view = is_wide.view(np.uint8)
    cdef uint16_t[::1] short_view = rows if short else np.zeros(0, np.uint16)
    cdef uint32_t[::1] long_view = rows if not short else np.zeros(0, np.uint32)
    cdef Py_ssize_t i, j, k, at = 0, wide_row = 0
    cdef uint32_t pair
    for i in range(len(features)):
        if is_wide_view[i]:
            for j in range(begin_view[i], begin_view[i] + size_view[i]):
                wide_view[wide_row * action_count + action_view[j]] = number_view[j]
            if short:
                short_view[at], short_view[at + 1], short_view[at + 2] = WIDE, wide_row & 0xFFFF, wide_row >> 16
            else:
                long_view[at], long_view[at + 1], long_view[at + 2] = WIDE, wide_row & 0xFFFF, wide_row >> 16
            wide_row += 1
            at += 3
            continue
        if short:
            short_view[at] = size_view[i]
        else:
            long_view[at] = size_view[i]
        for j in range(size_view[i]):
            k = begin_view[i] + j
            if short:
                short_view[at + 1 + j] = action_view[k] << bits | (number_view[k] & ((1 << bits) - 1))
            else:
                long_view[at + 1 + j] = action_view[k] | (<uint32_t> <uint16_t> number_view[k]) << 16
        at += 1 + size_view[i]
    return marks, counts.astype(np.uint8), rows, wide


def without_weak_features(keys, actions, weights, double least):
    """(keys, actions, weights) of the features that have at least one weight of that size; they come sorted."""
    if not len(keys):
        return keys, actions, weights
    begins = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    strong = np.maximum.reduceat(np.abs(weights), begins) >= least
    kept = np.repeat(strong, np.diff(np.append(begins, len(keys))))
    return keys[kept], actions[kept], weights[kept]


def rows_are_sound(const uint16_t[::1] rows, int step, Py_ssize_t count, Py_ssize_t wide, int actions):
    """Whether there are exactly `count` rows, and each names only actions and wide rows that exist."""
    cdef Py_ssize_t at = 0, end = rows.shape[0], i, j, size
    cdef int bits = weight_bits(actions)
    for i in range(count):
        if at >= end:
            return False
        size = 2 if rows[at] == WIDE else rows[at]
        if at + step * (1 + size) > end:
            return False
        if rows[at] == WIDE:
            if rows[at + step] + (<Py_ssize_t> rows[at + 2 * step] << 16) >= wide:
                return False
        else:
            for j in range(1, size + 1):
                if (rows[at + j] >> bits if step == 1 else rows[at + 2 * j]) >= actions:
                    return False
        at += step * (1 + size)
    return at == end
