"""A bidirectional LSTM over the words of sentences, quantized to 8 bits: the same numbers on any machine.

Sums of products are integers, so their order does not matter. Scaling and gates are single float operations in a fixed
order, one number at a time. So what a sentence gets depends neither on the other sentences of the batch nor on the
kernel, the version of the innermost loops that the processor can run (see kernels.h).
"""

import os

import numpy as np

cimport cython
from libc.stdint cimport int8_t, int32_t
from libc.string cimport memset

from dodona.errors import DodonaError
from dodona.transitions.watch cimport Watch

cdef extern from "rows.h" nogil:
    void* dodona_allocate(size_t size)
    void dodona_free(void* memory)

cdef extern from "products.h" nogil:
    int STRIP "DODONA_STRIP"            # outputs are padded to a multiple of this
    int DEPTH "DODONA_DEPTH"            # and inputs of this
    ctypedef struct PackedMatrix "dodona_matrix":
        int kernel
        int inputs
        int depth
        int outputs
        void* weights
        int32_t* start
    bint dodona_can_run(int kernel)
    bint dodona_has_bfloat16()
    int cell_size "dodona_cell_size" (int kernel)
    void dodona_pack(const PackedMatrix* matrix, int output, const int8_t* weights)
    void prepare "dodona_prepare" (const PackedMatrix* matrix, const int8_t* row, void* prepared)
    void product "dodona_product" (const PackedMatrix* matrix, const void* prepared, int m, int32_t* sums)

cdef extern from "gates.h" nogil:
    ctypedef struct Scales "dodona_scales":
        const float* input_scales
        const float* recurrent_scales
        const float* bias
    void dodona_cells(
        int kernel, size_t width, size_t count, const Scales* scales, const int32_t* inputs, int32_t* recurrent,
        float* cells, int8_t* outputs
    )
    void dodona_quantize(int kernel, size_t n, const float* values, float inverse, int8_t* outputs)
    void dodona_scale(int kernel, size_t n, const int32_t* sums, const float* scales, const float* bias, float* outputs)

KERNELS = ("portable", "avx2", "avx512vnni")  # by number, the fastest last
VARIABLE = "DODONA_KERNEL"  # of the environment
PRECISION = "DODONA_PRECISION"  # likewise
MAX_INPUTS = 100_000  # with more, a sum of products might not fit 32 bits
STATE_SCALE = np.float32(1) / np.float32(127)  # outputs of a layer are between -1 and 1

cdef enum:  # the sizes of workspaces
    MAX_SENTENCES = 256  # at a time
    MAX_ROWS = 512  # words at a time whose products with the input weights are kept; not less than sentences
    DENSE_ROWS = 48  # rows at a time


def quantize(matrix):
    """Return (weights, scales) of a matrix [inputs, outputs] of floats, as a model has them: int8 [outputs * inputs],
    output by output, and float32 [outputs].

    Each output has its own scale, chosen so that its largest weight is 127 or -127: a weight is off by half a scale at
    most. An output without any weight has the scale 1.
    """
    if matrix.ndim != 2:
        raise ValueError(f"expected a matrix [inputs, outputs], found {matrix.ndim} dimensions")
    if not np.isfinite(matrix).all():
        raise ValueError("expected finite weights, found one that is not")
    rows = np.ascontiguousarray(matrix.T, dtype=np.float64)
    scales = (np.abs(rows).max(axis=1, initial=0.0) / 127).astype(np.float32)
    scales[scales == 0] = 1
    numbers = np.clip(np.rint(rows / scales[:, None].astype(np.float64)), -127, 127)
    return numbers.astype(np.int8).reshape(-1), scales


def kernels():
    """Return the names of the kernels that this machine can run, the fastest first."""
    return [name for number, name in reversed(list(enumerate(KERNELS))) if dodona_can_run(number)]


def trains_in_16_bits():
    """Return whether factors have 16 bits (bfloat16) in the training of networks, and sums 32: as DODONA_PRECISION
    says, or where this processor has instructions for it."""
    bits = os.environ.get(PRECISION)
    if bits not in (None, "", "16", "32"):
        raise DodonaError(f"{PRECISION}={bits}: expected 16 or 32 bits")
    return bits == "16" if bits else bool(dodona_has_bfloat16())


