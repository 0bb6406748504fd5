"""The configuration of a parse: stack, buffer and the arcs so far.

One class serves all transition systems. Systems differ in the initial configuration and in the methods that
they combine. All arrays are slices of one block of memory, so a copy is a single memory copy.
"""

from array import array

from dodona.transitions.moves import BUFFER, GONE, NONE, STACK
from dodona.transitions.watch import Watch

ROWS = 17


class State:
    """Nodes are numbered 0 (ROOT), 1..n (words) and n + 1, the sentinel node "nobody".

    Nobody stands for a missing node, such as the top of an empty stack. Its place is always GONE, so a test
    whether it is on the stack or in the buffer fails without a special case.
    """

    def __init__(self, capacity: int) -> None:
        width = capacity + 2
        self.width = width
        self.memory = memoryview(array("i", bytes(4 * ROWS * width)))
        self.stack = self.memory[0:width]
        self.queue = self.memory[width : 2 * width]
        self.place = self.memory[2 * width : 3 * width]
        self.head = self.memory[3 * width : 4 * width]
        self.label = self.memory[4 * width : 5 * width]
        self.left_arity = self.memory[5 * width : 6 * width]
        self.right_arity = self.memory[6 * width : 7 * width]
        self.leftmost = self.memory[7 * width : 8 * width]
        self.rightmost = self.memory[8 * width : 9 * width]
        self.inner = self.memory[9 * width : 10 * width]
        self.left_set = self.memory[10 * width : 11 * width]
        self.right_set = self.memory[11 * width : 12 * width]
        self.remembered = self.memory[12 * width : 13 * width]
        self.before = self.memory[13 * width : 14 * width]
        self.after = self.memory[14 * width : 15 * width]
        self.joined = self.memory[15 * width : 16 * width]
        self.set_before = self.memory[16 * width : 17 * width]
        self.items = memoryview(array("i", bytes(4 * width)))
        self.marks = memoryview(array("i", bytes(4 * width)))
        self.flags = memoryview(array("i", bytes(4 * width)))
        self.chart = memoryview(array("i", bytes(4)))
        self.watch = Watch()
        self.steps = 0
        self.reset(0)

    def reset(self, n: int) -> None:
        """Reset the state: the words 1..n have the place BUFFER, but the queue is still empty."""
        self.n = n
        self.depth = 0
        self.front = 0
        self.end = 0
        self.arcs = 0
        for k in range(n + 2):
            self.place[k] = BUFFER
            self.head[k] = NONE
            self.label[k] = NONE
            self.left_arity[k] = 0
            self.right_arity[k] = 0
            self.leftmost[k] = n + 1
            self.rightmost[k] = n + 1
            self.left_set[k] = 0
            self.right_set[k] = 0
            self.remembered[k] = NONE
            self.joined[k] = k
        self.place[n + 1] = GONE

    def copy_from(self, other: "State") -> None:
        """Copy `other`, whose sentence must not be longer than the capacity of this state."""
        self.n = other.n
        self.depth = other.depth
        self.front = other.front
        self.end = other.end
        self.arcs = other.arcs
        for row in range(ROWS):
            here = row * self.width
            there = row * other.width
            for k in range(other.n + 2):
                self.memory[here + k] = other.memory[there + k]

    def s0(self) -> int:
        """Return the top of the stack, or nobody."""
        return self.stack[self.depth - 1] if self.depth > 0 else self.n + 1

    def s1(self) -> int:
        """Return the node below the top, or nobody."""
        return self.stack[self.depth - 2] if self.depth > 1 else self.n + 1

    def b0(self) -> int:
        """Return the front of the buffer, or nobody."""
        return self.queue[self.front] if self.front < self.end else self.n + 1

    def enqueue(self, k: int) -> None:
        self.queue[self.end] = k
        self.end += 1

    def push(self, k: int) -> None:
        self.stack[self.depth] = k
        self.depth += 1
        self.place[k] = STACK

    def shift(self) -> None:
        self.push(self.queue[self.front])
        self.front += 1

    def pop(self) -> None:
        self.depth -= 1
        self.place[self.stack[self.depth]] = GONE

    def arity(self, k: int) -> int:
        """Return the number of dependents that the node has so far."""
        return self.left_arity[k] + self.right_arity[k]

    def add_arc(self, head: int, dependent: int, label: int) -> None:
        self.head[dependent] = head
        self.label[dependent] = label
        self.arcs += 1
        self.insert(head, dependent)
        if dependent < head:
            self.left_arity[head] += 1
            self.set_before[dependent] = self.left_set[head]
            self.left_set[head] |= 1 << (label + 1) % 31
        else:
            self.right_arity[head] += 1
            self.set_before[dependent] = self.right_set[head]
            self.right_set[head] |= 1 << (label + 1) % 31

    def insert(self, head: int, dependent: int) -> None:
        """Keep the dependents on each side in order, outermost first. Most systems add them from the inside out."""
        left = dependent < head
        k = self.leftmost[head] if left else self.rightmost[head]
        outer = self.n + 1
        while k <= self.n and (k < dependent) == left:
            outer = k
            k = self.inner[k]
        self.inner[dependent] = k
        if outer <= self.n:
            self.inner[outer] = dependent
        elif left:
            self.leftmost[head] = dependent
        else:
            self.rightmost[head] = dependent

    def remove_arc(self, dependent: int) -> None:
        """Remove the arc that was added last to this head on this side: its dependent is the outermost one."""
        head = self.head[dependent]
        if dependent < head:
            self.leftmost[head] = self.inner[dependent]
            self.left_arity[head] -= 1
            self.left_set[head] = self.set_before[dependent]
        else:
            self.rightmost[head] = self.inner[dependent]
            self.right_arity[head] -= 1
            self.right_set[head] = self.set_before[dependent]
        self.head[dependent] = NONE
        self.label[dependent] = NONE
        self.arcs -= 1

    def reserve(self, size: int) -> None:
        """Allocate a chart of at least `size` cells, with a reserve for further growth."""
        self.chart = memoryview(array("i", bytes(8 * size)))
