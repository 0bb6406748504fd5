"""The gold tree of an oracle, with the queries that costs need in constant or logarithmic time."""

from array import array

from dodona.transitions.moves import NONE


class Gold:
    """Memory for a tree of up to `capacity` words; `fill` may be called many times."""

    def __init__(self, capacity: int) -> None:
        rows = [memoryview(array("i", bytes(4 * (capacity + 3)))) for _ in range(8)]
        self.head, self.label, self.first, self.child, self.order, self.post, self.component, self.cursor = rows
        self.n = 0

    def fill(self, heads: memoryview, labels: memoryview, offset: int, n: int) -> None:
        """Copy heads[offset:offset + n] and labels likewise; head NONE is an unknown head."""
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
        """Traverse the tree inorder: computes the projective order, a bottom-up order, and whether it is a tree.

        A tree is projective if and only if its inorder traversal visits the words in sentence order. Where heads are
        unknown, the trees of the headless words follow ROOT's tree, one after the other.
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

    def walk(self, top: int, met: int) -> int:
        """Traverse the tree of `top`, with this many words visited before; returns the number after it."""
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
        """Return the leftmost gold dependent of h, or nobody."""
        return self.child[self.first[h]] if self.first[h] < self.first[h + 1] else self.n + 1

    def dependents_from(self, h: int, k: int) -> int:
        """Return the number of gold dependents of h at or after word k (binary search in the sorted dependents)."""
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
        """Return whether h → d is gold but with another label than this one: the term wl(h, d, l)."""
        return self.head[d] == h and self.label[d] != NONE and self.label[d] != label
