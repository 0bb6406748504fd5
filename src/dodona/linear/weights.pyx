"""The linear model during training: for each feature a row of weights, one for each action it was updated for.

A row is sparse until it has become long. Every weight has an `Accumulator`, so that the average over all steps can be
computed at any time, and a step touches only the weights that it changes (lazy averaging). A feature is created at its
first update.
"""

from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from dodona.data.hashing cimport Slot

cdef extern from "float_sums.h" nogil:
    void* dodona_reserve(size_t size)
    void dodona_free(void* memory)
    void dodona_expect_rows(const Pools* pools, const uint64_t* keys, int count)
    void dodona_prefetch(const void* address)
    void dodona_score_floats(const Pools* pools, const uint64_t* keys, int count, float* scores)
    int FLOATS "DODONA_FLOATS"
    int SMALLEST "DODONA_ROOM_2"
    int LARGEST "DODONA_ROOM_16"
    int DENSE "DODONA_ALL_ACTIONS"

cdef enum:
    AHEAD = 16          # updates that are prepared before they are made
    EXPECTED = 1 << 15  # features


cdef void* enlarge(void* memory, size_t used, size_t size) except NULL nogil:
    """Move the used part of a pool to more memory; on failure the old memory stays valid."""
    cdef void* more = dodona_reserve(size)
    if more == NULL:
        with gil:
            raise MemoryError
    if memory != NULL:
        memcpy(more, memory, used)
        dodona_free(memory)
    return more


