"""The gold tree an oracle looks at, with what every cost asks for in constant or logarithmic time."""

from array import array

from dodona.transitions.moves import NONE


class Gold:
    """Room for a tree of up to `capacity` words; `fill` it as often as you like."""

    def __init__(self, capacity: int) -> None:
        def row() -> memoryview:
            return memoryview(array("i", bytes(4 * (capacity + 3))))

        self.head = row()
        self.label = row()
        self.first = row()
        self.child = row()
        self.order = row()
        self.post = row()
        self.component = row()
        self.cursor = row()
        self.n = 0

    def fill(self, heads: memoryview, labels: memoryview, offset: int, n: int) -> None:
        """Take heads[offset:offset + n] and labels likewise; head NONE is a word whose head is not known."""
        self.n = n
        self.head[0] = self.head[n + 1] = n + 1
        self.label[0] = self.label[n + 1] = NONE
        for h in range(n + 3):
            self.first[h] = 0
        for k in range(1, n + 1):
            h = heads[offset + k - 1]
            self.label[k] = labels[offset + k - 1]
            self.head[k] = h if h >= 0 else n + 1
            if h >= 0:
                self.first[h + 1] += 1
        for h in range(n + 2):
            self.first[h + 1] += self.first[h]
        for h in range(n + 1):
            self.cursor[h] = self.first[h]
        for k in range(1, n + 1):
            h = self.head[k]
            if h <= n:
                self.child[self.cursor[h]] = k
                self.cursor[h] += 1
        self.traverse()

    def traverse(self) -> None:
        """Walk the tree inorder: the projective order, a bottom-up order, and whether it is a tree at all.

        A tree is projective exactly if its inorder traversal meets the words in sentence order. Where heads are not
        known, what hangs on the headless words comes after ROOT's tree, one after the other.
        """
        for k in range(self.n + 1):
            self.cursor[k] = self.first[k]
            self.order[k] = NONE
            self.component[k] = k
        met = self.walk(0, 0)
        self.is_tree = met == self.n + 1
        self.is_projective = self.is_tree
        for k in range(1, self.n + 1):
            if self.order[k] != k:
                self.is_projective = False
            if self.head[k] > self.n:
                met = self.walk(k, met)
        self.is_forest = met == self.n + 1

    def walk(self, top: int, met: int) -> int:
        """Everything under `top`, with so many words met before; returns how many after."""
        done = met
        k = top
        while True:
            c = self.cursor[k]
            more = c < self.first[k + 1]
            if more and self.child[c] < k:
                self.cursor[k] = c + 1
                k = self.child[c]
                continue
            if self.order[k] == NONE:
                self.order[k] = met
                met += 1
            if more:
                self.cursor[k] = c + 1
                k = self.child[c]
                continue
            self.post[done] = k
            done += 1
            if k == top:
                return met
            k = self.head[k]

    def arity(self, h: int) -> int:
        return self.first[h + 1] - self.first[h]

    def leftmost(self, h: int) -> int:
        """The leftmost gold dependent of h, or nobody."""
        return self.child[self.first[h]] if self.first[h] < self.first[h + 1] else self.n + 1

    def dependents_from(self, h: int, k: int) -> int:
        """How many gold dependents of h are at or after word k (binary search in the sorted children)."""
        low = self.first[h]
        end = high = self.first[h + 1]
        while low < high:
            middle = (low + high) >> 1
            if self.child[middle] < k:
                low = middle + 1
            else:
                high = middle
        return end - low

    def wrong_label(self, h: int, d: int, label: int) -> bool:
        """Whether h → d is gold but with another label than this one: the term wl(h, d, l)."""
        return self.head[d] == h and self.label[d] != NONE and self.label[d] != label
