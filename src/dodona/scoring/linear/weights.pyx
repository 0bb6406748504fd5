"""The linear model during training: for each feature a row of weights, one for each action it was updated for.

A row is sparse until it has become long. Every weight has an accumulator (`Accumulator`), so that the average over all steps
can be computed at any time, and a step touches only the weights that it changes (lazy averaging). A feature is created
at its first update.
"""

import numpy as np

from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from dodona.scoring.linear.hash_table cimport Slot, slot_of

cdef extern from "rows.h" nogil:
    void dodona_add_floats(float* scores, const float* row, int n)
    void dodona_prefetch(const void* address)

cdef enum:
    AT_ONCE = 128  # features whose rows are prefetched together
cdef int DENSE = 0xFFFF
cdef int POWERS = 17
cdef Py_ssize_t EXPECTED = 1 << 15  # features


cdef void* larger(void* memory, size_t size) except NULL nogil:
    """Reallocate memory with a larger size; on failure the old memory stays valid."""
    cdef void* found = realloc(memory, size)
    if found == NULL:
        with gil:
            raise MemoryError
    return found


cdef class Weights:
    """The weights of a model during training, for `actions` actions."""

    def __cinit__(self, int actions):
        self.actions = actions
        self.dense_from = max(8, actions // 5)
        self.table = HashTable(EXPECTED)
        self.free_rows = <uint32_t*> calloc(POWERS, sizeof(uint32_t))
        self.used = 1  # 0 means no row
        if self.free_rows == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.free_rows)
        free(self.entries)
        free(self.accumulators)
        free(self.dense)
        free(self.dense_accumulators)

    @property
    def features(self):
        """Return the number of features that were updated at least once."""
        return self.table.count

    def scores(self, const uint64_t[::1] keys):
        """Python access to `score`: returns the sum of the weights of these features for each action."""
        row = np.zeros(self.actions, np.float32)
        cdef float[::1] view = row
        if len(keys):
            self.score(&keys[0], len(keys), &view[0])
        return row.tolist()

    def step(self, changes):
        """Python access to one step of learning: `changes` are (feature, action, amount)."""
        self.now += 1
        for key, action, delta in changes:
            if not 0 <= action < self.actions or not key:
                raise ValueError(f"feature {key}, action {action}: expected a feature that is not 0, and an action")
            self.update_one(key, action, delta)

    cdef void score(self, const uint64_t* keys, int count, float* scores) noexcept nogil:
        """scores[a] = the sum of the weights of these features for action a."""
        cdef int i, begin = 0
        cdef Slot* slots = self.table.slots
        cdef uint64_t mask = self.table.mask
        memset(scores, 0, self.actions * sizeof(float))
        for i in range(count):
            dodona_prefetch(&slots[keys[i] & mask])
        while begin < count:
            self.add_rows(keys + begin, min(count - begin, <int> AT_ONCE), scores)
            begin += AT_ONCE

    cdef void add_rows(self, const uint64_t* keys, int count, float* scores) noexcept nogil:
        """Add the weights of a few features. Their rows are prefetched before the first of them is needed."""
        cdef int i, j, hits = 0
        cdef Slot* slot
        cdef Row* row
        cdef Row* rows[AT_ONCE]
        cdef Entry* entry
        for i in range(count):
            slot = slot_of(self.table.slots, self.table.mask, keys[i])
            if slot.key == 0:
                continue
            row = rows[hits] = <Row*> &slot.value
            hits += 1
            if row.size == DENSE:
                dodona_prefetch(self.dense + <Py_ssize_t> row.start * self.actions)
            else:
                dodona_prefetch(self.entries + row.start)
        for i in range(hits):
            row = rows[i]
            if row.size == DENSE:
                dodona_add_floats(scores, self.dense + <Py_ssize_t> row.start * self.actions, self.actions)
            else:
                entry = self.entries + row.start
                for j in range(row.size):
                    scores[entry[j].action] += entry[j].weight

    cdef int update(self, const uint64_t* keys, int count, int action, float delta) except -1 nogil:
        cdef int i
        for i in range(count):
            self.update_one(keys[i], action, delta)
        return 0

    cdef int update_one(self, uint64_t key, int action, float delta) except -1 nogil:
        """Add delta to one weight, after its accumulator has been updated to the current step."""
        cdef Row* row = <Row*> &self.table.add(key).value
        cdef Py_ssize_t where
        cdef float* weight
        cdef Accumulator* accumulator
        if row.room == 0:  # a new feature
            row.start = self.new_row(2)
            row.room = 2
        if row.size != DENSE:
            where = self.find_entry(row, action)
        if row.size == DENSE:
            where = <Py_ssize_t> row.start * self.actions + action
            weight = &self.dense[where]
            accumulator = &self.dense_accumulators[where]
        else:
            weight = &self.entries[where].weight
            accumulator = &self.accumulators[where]
        accumulator.total += <double> weight[0] * (self.now - accumulator.last)
        accumulator.last = self.now
        weight[0] += delta
        return 0

    cdef Py_ssize_t find_entry(self, Row* row, int action) except -1 nogil:
        """Return the index of the entry of an action in a sparse row. If there is none it is created, and the row may
        be reallocated or become dense; in the latter case the index is meaningless."""
        cdef uint32_t bigger
        cdef int j = 0, power = 0
        while j < row.size and self.entries[row.start + j].action != action:
            j += 1
        if j < row.size:
            return row.start + j
        if row.size == self.dense_from:
            self.make_dense(row)
            return 0
        if row.size == row.room:
            bigger = self.new_row(2 * row.room)
            for j in range(row.size):
                self.entries[bigger + j] = self.entries[row.start + j]
                self.accumulators[bigger + j] = self.accumulators[row.start + j]
            while 1 << power < row.room:
                power += 1
            self.entries[row.start].action = self.free_rows[power]
            self.free_rows[power] = row.start
            row.start = bigger
            row.room = 2 * row.room
        self.entries[row.start + row.size].action = action
        self.entries[row.start + row.size].weight = 0
        self.accumulators[row.start + row.size].total = 0
        self.accumulators[row.start + row.size].last = self.now
        row.size += 1
        return row.start + row.size - 1

    cdef uint32_t new_row(self, int room) except? 0 nogil:
        """Allocate a sparse row of this capacity (a power of two); returns its start."""
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
            self.entries = <Entry*> larger(self.entries, wanted * sizeof(Entry))
            self.accumulators = <Accumulator*> larger(self.accumulators, wanted * sizeof(Accumulator))
            self.room = wanted
        start = self.used
        self.used += room
        return start

    cdef int make_dense(self, Row* row) except -1 nogil:
        """Move a row that has become long into the dense pool."""
        cdef Py_ssize_t number = self.dense_used, wanted, where
        cdef int j
        if number == self.dense_room:
            wanted = 2 * self.dense_room + 1024
            self.dense = <float*> larger(self.dense, wanted * self.actions * sizeof(float))
            self.dense_accumulators = <Accumulator*> larger(self.dense_accumulators, wanted * self.actions * sizeof(Accumulator))
            self.dense_room = wanted
        self.dense_used += 1
        for j in range(self.actions):
            self.dense[number * self.actions + j] = 0
            self.dense_accumulators[number * self.actions + j].total = 0
            self.dense_accumulators[number * self.actions + j].last = self.now
        for j in range(row.size):
            where = number * self.actions + self.entries[row.start + j].action
            self.dense[where] = self.entries[row.start + j].weight
            self.dense_accumulators[where] = self.accumulators[row.start + j]
        row.start = number
        row.size = DENSE
        return 0

    def averages(self):
        """Return (keys, actions, weights): every non-zero weight, averaged over all steps; sorted, so that the same
        training gives the same bytes."""
        cdef Py_ssize_t count = 0, i
        cdef Slot* slot
        cdef Row* row
        cdef int j, size
        for i in range(<Py_ssize_t> self.table.mask + 1):
            row = <Row*> &self.table.slots[i].value
            count += self.actions if row.size == DENSE else row.size
        key_array = np.empty(count, dtype=np.uint64)
        action_array = np.empty(count, dtype=np.uint16)
        weight_array = np.empty(count, dtype=np.float32)
        cdef uint64_t[::1] keys = key_array
        cdef uint16_t[::1] actions = action_array
        cdef float[::1] weights = weight_array
        count = 0
        for i in range(<Py_ssize_t> self.table.mask + 1):
            slot = &self.table.slots[i]
            row = <Row*> &slot.value
            size = self.actions if row.size == DENSE else row.size
            for j in range(size):
                keys[count] = slot.key
                if row.size == DENSE:
                    actions[count] = j
                    weights[count] = self.average(
                        self.dense[<Py_ssize_t> row.start * self.actions + j],
                        &self.dense_accumulators[<Py_ssize_t> row.start * self.actions + j],
                    )
                else:
                    actions[count] = self.entries[row.start + j].action
                    weights[count] = self.average(self.entries[row.start + j].weight, &self.accumulators[row.start + j])
                if weights[count] != 0:
                    count += 1
        order = np.lexsort((action_array[:count], key_array[:count]))
        return key_array[:count][order], action_array[:count][order], weight_array[:count][order]

    cdef double average(self, float weight, const Accumulator* accumulator) noexcept nogil:
        """Return the average over all steps so far."""
        return (accumulator.total + <double> weight * (self.now - accumulator.last)) / max(1, self.now)
