#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds block formats against block_oracle.py, and where it is installed against torchao: codes and scales, bit for bit.

Run by hand; no test runs it (needs numpy; torchao for its own column):

    cmake --build build/release --target block_probe
    tests/golden/compare_blocks.py build/release/tests/libblock_probe.so [--blocks 1e8] [--only nvfp4:te ...] [--rules floor ...] [--torchao] [--speed]

A line for each format and rule or dialect: blocks and numbers compared, codes and scales that differ. Exit code 1 where any does.
Kinds of data take turns, a chunk each: normal, normal rounded to bf16, log-normal, tied (numbers halfway between two elements), subnormal,
near the largest fp32, any bits, and blocks of zeros, with Inf and with NaN between ordinary ones. A chunk is a tensor of its own, so each
has another factor in NVFP4. --torchao compares fewer, ordinary chunks, and says what it leaves out.
"""
import argparse
import ctypes
import sys
import time
import warnings

import numpy
from numpy import float32, int64, uint8, uint32

import block_oracle as oracle

KINDS = ["normal", "bf16", "log-normal", "tied", "subnormal", "maximum", "any bits", "special"]
CHUNK = 1024  # blocks: what is computed of them stays in the cache


class Probe:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.probeTensorScale.restype = ctypes.c_float
        self.library.probeSeconds.restype = ctypes.c_double

    @staticmethod
    def pointer(array):
        return array.ctypes.data_as(ctypes.c_void_p)

    def tensor_scale(self, name, variant, values):
        return float32(self.library.probeTensorScale(name.encode(), variant.encode(), self.pointer(values), ctypes.c_int64(values.size)))

    def quantize(self, name, variant, values, block, S):
        """values: a matrix; codes of its shape, and the matrix of scales."""
        rows, cols = values.shape
        codes = numpy.empty(values.shape, uint8)
        scales = numpy.empty((-(-rows // block[0]), -(-cols // block[1])), float32 if variant == "fp32" else uint8)
        self.library.probeQuantize(name.encode(), variant.encode(), *map(ctypes.c_int64, (rows, cols, *block)), self.pointer(values),
                                   ctypes.c_float(S), self.pointer(codes), self.pointer(scales))
        return codes, scales

    def dequantize(self, name, variant, codes, scales, block, S):
        values = numpy.empty(codes.shape, float32)
        self.library.probeDequantize(name.encode(), variant.encode(), *map(ctypes.c_int64, (*codes.shape, *block)), self.pointer(codes),
                                     self.pointer(scales), ctypes.c_float(S), self.pointer(values))
        return values

    def seconds(self, work, name, variant, values, block, times=15):
        return self.library.probeSeconds(work.encode(), name.encode(), variant.encode(), *map(ctypes.c_int64, (*values.shape, *block)),
                                         self.pointer(values), ctypes.c_int(times))


class Data:
    """Chunks of blocks; other ones for each seed and number. Normal numbers are drawn once and then scaled and shifted, block by block."""

    def __init__(self, size, seed):
        self.size, self.random = size, numpy.random.Generator(numpy.random.SFC64(seed))
        self.pool = self.random.standard_normal(1 << 22, dtype=float32)

    def normal(self):
        first = int(self.random.integers(0, self.pool.size - CHUNK * self.size))
        factors = numpy.exp2(self.random.uniform(-20, 20, (CHUNK, 1)).astype(float32))
        return self.pool[first:first + CHUNK * self.size].reshape(CHUNK, self.size) * factors

    def bits(self, low=0, high=2**32):
        return self.random.integers(low, high, (CHUNK, self.size), dtype=uint32, endpoint=False)

    def tied(self, name):
        """Each block has the format's largest number, which makes the scale a power of two, and middles between neighbours."""
        exponent_bits, mantissa_bits, largest = oracle.MX[name if name in oracle.MX else "mxfp4"]
        grid = oracle.element_values(exponent_bits, mantissa_bits)[:1 << (exponent_bits + mantissa_bits)].astype(numpy.float64)
        grid = grid[grid <= largest]
        middles = numpy.concatenate([(grid[1:] + grid[:-1]) / 2, grid]).astype(float32)
        signs = numpy.where(self.bits(0, 2) == 0, float32(1), float32(-1))
        blocks = middles[self.random.integers(0, middles.size, (CHUNK, self.size))] * signs
        blocks[:, int(self.random.integers(0, self.size))] = largest
        return blocks * numpy.exp2(self.random.integers(-30, 30, (CHUNK, 1)).astype(float32))

    def chunk(self, kind, name):
        with numpy.errstate(over="ignore"):
            if kind == "normal":
                return self.normal()
            if kind == "bf16":
                bits = self.normal().view(uint32)
                return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(uint32).view(float32)
            if kind == "log-normal":
                return numpy.exp(float32(2) * self.normal().clip(-30, 30)).astype(float32) * numpy.where(self.bits(0, 2) == 0, float32(1), float32(-1))
            if kind == "tied":
                return self.tied(name)
            if kind == "subnormal":
                return (self.bits(0, 1 << int(self.random.integers(10, 28))) | self.bits(0, 2) << 31).view(float32)
            if kind == "maximum":
                return (self.bits(0x7F000000, 0x7F800000) | self.bits(0, 2) << 31).view(float32)
            if kind == "any bits":
                return self.bits().view(float32)
            blocks = self.normal()
            blocks[::3] = 0
            blocks[::6, ::2] = -0.0
            blocks[1::16, 3] = numpy.inf
            blocks[5::16, 4] = -numpy.inf
            blocks[7::16, 5] = numpy.nan
            blocks[8::24] *= float32(1e-30)
            return blocks


