"""The linear model: for each feature a row of weights, one for each action it has something to say about.

While training, a row is sparse until it has become long, and every weight carries its past, so that the average over all
steps can be had at any time without touching what did not change (lazy averaging). Features come into being when they are
first updated, for or against an action.
"""

import numpy as np

from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

cdef extern from "rows.h" nogil:
    void dodona_add_floats(float* scores, const float* row, int n)
    void dodona_prefetch(const void* address)
    void* dodona_allocate(size_t size)

cdef int DENSE = 0xFFFF
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