cdef class Weights:
    """The weights of a model during training, for `actions` actions."""

    def __cinit__(self, int actions):
        self.actions = actions
        self.width = (actions + FLOATS - 1) // FLOATS * FLOATS
        self.dense_from = max(8, min(1 << LARGEST, actions // 5))
        self.table = HashTable(EXPECTED)
        self.free_rows = np.zeros(LARGEST + 1, np.uint32)
        self.used = 1  # 0 means no row
        self.whole = True

    def __dealloc__(self):
        dodona_free(self.entries)
        dodona_free(self.accumulators)
        dodona_free(self.dense)
        dodona_free(self.dense_accumulators)

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
        self.expect(keys, count)
        self.sum(keys, count, scores)

    cdef void expect(self, const uint64_t* keys, int count) noexcept nogil:
        """Say that the weights of these features will be needed soon."""
        cdef Pools pools = self.pools()
        dodona_expect_rows(&pools, keys, count)

    cdef void sum(self, const uint64_t* keys, int count, float* scores) noexcept nogil:
        """Compute the scores of features that are expected."""
        cdef Pools pools = self.pools()
        dodona_score_floats(&pools, keys, count, scores)

    cdef Pools pools(self) noexcept nogil:
        cdef Pools pools
        pools.slots, pools.mask = <RowSlot*> self.table.slots, self.table.mask
        pools.entries, pools.dense = self.entries, self.dense
        pools.actions, pools.width, pools.whole = self.actions, self.width, self.whole
        return pools

    cdef int update(self, const uint64_t* keys, int count, int action, float delta) except -1 nogil:
        cdef int i
        for i in range(min(count, AHEAD)):
            self.expect_update(keys[i], action)
        for i in range(count):
            if i + AHEAD < count:
                self.expect_update(keys[i + AHEAD], action)
            self.update_one(keys[i], action, delta)
        return 0

    cdef void expect_update(self, uint64_t key, int action) noexcept nogil:
        """Say that the accumulators of this feature will be needed soon."""
        cdef WeightRow* row = <WeightRow*> &self.table.find(key).value
        if row.kind == DENSE:
            dodona_prefetch(&self.dense_accumulators[<Py_ssize_t> row.start * self.width + action])
        else:
            dodona_prefetch(&self.accumulators[row.start])

    cdef int update_one(self, uint64_t key, int action, float delta) except -1 nogil:
        """Add delta to one weight, after its accumulator has been updated to the current step."""
        cdef WeightRow* row = <WeightRow*> &self.table.add(key).value
        cdef Py_ssize_t where
        cdef float* weight
        cdef Accumulator* accumulator
        if row.kind == 0:  # a new feature
            row.start = self.new_row(SMALLEST)
            row.kind = SMALLEST
        if row.kind != DENSE:
            where = self.find_entry(row, action)
        if row.kind == DENSE:
            where = <Py_ssize_t> row.start * self.width + action
            weight = &self.dense[where]
            accumulator = &self.dense_accumulators[where]
        else:
            weight = &self.entries[where].weight
            accumulator = &self.accumulators[where]
        accumulator.total += <double> weight[0] * (self.now - accumulator.last)
        accumulator.last = self.now
        weight[0] += delta
        self.whole &= abs(delta) < 1000 and delta == <int> delta
        return 0

    cdef Py_ssize_t find_entry(self, WeightRow* row, int action) except -1 nogil:
        """Return the index of the entry of an action in a sparse row. If there is none it is created, and the row may
        be reallocated or become dense; in the latter case the index is meaningless."""
        cdef uint32_t bigger
        cdef int j = 0
        while j < row.size and self.entries[row.start + j].action != action:
            j += 1
        if j < row.size:
            return row.start + j
        if row.size == self.dense_from:
            self.make_dense(row)
            return 0
        if row.size == 1 << row.kind:
            bigger = self.new_row(row.kind + 1)
            for j in range(row.size):
                self.entries[bigger + j] = self.entries[row.start + j]
                self.accumulators[bigger + j] = self.accumulators[row.start + j]
            self.entries[row.start].action = self.free_rows[row.kind]
            self.free_rows[row.kind] = row.start
            row.start = bigger
            row.kind += 1
        self.entries[row.start + row.size].action = action
        self.entries[row.start + row.size].weight = 0
        self.accumulators[row.start + row.size].total = 0
        self.accumulators[row.start + row.size].last = self.now
        row.size += 1
        return row.start + row.size - 1

    cdef uint32_t new_row(self, int kind) except? 0 nogil:
        """Allocate a sparse row of this kind, with weights of 0 in all of its room; returns its start."""
        cdef int j, room = 1 << kind
        cdef uint32_t start = self.free_rows[kind]
        cdef Py_ssize_t wanted
        if start != 0:
            self.free_rows[kind] = self.entries[start].action
        else:
            if self.used + room > self.room:
                wanted = 2 * self.room + 65536
                self.entries = <WeightEntry*> enlarge(
                    self.entries, self.used * sizeof(WeightEntry), wanted * sizeof(WeightEntry)
                )
                self.accumulators = <Accumulator*> enlarge(
                    self.accumulators, self.used * sizeof(Accumulator), wanted * sizeof(Accumulator)
                )
                self.room = wanted
            start = self.used
            self.used += room
        for j in range(room):
            self.entries[start + j].weight = 0
            self.entries[start + j].action = (start + j) % self.actions  # different ones do not wait for each other
        return start

    cdef int make_dense(self, WeightRow* row) except -1 nogil:
        """Move a row that has become long into the dense pool."""
        cdef Py_ssize_t number = self.dense_used, wanted, where
        cdef int j
        if number == self.dense_room:
            wanted = 2 * self.dense_room + 1024
            where = number * self.width
            self.dense = <float*> enlarge(self.dense, where * sizeof(float), wanted * self.width * sizeof(float))
            self.dense_accumulators = <Accumulator*> enlarge(
                self.dense_accumulators, where * sizeof(Accumulator), wanted * self.width * sizeof(Accumulator)
            )
            self.dense_room = wanted
        self.dense_used += 1
        for j in range(self.width):
            self.dense[number * self.width + j] = 0
            self.dense_accumulators[number * self.width + j].total = 0
            self.dense_accumulators[number * self.width + j].last = self.now
        for j in range(row.size):
            where = number * self.width + self.entries[row.start + j].action
            self.dense[where] = self.entries[row.start + j].weight
            self.dense_accumulators[where] = self.accumulators[row.start + j]
        row.start = number
        row.kind = DENSE
        return 0

    def averages(self):
        """Return (keys, actions, weights): every non-zero weight, averaged over all steps; sorted, so that the same
        training gives the same bytes."""
        cdef Py_ssize_t most = 0, features = 0, count = 0, i
        cdef Slot* slots = self.table.slots
        cdef WeightRow* row
        feature_array = np.empty(self.table.count, dtype=np.uint64)
        place_array = np.empty(self.table.count, dtype=np.intp)
        cdef uint64_t[::1] feature_view = feature_array
        cdef Py_ssize_t[::1] places = place_array
        for i in range(<Py_ssize_t> self.table.mask + 1):
            if slots[i].key != 0:
                row = <WeightRow*> &slots[i].value
                most += self.actions if row.kind == DENSE else row.size
                feature_view[features], places[features] = slots[i].key, i
                features += 1
        key_array, action_array = np.empty(most, dtype=np.uint64), np.empty(most, dtype=np.uint16)
        weight_array = np.empty(most, dtype=np.float32)
        cdef uint64_t[::1] keys = key_array
        cdef uint16_t[::1] actions = action_array
        cdef float[::1] weights = weight_array
        places = place_array[np.argsort(feature_array)]
        for i in range(features):
            row = <WeightRow*> &slots[places[i]].value
            most = count
            count += self.write_averages(row, &actions[count], &weights[count])
            keys[most:count] = slots[places[i]].key
        return key_array[:count], action_array[:count], weight_array[:count]

    def forget(self, Py_ssize_t most):
        """Keep at most so many features: those with the largest weights on average. The others are as if they had never
        been updated. So memory has a bound, however long the training; the model, too, has only the largest weights.
        """
        cdef Weights kept = Weights(self.actions)
        cdef Slot* slots = self.table.slots
        cdef Py_ssize_t i, number = 0
        cdef float least
        if self.table.count <= most:
            return
        size_array = np.empty(self.table.count, dtype=np.float32)
        cdef float[::1] sizes = size_array
        for i in range(<Py_ssize_t> self.table.mask + 1):
            if slots[i].key != 0:
                sizes[number] = self.measure(<WeightRow*> &slots[i].value)
                number += 1
        least = np.partition(size_array, number - most - 1)[number - most - 1]
        number = 0
        for i in range(<Py_ssize_t> self.table.mask + 1):
            if slots[i].key != 0:
                if sizes[number] > least:
                    kept.copy_row(self, <WeightRow*> &slots[i].value, slots[i].key)
                number += 1
        self.table, kept.table = kept.table, self.table
        self.entries, kept.entries = kept.entries, self.entries
        self.accumulators, kept.accumulators = kept.accumulators, self.accumulators
        self.used, self.room, self.free_rows = kept.used, kept.room, kept.free_rows
        self.dense, kept.dense = kept.dense, self.dense
        self.dense_accumulators, kept.dense_accumulators = kept.dense_accumulators, self.dense_accumulators
        self.dense_used, self.dense_room = kept.dense_used, kept.dense_room

    cdef float measure(self, const WeightRow* row) noexcept nogil:
        """Return the largest average of a row, without its sign."""
        cdef Py_ssize_t where = <Py_ssize_t> row.start * (self.width if row.kind == DENSE else 1)
        cdef double largest = 0, average
        cdef int j
        for j in range(self.actions if row.kind == DENSE else row.size):
            if row.kind == DENSE:
                average = self.average(self.dense[where + j], &self.dense_accumulators[where + j])
            else:
                average = self.average(self.entries[where + j].weight, &self.accumulators[where + j])
            largest = max(largest, abs(average))
        return largest

    cdef int copy_row(self, Weights other, const WeightRow* row, uint64_t key) except -1:
        """Take over a feature of other weights, as it is."""
        cdef WeightRow* own = <WeightRow*> &self.table.add(key).value
        cdef int j
        own.size = row.size
        if row.kind == DENSE:
            own.kind = SMALLEST
            own.size = 0
            own.start = self.new_row(SMALLEST)
            self.make_dense(own)
            for j in range(self.width):
                self.dense[<Py_ssize_t> own.start * self.width + j] = (
                    other.dense[<Py_ssize_t> row.start * self.width + j]
                )
                self.dense_accumulators[<Py_ssize_t> own.start * self.width + j] = (
                    other.dense_accumulators[<Py_ssize_t> row.start * self.width + j]
                )
            return 0
        own.kind = row.kind
        own.start = self.new_row(row.kind)
        for j in range(row.size):
            self.entries[own.start + j] = other.entries[row.start + j]
            self.accumulators[own.start + j] = other.accumulators[row.start + j]
        return 0

    cdef int write_averages(self, const WeightRow* row, uint16_t* actions, float* weights) noexcept nogil:
        """Write the averages of a row that are not 0, by action; returns how many they are."""
        cdef Py_ssize_t where
        cdef int j, at, action, count = 0
        cdef float average
        for j in range(self.actions if row.kind == DENSE else row.size):
            if row.kind == DENSE:
                where = <Py_ssize_t> row.start * self.width + j
                action = j
                average = self.average(self.dense[where], &self.dense_accumulators[where])
            else:
                where = <Py_ssize_t> row.start + j
                action = self.entries[where].action
                average = self.average(self.entries[where].weight, &self.accumulators[where])
            if average == 0:
                continue
            at = count
            while at > 0 and actions[at - 1] > action:  # entries are few, in the order of their first updates
                actions[at], weights[at] = actions[at - 1], weights[at - 1]
                at -= 1
            actions[at], weights[at] = action, average
            count += 1
        return count

    cdef double average(self, float weight, const Accumulator* accumulator) noexcept nogil:
        """Return the average over all steps so far."""
        return (accumulator.total + <double> weight * (self.now - accumulator.last)) / max(1, self.now)