def tensor_amax(blocks):
    magnitudes = numpy.abs(blocks)
    return numpy.where(numpy.isnan(magnitudes), float32(0), magnitudes).max()


def different(scales, expected):
    """Codes, or fp32 numbers by their bits; NaN has one."""
    scales, expected = scales.reshape(-1), expected.reshape(-1)
    if scales.dtype != float32:
        return scales != expected
    return (scales.view(uint32) != expected.view(uint32)) & ~((scales.view(uint32) == 0x7FC00000) & numpy.isnan(expected))


class Count:
    def __init__(self):
        self.blocks = self.numbers = self.codes = self.scales = self.values = 0
        self.first = None

    def add(self, blocks, own, expected):
        (codes, scales), (expected_codes, expected_scales) = own, expected
        self.blocks += expected_scales.size
        self.numbers += codes.size
        if not numpy.array_equal(codes.reshape(-1), expected_codes.reshape(-1)) or different(scales, expected_scales).any():
            wrong = (codes.reshape(blocks.shape) != expected_codes.reshape(blocks.shape))
            self.codes += int(wrong.sum())
            wrong_scales = different(scales, expected_scales)
            self.scales += int(wrong_scales.sum())
            if self.first is None:
                bad = int(numpy.flatnonzero(wrong.any(axis=1) | wrong_scales)[0])
                spot = int(numpy.argmax(wrong[bad]))
                self.first = (f"{blocks[bad][spot]!r} of the largest {numpy.abs(blocks[bad]).max()!r}: code {codes.reshape(blocks.shape)[bad][spot]},"
                              f" expected {expected_codes.reshape(blocks.shape)[bad][spot]};"
                              f" scale {scales.reshape(-1)[bad]}, expected {expected_scales.reshape(-1)[bad]}")

    def add_values(self, own, expected):
        same = (own.view(uint32) == expected.view(uint32)) | (numpy.isnan(own) & numpy.isnan(expected))
        self.values += int((~same).sum())

    def line(self, label):
        return f"{label}: {self.blocks} blocks, {self.numbers} numbers; codes that differ {self.codes}, scales {self.scales}, numbers read back {self.values}"


def compare_mx(probe, name, rules, blocks_wanted, seed):
    """All rules at once: next to floor's scale theirs is the same or the next one, so that elements are rounded by the oracle twice."""
    data, counts = Data(oracle.BLOCK_SIZES[name], seed), {rule: Count() for rule in rules}
    shape = (1, data.size)
    exponent_bits, mantissa_bits, largest = oracle.MX[name]
    number = 0
    while counts[rules[0]].blocks < blocks_wanted:
        blocks = numpy.ascontiguousarray(data.chunk(KINDS[number % len(KINDS)], name))
        amax = oracle.amax_of(blocks)
        finite = numpy.isfinite(amax)
        base = oracle.mx_scale_codes("floor", largest, numpy.where(finite, amax, float32(1))).astype(numpy.int32)
        both = []
        with numpy.errstate(over="ignore", invalid="ignore"):
            for step in (0, 1):
                scaled = blocks * numpy.ldexp(float32(1), 127 - base - step).astype(float32)[:, None]
                scaled[~finite] = 0
                both.append(oracle.element_codes(scaled, exponent_bits, mantissa_bits, largest))
        for rule in rules:
            scales = oracle.mx_scale_codes(rule, largest, amax)
            step = scales.astype(numpy.int32) - base
            codes = numpy.where((step == 1)[:, None], both[1], both[0])
            others = ~finite | ((step != 0) & (step != 1))
            if others.any():
                codes[others] = oracle.quantize_mx(name, rule, blocks[others])[0]
            own = probe.quantize(name, rule, blocks, shape, 1)
            counts[rule].add(blocks, own, (codes, scales))
            if number % 64 < len(KINDS):
                counts[rule].add_values(probe.dequantize(name, rule, *own, shape, 1), oracle.dequantize_mx(name, codes, scales))
        number += 1
    return counts