def kernel_number(kernel):
    """Return the number of this kernel; else of the one that DODONA_KERNEL names, else of the fastest one."""
    possible = kernels()
    if kernel is None:
        kernel = os.environ.get(VARIABLE) or possible[0]
        if kernel not in possible:
            known = ", ".join(possible)
            raise DodonaError(f"{VARIABLE}={kernel}: expected a kernel that this machine can run: {known}")
    if kernel not in possible:
        raise ValueError(f"expected a kernel that this machine can run ({', '.join(possible)}), found {kernel!r}")
    return KERNELS.index(kernel)


cdef inline int round_up(int number, int unit) noexcept nogil:
    return (number + unit - 1) // unit * unit


@cython.final
cdef class AlignedMemory:
    cdef char* data                     # zeroed, aligned to a cache line

    def __cinit__(self, size_t size):
        self.data = <char*> dodona_allocate(size)
        if self.data == NULL:
            raise MemoryError

    def __dealloc__(self):
        dodona_free(self.data)


@cython.final
cdef class Matrix:
    """Weights [outputs, inputs] packed for a kernel. The outputs are in `parts` of the same size, each padded."""

    cdef PackedMatrix packed
    cdef AlignedMemory weights, start   # what `packed` points to

    def __init__(self, const int8_t[::1] weights, int inputs, int parts, int kernel):
        cdef int outputs = weights.shape[0] // inputs, size = outputs // parts, n
        cdef Py_ssize_t cells
        self.packed.kernel = kernel
        self.packed.inputs = inputs
        self.packed.depth = round_up(inputs, DEPTH)
        self.packed.outputs = parts * round_up(size, STRIP)
        cells = <Py_ssize_t> self.packed.outputs * self.packed.depth
        self.weights = AlignedMemory(cells * cell_size(kernel))
        self.start = AlignedMemory(self.packed.outputs * sizeof(int32_t))
        self.packed.weights = self.weights.data
        self.packed.start = <int32_t*> self.start.data
        for n in range(outputs):
            dodona_pack(&self.packed, n // size * round_up(size, STRIP) + n % size, &weights[<Py_ssize_t> n * inputs])


def _pad_parts(array, parts):
    """Return the numbers of each gate, or of the one part, padded with zeros to whole strips."""
    size = len(array) // parts
    whole = np.zeros((parts, round_up(size, STRIP)), np.float32)
    whole[:, :size] = array.reshape(parts, size)
    return whole.reshape(-1)


@cython.final
cdef class Direction:
    """The weights of one direction of one layer; its scales are those of the weights times that of the inputs."""

    cdef Matrix input, recurrent
    cdef Scales scales
    cdef tuple arrays                   # what `scales` points to

    def __init__(self, arrays, prefix, inputs, width, input_scale, int kernel):
        def get(part, dtype, size):
            return check_array(f"{prefix}.{part}", arrays.get(f"{prefix}.{part}"), dtype, size)

        self.input = Matrix(get("input", np.int8, 4 * width * inputs), inputs, 4, kernel)
        self.recurrent = Matrix(get("recurrent", np.int8, 4 * width * width), width, 4, kernel)
        with np.errstate(all="ignore"):
            input_scales = get("input_scales", np.float32, 4 * width) * input_scale
            recurrent_scales = get("recurrent_scales", np.float32, 4 * width) * STATE_SCALE
        bias = get("bias", np.float32, 4 * width)
        self.arrays = tuple(_pad_parts(array, 4) for array in (input_scales, recurrent_scales, bias))
        cdef const float[::1] first = self.arrays[0], second = self.arrays[1], third = self.arrays[2]
        self.scales.input_scales, self.scales.recurrent_scales, self.scales.bias = &first[0], &second[0], &third[0]


@cython.final
cdef class Network:
    """The weights of all layers, packed for a kernel. It does not change: threads share it."""

    cdef readonly int inputs, width, layers
    cdef readonly str kernel
    cdef int kernel_number
    cdef float inverse_scale            # of the inputs
    cdef list directions                # forward and backward of the first layer, then of the next

    def __init__(self, arrays, *, inputs, width, layers, kernel=None):
        check_size("inputs", inputs, MAX_INPUTS)
        check_size("width", width, MAX_INPUTS // 2)
        check_size("layers", layers, 1000)
        self.inputs, self.width, self.layers = inputs, width, layers
        self.kernel_number = kernel_number(kernel)
        self.kernel = KERNELS[self.kernel_number]
        (scale,) = check_array("input.scale", arrays.get("input.scale"), np.float32, 1)
        if scale <= 0:
            raise ValueError(f"input.scale: expected a positive number, found {scale}")
        with np.errstate(all="ignore"):
            self.inverse_scale = np.float32(1) / scale
        self.directions = []
        for layer in range(layers):
            for name in ("forward", "backward"):
                prefix = f"layer{layer}.{name}"
                ins, factor = (2 * width, STATE_SCALE) if layer else (inputs, scale)
                self.directions.append(Direction(arrays, prefix, ins, width, factor, self.kernel_number))


@cython.final
cdef class Encoder:
    """Encodes sentences with a network. It has the workspace: one for each thread."""

    cdef readonly Network network
    cdef AlignedMemory inputs           # prepared rows: the inputs of several time steps, one sentence after the other
    cdef AlignedMemory input_sums       # of their products
    cdef AlignedMemory states           # prepared rows: the outputs of the step before
    cdef AlignedMemory recurrent_sums   # of their products
    cdef AlignedMemory cells
    cdef Watch watch

    def __init__(self, Network network not None):
        cdef Py_ssize_t deepest = max(round_up(network.inputs, DEPTH), round_up(2 * network.width, DEPTH))
        cdef Py_ssize_t width = round_up(network.width, STRIP), cell = cell_size(network.kernel_number)
        self.network = network
        self.watch = Watch()
        self.inputs = AlignedMemory(MAX_ROWS * deepest * cell)
        self.input_sums = AlignedMemory(MAX_ROWS * 4 * width * sizeof(int32_t))
        self.states = AlignedMemory(MAX_SENTENCES * round_up(network.width, DEPTH) * cell)
        self.recurrent_sums = AlignedMemory(MAX_SENTENCES * 4 * width * sizeof(int32_t))
        self.cells = AlignedMemory(MAX_SENTENCES * width * sizeof(float))

    def encode(self, x, lengths):
        """Return the outputs of every layer, int8 [words, 2 * width] each, first forward and then backward.

        `x` float32 [words, inputs] has the words of all sentences one after the other; `lengths` int32 says how many
        words each has.
        """
        cdef Network network = self.network
        _check_batch(x, lengths, network.inputs)
        order = np.argsort(-lengths, kind="stable")[: np.count_nonzero(lengths)]
        cdef const int32_t[::1] sizes = lengths[order]
        cdef const Py_ssize_t[::1] begins = (np.cumsum(lengths, dtype=np.intp) - lengths)[order]
        cdef const float[:, ::1] values = np.ascontiguousarray(x)
        cdef int8_t[:, ::1] inputs = np.empty(x.shape, np.int8), outputs
        cdef Py_ssize_t first, words = x.shape[0], sentences = len(order)
        cdef Direction forward, backward
        cdef int count, width = network.width
        if words:
            with nogil:
                dodona_quantize(
                    network.kernel_number, words * network.inputs, &values[0, 0], network.inverse_scale, &inputs[0, 0]
                )
        layers = []
        for layer in range(network.layers):
            forward = network.directions[2 * layer]
            backward = network.directions[2 * layer + 1]
            layers.append(np.empty((words, 2 * width), np.int8))
            outputs = layers[layer]
            with nogil:
                first = 0
                while first < sentences:
                    count = min(<Py_ssize_t> MAX_SENTENCES, sentences - first)
                    self.run(forward, False, &inputs[0, 0], &begins[first], &sizes[first], count, &outputs[0, 0])
                    self.run(backward, True, &inputs[0, 0], &begins[first], &sizes[first], count, &outputs[0, width])
                    first += count
            inputs = outputs
        return layers

    cdef int run(
        self, Direction direction, bint backward, const int8_t* inputs, const Py_ssize_t* begins,
        const int32_t* lengths, int sentences, int8_t* outputs
    ) except -1 nogil:
        """Run one direction over these sentences, the longest first: all that are not at their end take a step at once.

        The products with the input weights, which do not depend on the steps before, are computed for several steps.
        """
        cdef const PackedMatrix* matrix = &direction.input.packed
        cdef Py_ssize_t row = <Py_ssize_t> matrix.depth * cell_size(matrix.kernel), word
        cdef Py_ssize_t columns = matrix.outputs
        cdef int32_t* sums = <int32_t*> self.input_sums.data
        cdef int begin = 0, end, time, rows, active = sentences, left, i
        memset(self.cells.data, 0, sentences * (matrix.outputs // 4) * sizeof(float))
        while begin < lengths[0]:
            rows, end, left = 0, begin, active
            while end < lengths[0]:
                while lengths[left - 1] <= end:
                    left -= 1
                if rows + left > MAX_ROWS:
                    break
                for i in range(left):
                    word = begins[i] + (lengths[i] - 1 - end if backward else end)
                    prepare(matrix, inputs + word * matrix.inputs, self.inputs.data + (rows + i) * row)
                rows += left
                end += 1
            product(matrix, self.inputs.data, rows, sums)
            rows = 0
            for time in range(begin, end):
                while lengths[active - 1] <= time:
                    active -= 1
                self.step(direction, backward, time, sums + rows * columns, begins, lengths, active, outputs)
                rows += active
            begin = end
            self.watch.report(32 * <long long> rows * matrix.outputs)
        return 0

    cdef void step(
        self, Direction direction, bint backward, int time, const int32_t* sums, const Py_ssize_t* begins,
        const int32_t* lengths, int active, int8_t* outputs
    ) noexcept nogil:
        """One time step of the first `active` sentences; `sums` are the products of their inputs."""
        cdef const PackedMatrix* matrix = &direction.recurrent.packed
        cdef Py_ssize_t row = <Py_ssize_t> matrix.depth * cell_size(matrix.kernel), i, word
        cdef Py_ssize_t columns = matrix.outputs
        cdef int width = matrix.outputs // 4, count = matrix.inputs
        cdef int32_t* recurrent = <int32_t*> self.recurrent_sums.data
        cdef float* cells = <float*> self.cells.data
        cdef int8_t* output
        if time == 0:
            memset(recurrent, 0, active * columns * sizeof(int32_t))
        else:
            product(matrix, self.states.data, active, recurrent)
        for i in range(active):
            word = begins[i] + (lengths[i] - 1 - time if backward else time)
            output = outputs + word * 2 * count
            dodona_cells(
                matrix.kernel, width, count, &direction.scales, sums + i * columns, recurrent + i * columns,
                cells + i * width, output
            )
            prepare(matrix, output, self.states.data + i * row)


def _check_batch(x, lengths, int inputs):
    for name, array, dtype, dimensions in (("x", x, np.float32, 2), ("lengths", lengths, np.int32, 1)):
        if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != dimensions:
            raise ValueError(f"{name}: expected an array {np.dtype(dtype)} of {dimensions} dimensions, found {array!r}")
    if x.shape[1] != inputs:
        raise ValueError(f"x: expected {inputs} columns, found {x.shape[1]}")
    if (lengths < 0).any() or lengths.sum(dtype=np.int64) != len(x):
        raise ValueError(f"lengths: expected numbers from 0 whose sum is {len(x)}, found {lengths.sum(dtype=np.int64)}")


@cython.final
cdef class Dense:
    """One layer of weights over the outputs of an encoder. It does not change: threads share it."""

    cdef readonly int inputs, outputs
    cdef readonly str kernel
    cdef Matrix matrix
    cdef const float[::1] scales, bias

    def __init__(self, weights, scales, bias, inputs, kernel=None):
        check_size("inputs", inputs, MAX_INPUTS)
        if not isinstance(scales, np.ndarray):
            raise ValueError(f"scales: expected an array float32, found {type(scales).__name__}")
        outputs = scales.size
        check_size("outputs", outputs, 10_000_000)
        self.inputs, self.outputs = inputs, outputs
        cdef int number = kernel_number(kernel)
        self.kernel = KERNELS[number]
        self.scales = check_array("scales", scales, np.float32, outputs) * STATE_SCALE
        self.bias = check_array("bias", bias, np.float32, outputs).copy()
        self.matrix = Matrix(check_array("weights", weights, np.int8, outputs * inputs), inputs, 1, number)

    def apply(self, values):
        """Return float32 [m, outputs] for the rows of `values`, int8 [m, inputs] with the scale 1 / 127."""
        if not isinstance(values, np.ndarray) or values.dtype != np.int8 or values.shape[1:] != (self.inputs,):
            raise ValueError(f"values: expected an array int8 [any, {self.inputs}], found {values!r}")
        results = np.empty((len(values), self.outputs), np.float32)
        cdef const int8_t[:, ::1] rows = np.ascontiguousarray(values)
        cdef float[:, ::1] view = results
        cdef const PackedMatrix* matrix = &self.matrix.packed
        cdef AlignedMemory prepared = AlignedMemory(<size_t> DENSE_ROWS * matrix.depth * cell_size(matrix.kernel))
        cdef AlignedMemory sums = AlignedMemory(<size_t> DENSE_ROWS * matrix.outputs * sizeof(int32_t))
        cdef Py_ssize_t row = <Py_ssize_t> matrix.depth * cell_size(matrix.kernel), first = 0, m = rows.shape[0]
        cdef int i, count
        with nogil:
            while first < m:
                count = min(<Py_ssize_t> DENSE_ROWS, m - first)
                for i in range(count):
                    prepare(matrix, &rows[first + i, 0], prepared.data + i * row)
                product(matrix, prepared.data, count, <int32_t*> sums.data)
                for i in range(count):
                    dodona_scale(
                        matrix.kernel, self.outputs, <int32_t*> sums.data + <Py_ssize_t> i * matrix.outputs,
                        &self.scales[0], &self.bias[0], &view[first + i, 0]
                    )
                first += count
        return results


def check_array(name, array, dtype, size):
    """Return the array if it is as a model must have it: one-dimensional, of this type and size, all finite."""
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != (size,):
        other = f"{array.dtype} {list(array.shape)}" if isinstance(array, np.ndarray) else type(array).__name__
        raise ValueError(f"{name}: expected an array {np.dtype(dtype)} [{size}], found {other}")
    if dtype == np.float32 and not np.isfinite(array).all():
        raise ValueError(f"{name}: expected finite numbers, found {array[~np.isfinite(array)][0]}")
    return np.ascontiguousarray(array)


def check_size(name, value, most):
    if not 1 <= value <= most:
        raise ValueError(f"{name}: expected a number from 1 to {most}, found {value}")


def run_step(kernel, const int32_t[::1] inputs, const int32_t[::1] recurrent, scales, cells):
    """Return (cells, outputs) after one time step, from the sums of products of the four gates, for tests.

    `scales` are those of the inputs, those of the recurrent inputs, and the bias.
    """
    cdef const float[::1] first = scales[0], second = scales[1], third = scales[2]
    cdef Scales all_scales
    cdef int width = len(cells)
    if any(len(array) != 4 * width for array in (inputs, recurrent, *scales)) or width == 0:
        raise ValueError("expected four numbers for each cell")
    after, outputs = np.array(cells, np.float32), np.empty(width, np.int8)
    cdef float[::1] cell_view = after
    cdef int8_t[::1] output_view = outputs
    cdef int32_t[::1] work = np.array(recurrent)
    all_scales.input_scales, all_scales.recurrent_scales, all_scales.bias = &first[0], &second[0], &third[0]
    dodona_cells(
        kernel_number(kernel), width, width, &all_scales, &inputs[0], &work[0], &cell_view[0], &output_view[0]
    )
    return after, outputs