def compare_fp32(probe, name, blocks_wanted, seed):
    data, count, number = Data(oracle.BLOCK_SIZES[name], seed), Count(), 0
    shape = (1, data.size)
    while count.blocks < blocks_wanted:
        blocks = numpy.ascontiguousarray(data.chunk(KINDS[number % len(KINDS)], name))
        own = probe.quantize(name, "fp32", blocks, shape, 1)
        count.add(blocks, own, oracle.quantize_fp32(name, blocks))
        if number % 64 < len(KINDS):
            count.add_values(probe.dequantize(name, "fp32", *own, shape, 1), oracle.dequantize_mx(name, own[0], own[1].reshape(-1)))
        number += 1
    return count


def compare_nvfp4(probe, dialect, blocks_wanted, seed):
    data, count, number = Data(16, seed), Count(), 0
    while count.blocks < blocks_wanted:
        blocks = numpy.ascontiguousarray(data.chunk(KINDS[number % len(KINDS)], "nvfp4"))
        S = oracle.tensor_scale(dialect, tensor_amax(blocks))
        own_S = probe.tensor_scale("nvfp4", dialect, blocks)
        count.scales += int(S.tobytes() != own_S.tobytes())
        own = probe.quantize("nvfp4", dialect, blocks, (1, 16), own_S)
        count.add(blocks, own, oracle.quantize_nvfp4(dialect, S, blocks))
        if number % 64 < len(KINDS):
            count.add_values(probe.dequantize("nvfp4", dialect, *own, (1, 16), S), oracle.dequantize_nvfp4(dialect, S, own[0], own[1].reshape(-1)))
        number += 1
    return count


def compare_shapes(probe, name, variant, blocks_wanted, seed):
    """Columns and squares: the oracle gets a transposed matrix, or blocks that were cut out of it."""
    size = oracle.BLOCK_SIZES[name]
    data, columns, squares, number = Data(size, seed), Count(), Count(), 0
    while squares.blocks < blocks_wanted:
        matrix = numpy.ascontiguousarray(data.chunk(KINDS[number % len(KINDS)], name).reshape(size * 8, -1))
        number += 1
        S = oracle.tensor_scale(variant, tensor_amax(matrix)) if size == 16 else float32(1)
        quantize = (lambda b: oracle.quantize_nvfp4(variant, S, b)) if size == 16 else (lambda b: oracle.quantize_mx(name, variant, b))
        blocks = numpy.ascontiguousarray(matrix.T).reshape(-1, size)
        codes, scales = probe.quantize(name, variant, matrix, (size, 1), S)
        columns.add(blocks, (numpy.ascontiguousarray(codes.T), numpy.ascontiguousarray(scales.T)), quantize(blocks))
        rows, cols = matrix.shape
        cut = lambda m: numpy.ascontiguousarray(m.reshape(rows // size, size, cols // size, size).swapaxes(1, 2)).reshape(-1, size * size)
        codes, scales = probe.quantize(name, variant, matrix, (size, size), S)
        squares.add(cut(matrix), (cut(codes), scales), quantize(cut(matrix)))
    return columns, squares


def torchao_columns(probe, blocks_wanted, seed):
    """torchao's own functions on the CPU. Left out of MX: blocks with Inf (this torchao gives them a finite scale), elements of scale
    2^-127 (it multiplies by another number there), and under rceil scales where its log2 in fp32 is not exact (counted beside)."""
    warnings.simplefilter("ignore")
    import torch
    import torchao
    from torchao.prototype.mx_formats.config import ScaleCalculationMode
    from torchao.prototype.mx_formats.kernels import f32_to_f4_unpacked, unpack_uint4
    from torchao.prototype.mx_formats.mx_tensor import to_mx
    from torchao.prototype.mx_formats.nvfp4_tensor import nvfp4_quantize, per_tensor_amax_to_scale
    torch.set_num_threads(1)
    print(f"torchao {torchao.__version__}, torch {torch.__version__}, numpy {numpy.__version__}", flush=True)
    lines, bad = [], 0
    types = {"mxfp8_e4m3": torch.float8_e4m3fn, "mxfp8_e5m2": torch.float8_e5m2, "mxfp6_e2m3": "fp6_e2m3", "mxfp6_e3m2": "fp6_e3m2",
             "mxfp4": torch.float4_e2m1fn_x2}
    for name, dtype in types.items():
        for rule in ("floor", "rceil", "ceil", "even"):
            data, count, number, left, logs = Data(32, seed), Count(), 0, 0, 0
            while count.blocks < blocks_wanted:
                blocks = numpy.ascontiguousarray(data.chunk(KINDS[number % len(KINDS)], name))
                number += 1
                scales, elements = to_mx(torch.from_numpy(blocks), dtype, 32, ScaleCalculationMode(rule))
                if name == "mxfp4":
                    elements = unpack_uint4(elements)
                elements, scales = elements.view(torch.uint8).numpy().reshape(blocks.shape), scales.view(torch.uint8).numpy().reshape(-1)
                codes, own_scales = probe.quantize(name, rule, blocks, (1, 32), 1)
                own_scales = own_scales.reshape(-1)
                has_inf = numpy.isinf(oracle.amax_of(blocks))
                is_nan = own_scales == 0xFF
                other_log = (rule == "rceil") & (own_scales.astype(int) - scales == 1) & ~is_nan
                left += int(has_inf.sum())
                logs += int(other_log.sum())
                kept = ~has_inf & ~other_log
                comparable = kept & ~is_nan & (own_scales != 0)
                elements = numpy.where(comparable[:, None], elements, codes)
                count.add(blocks[kept], (codes[kept], own_scales[kept]), (elements[kept], scales[kept]))
            lines.append(count.line(f"torchao {name} {rule}") + f"; left out {left} blocks with Inf, {logs} whose log2 is not exact")
            print(lines[-1], flush=True)
            bad += count.codes + count.scales

    def te(S, blocks):
        """Transformer Engine's order with PyTorch's arithmetic and casts, and torchao's cast to e2m1."""
        x, one = torch.from_numpy(blocks), torch.tensor(1.0)
        S = torch.tensor(S)
        scale = (x.abs().amax(1) * (S * (1.0 / 6.0))).clamp(max=448.0).to(torch.float8_e4m3fn)
        factor = (one / (scale.float() * (one / S))).clamp(max=torch.finfo(torch.float32).max)
        return scale.view(torch.uint8).numpy(), f32_to_f4_unpacked((x * factor[:, None]).clamp(-6.0, 6.0)).numpy()

    def inference(S, blocks):
        scale, packed = nvfp4_quantize(torch.from_numpy(blocks), 16, torch.tensor(S))
        return scale.view(torch.uint8).numpy().reshape(-1), unpack_uint4(packed).numpy().reshape(blocks.shape)

    for dialect, theirs in (("te", te), ("torchao-inference", inference)):
        data, count, number = Data(16, seed), Count(), 0
        while count.blocks < blocks_wanted:
            blocks = numpy.ascontiguousarray(data.chunk(KINDS[number % len(KINDS)], "nvfp4"))
            number += 1
            S = probe.tensor_scale("nvfp4", dialect, blocks)
            scales, elements = theirs(S, blocks)
            codes, own_scales = probe.quantize("nvfp4", dialect, blocks, (1, 16), S)
            own_scales = own_scales.reshape(-1)
            with numpy.errstate(all="ignore"):
                is_nan = own_scales == 0x7F
                scales = numpy.where(is_nan & (scales & 0x7F == 0x7F), own_scales, scales)
                undefined = is_nan[:, None] | (numpy.isnan(blocks * (float32(1) / S / oracle.e4m3_values(own_scales))[:, None]) if dialect != "te" else False)
            count.add(blocks, (codes, own_scales), (numpy.where(undefined, codes, elements), scales))
        lines.append(count.line(f"torchao nvfp4 {dialect}") + "; codes of NaN left out")
        print(lines[-1], flush=True)
        bad += count.codes + count.scales
    return bad


def print_orders(probe):
    """How many codes and scales of other orders differ from te's. Each seed is a tensor of 2^20 numbers rounded to bf16, with another S."""
    for kind in ("normal", "log-normal"):
        shares = {dialect: [] for dialect in ("exact", "torchao-inference")}
        for seed in range(16):
            random = numpy.random.Generator(numpy.random.SFC64(seed))
            x = random.standard_normal((1 << 16, 16), dtype=float32)
            if kind == "log-normal":
                x = (numpy.exp(3 * x) * numpy.where(random.random(x.shape) < 0.5, -1, 1)).astype(float32)
            bits = x.view(uint32)
            x = ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(uint32).view(float32)
            codes = {d: probe.quantize("nvfp4", d, x, (1, 16), probe.tensor_scale("nvfp4", d, x)) for d in ("te", *shares)}
            for dialect in shares:
                shares[dialect].append([float((a != b).mean()) * 100 for a, b in zip(codes["te"], codes[dialect])])
        for dialect, seen in shares.items():
            elements, scales = numpy.array(seen).T
            print(f"{kind} bf16, {dialect} beside te: {elements.min():.3f} to {elements.max():.3f} % of codes (mean {elements.mean():.3f}), "
                  f"{scales.min():.3f} to {scales.max():.3f} % of scales (mean {scales.mean():.3f})", flush=True)


def print_speed(probe):
    random = numpy.random.Generator(numpy.random.SFC64(3))
    values = random.standard_normal((512, 512), dtype=float32)

    def line(label, work, name="mxfp4", variant="floor", block=(1, 32)):
        seconds = probe.seconds(work, name, variant, values, block, 200)
        print(f"{label}: {seconds / values.size * 1e9:.2f} ns a number, {values.nbytes / seconds / 1e9:.1f} GB/s of fp32 read", flush=True)

    line("fp32 to bf16", "bf16")
    line("largest magnitude", "amax")
    for name, variant in (("mxfp8_e4m3", "round-up"), ("mxfp4", "floor"), ("fp8_block_e4m3", "power-of-two"), ("fp8_block_e4m3", "fp32"), ("nvfp4", "te"), ("nvfp4", "exact"), ("nvfp4", "torchao-inference"), ("nvfp4", "llama.cpp")):
        size = oracle.BLOCK_SIZES[name]
        for block in ((1, size), (size, 1), (size, size)):
            for work in ("quantize", "round", "dequantize") + (("stochastic",) if variant != "llama.cpp" else ()):
                line(f"{name} {variant} {block[0]}x{block[1]} {work}", work, name, variant, block)
    line("rotate rows", "rotate rows")
    line("rotate columns", "rotate columns")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("--blocks", type=float, default=1e5, help="of each format and rule or dialect")
    parser.add_argument("--only", nargs="*", help="mxfp4 or nvfp4:te, ...")
    parser.add_argument("--rules", nargs="*", help="of MX and block FP8; all of them without this")
    parser.add_argument("--shapes", type=float, default=0, help="squares of each format, compared as columns and squares as well")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--torchao", action="store_true")
    parser.add_argument("--speed", action="store_true")
    options = parser.parse_args()
    probe, bad = Probe(options.library), 0
    if options.speed:
        return print_speed(probe)
    if options.torchao:
        return 1 if torchao_columns(probe, int(options.blocks), options.seed) else 0
    print(f"oracle {oracle.VERSION}, numpy {numpy.__version__}, seed {options.seed}", flush=True)
    print_orders(probe)
    every = list(oracle.MX) + [f"nvfp4:{dialect}" for dialect in oracle.DIALECTS]
    if options.rules and not set(options.rules) <= set(oracle.FP8_RULES):
        parser.error("rules: " + " ".join(oracle.FP8_RULES))
    for name in options.only or every:
        begin = time.time()
        format, _, dialect = name.partition(":")
        rules = [rule for rule in options.rules or oracle.FP8_RULES if rule != "fp32" or format.startswith("fp8_block")]
        e8m0 = [rule for rule in rules if rule != "fp32"]
        counts = {dialect: compare_nvfp4(probe, dialect, options.blocks, options.seed)} if dialect else \
            compare_mx(probe, format, e8m0, options.blocks, options.seed) if e8m0 else {}
        if not dialect and "fp32" in rules:
            counts["fp32"] = compare_fp32(probe, format, options.blocks, options.seed)
        if options.shapes:
            for variant in list(counts):
                columns, squares = compare_shapes(probe, format, variant, options.shapes, options.seed + 1)
                counts.update({variant + " columns": columns, variant + " squares": squares})
        for variant, count in counts.items():
            print(count.line(f"{format} {variant}"), flush=True)
            bad += count.codes + count.scales + count.values
            if count.first:
                print("  first:", count.first)
        print(f"  {time.time() - begin:.0f} s", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
