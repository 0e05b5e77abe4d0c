# SPDX-License-Identifier: Apache-2.0
"""Block formats once more, in numpy: the oracle that kernels/cpu/block_array.h is held against.

Written from the definitions (OCP Microscaling Formats 1.0; Transformer Engine d0067d0, core_nvfp4.cuh, ptx.cuh and Float8BlockScaling;
DeepSeek-V3, arXiv 2412.19437; torchao 36027d8 and 0.18, prototype/mx_formats; llama.cpp, ggml-quants.c and ggml-impl.h) and not from the C++: elements are rounded in integers, where the
C++ adds anchors; scales come from numpy's own divisions, frexp and comparisons.

Arrays are (blocks, numbers of a block), fp32. quantize(...) returns codes (uint8, same shape) and scale codes (uint8, a block each); the rule
fp32 of block FP8 has scales that are fp32 numbers.
"""
import functools

import numpy
from numpy import float32, int32, uint8

VERSION = "3"
MX = {"mxfp8_e4m3": (4, 3, 448.0), "mxfp8_e5m2": (5, 2, 57344.0), "mxfp6_e2m3": (2, 3, 7.5), "mxfp6_e3m2": (3, 2, 28.0), "mxfp4": (2, 1, 6.0),
      "fp8_block_e4m3": (4, 3, 448.0), "fp8_block_e5m2": (5, 2, 57344.0)}
NAN_CODES = {"mxfp8_e4m3": 0x7F, "mxfp8_e5m2": 0x7E, "mxfp6_e2m3": 0x1F, "mxfp6_e3m2": 0x1F, "mxfp4": 7, "fp8_block_e4m3": 0x7F,
             "fp8_block_e5m2": 0x7E}
BLOCK_SIZES = {name: 128 if name.startswith("fp8_block") else 32 for name in MX} | {"nvfp4": 16}
RULES = ["floor", "round-up", "rceil", "ceil", "even", "power-of-two"]
FP8_RULES = [*RULES, "fp32"]  # of fp8_block_e4m3 and fp8_block_e5m2
DIALECTS = ["te", "exact", "torchao-inference", "llama.cpp"]
LARGEST = numpy.finfo(float32).max


def element_codes(v, exponent_bits, mantissa_bits, largest):
    """fp32 to codes, nearest even, saturating; no NaN. In integers: the bits that are dropped are added to and cut off."""
    bias = (1 << (exponent_bits - 1)) - 1
    shift = 23 - mantissa_bits
    magnitude = numpy.minimum(numpy.abs(v), float32(largest))
    bits = magnitude.view(int32)
    normal = bits + (((bits >> shift) & 1) + ((1 << (shift - 1)) - 1)) - ((127 - bias) << 23)
    # Subnormals: whole multiples of the smallest one, of which rint takes the nearest, ties to even.
    least_normal = float32(2.0 ** (1 - bias))
    small = numpy.rint(numpy.minimum(magnitude, least_normal) * float32(2.0 ** (bias - 1 + mantissa_bits))).astype(int32)
    code = numpy.where(magnitude < least_normal, small, normal >> shift)
    return (code | (v.view(int32) >> 31 & (1 << (exponent_bits + mantissa_bits)))).astype(uint8)


@functools.lru_cache
def element_values(exponent_bits, mantissa_bits):
    """All numbers of a format by their code; of e4m3 and e5m2 without NaN and Inf."""
    bias, values = (1 << (exponent_bits - 1)) - 1, []
    for code in range(1 << (exponent_bits + mantissa_bits)):
        exponent, fraction = code >> mantissa_bits, code & ((1 << mantissa_bits) - 1)
        lead = 1 if exponent > 0 else 0
        values.append((lead + fraction / 2**mantissa_bits) * 2.0 ** (max(exponent, 1) - bias))
    values = numpy.array(values + [-x for x in values], float32)
    values.flags.writeable = False
    return values


def power_of_two_scale_codes(largest, amax):
    """s = largest / amax in fp32, at most its largest number, without its mantissa; the scale is 1 / s. An amax of 0 has s = 1."""
    ordinary = numpy.isfinite(amax) & (amax > 0)
    with numpy.errstate(over="ignore"):
        s = numpy.minimum(float32(largest) / numpy.where(ordinary, amax, float32(1)), LARGEST)
    power = (s.view(int32) & int32(0x7F800000)).view(float32)
    codes = 127 - (numpy.frexp(power)[1] - 1)
    return numpy.where(ordinary, codes, numpy.where(amax == 0, 127, 0xFF)).astype(uint8)


def mx_scale_codes(rule, largest, amax):
    """amax: fp32, not negative; may be Inf and NaN."""
    finite = numpy.where(numpy.isfinite(amax), amax, float32(1))
    if rule in ("round-up", "rceil"):
        ratio = finite * (float32(1) / float32(largest))
        significand, exponent = numpy.frexp(ratio)  # ratio = significand * 2^exponent, 1/2 <= significand < 1
        e = numpy.where(ratio == 0, -127, numpy.where(significand > 0.5, exponent, exponent - 1))
    elif rule == "power-of-two":
        return power_of_two_scale_codes(largest, amax)
    else:
        digits = {448.0: 3, 57344.0: 2, 7.5: 3, 28.0: 2, 6.0: 1}[largest]
        emax = numpy.frexp(largest)[1] - 1
        significand, exponent = numpy.frexp(finite.astype(numpy.float64))
        floor = exponent - 1
        if rule == "ceil":
            floor = numpy.where(significand > 0.5, exponent, exponent - 1)
        if rule == "even":  # 1.1...1 (digits ones) and half a step: the next power of two
            floor = numpy.where(2 * significand >= 2 - 2.0 ** (-digits - 1), exponent, exponent - 1)
        e = floor - emax
    codes = numpy.maximum(numpy.where(finite == 0, -127, e), -127) + 127
    codes = numpy.where(numpy.isinf(amax), 0xFE if rule == "round-up" else 0xFF, codes)
    return numpy.where(numpy.isnan(amax), 0xFF, codes).astype(uint8)


LARGEST_BF16 = numpy.array([0x7F7F0000], int32).view(float32)[0]


def fp32_factors(largest, amax):
    """s = largest / amax in fp32, bf16's largest number where it exceeds fp32; an amax of 0 has 1, Inf and NaN have NaN."""
    ordinary = numpy.isfinite(amax) & (amax > 0)
    with numpy.errstate(over="ignore"):
        s = numpy.divide(float32(largest), numpy.where(ordinary, amax, float32(1)))
    s[numpy.isinf(s)] = LARGEST_BF16
    s[~ordinary] = numpy.where(amax[~ordinary] == 0, float32(1), float32(numpy.nan))
    return s


def quantize_fp32(name, blocks):
    """Codes, and scales 1 / s in fp32."""
    exponent_bits, mantissa_bits, largest = MX[name]
    s = fp32_factors(largest, amax_of(blocks))
    is_nan = numpy.isnan(s)
    with numpy.errstate(invalid="ignore"):
        scaled = blocks * numpy.where(is_nan, float32(1), s)[:, None]
    scaled[is_nan] = 0
    codes = element_codes(scaled, exponent_bits, mantissa_bits, largest)
    codes[is_nan] = NAN_CODES[name]
    return codes, float32(1) / s


def amax_of(blocks):
    """numpy's maximum keeps NaN."""
    return numpy.abs(blocks).max(axis=1)


def quantize_mx(name, rule, blocks):
    if rule == "fp32":
        return quantize_fp32(name, blocks)
    exponent_bits, mantissa_bits, largest = MX[name]
    scales = mx_scale_codes(rule, largest, amax_of(blocks))
    is_nan = scales == 0xFF
    with numpy.errstate(over="ignore", invalid="ignore"):
        factor = numpy.ldexp(float32(1), 127 - numpy.where(is_nan, 127, scales.astype(int32))).astype(float32)
        scaled = blocks * factor[:, None]
    if is_nan.any():
        scaled[is_nan] = 0
    codes = element_codes(scaled, exponent_bits, mantissa_bits, largest)
    if is_nan.any():
        codes[is_nan] = NAN_CODES[name]
    return codes, scales


def tensor_scale(dialect, amax):
    """S, from the largest magnitude of a tensor, NaN left out."""
    amax = float32(amax)
    with numpy.errstate(divide="ignore", over="ignore"):
        if dialect == "llama.cpp":
            return float32(1)
        if dialect == "torchao-inference":
            return amax / float32(2688)
        S = numpy.minimum(float32(2688) / amax, LARGEST)
        return float32(1) if amax == 0 or S == 0 else S


def e4m3_codes(x):
    """Nearest even of 0 <= x <= 448; NaN is 0x7F."""
    codes = element_codes(numpy.where(numpy.isnan(x), float32(0), x), 4, 3, 448.0)
    return numpy.where(numpy.isnan(x), 0x7F, codes).astype(uint8)


def e4m3_values(codes):
    return numpy.where(codes == 0x7F, float32(numpy.nan), element_values(4, 3)[codes])


def llama_scale_codes(x):
    """ggml_fp32_to_ue4m3."""
    x = numpy.minimum(numpy.where(x > 0, x, float32(0)), float32(448))
    exponent = numpy.frexp(x)[1] - 1 + 7
    small = numpy.minimum((numpy.where(exponent <= 0, x, 0) * float32(512) + float32(0.5)).astype(int32), 7)
    bits = x.view(int32)
    mantissa = (bits >> 20 & 7) + (bits >> 19 & 1)
    exponent_up = exponent + (mantissa > 7)
    normal = numpy.where((exponent >= 15) | (exponent_up >= 15), 0x7E, exponent_up << 3 | mantissa & 7)
    return numpy.where(x == 0, 0, numpy.where(exponent <= 0, small, normal)).astype(uint8)


def llama_element_codes(blocks, s):
    """best_index_mxfp4 over all 16 numbers, twice as large beside half the scale."""
    d = (s * float32(0.5))[:, None]
    numbers = numpy.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12], float32)
    best = numpy.zeros(blocks.shape, uint8)
    least = numpy.abs(numbers[0] * d - blocks)
    error = numpy.empty_like(least)
    for index in range(1, 16):
        numpy.abs(numpy.subtract(numbers[index] * d, blocks, out=error), out=error)
        is_less = error < least
        numpy.copyto(best, uint8(index), where=is_less)
        numpy.copyto(least, error, where=is_less)
    return best


def quantize_nvfp4(dialect, S, blocks, amax=None):
    amax = amax_of(blocks) if amax is None else amax
    with numpy.errstate(all="ignore"):
        if dialect == "te":
            scales = e4m3_codes(numpy.minimum(amax * (S * (float32(1) / float32(6))), float32(448)))
            denominator = e4m3_values(scales) * (float32(1) / S)
            scaled = blocks * numpy.minimum(float32(1) / denominator, LARGEST)[:, None]
        elif dialect == "exact":
            scales = e4m3_codes(numpy.minimum(amax * S / float32(6), float32(448)))
            s = e4m3_values(scales)[:, None]
            scaled = numpy.where(s == 0, numpy.copysign(float32(0), blocks), blocks * S / s)
        elif dialect == "torchao-inference":
            scales = e4m3_codes(numpy.clip(amax / float32(6) / S, float32(2.0**-6), float32(448)))
            scaled = blocks * ((float32(1) / S) / e4m3_values(scales))[:, None]
        else:
            largest = numpy.where(numpy.isnan(blocks), float32(0), numpy.abs(blocks)).max(axis=1)  # NaN is never larger
            scales = llama_scale_codes(largest / float32(6))
            return llama_element_codes(blocks, e4m3_values(scales)), scales
        is_nan = numpy.isnan(scaled)
        if is_nan.any():
            scaled[is_nan] = 0
        codes = element_codes(scaled, 2, 1, 6.0)
        codes[is_nan] = 7
        return codes, scales


def dequantize_mx(name, codes, scales):
    exponent_bits, mantissa_bits, _ = MX[name]
    if scales.dtype == float32:
        return element_values(exponent_bits, mantissa_bits)[codes] * scales[:, None]
    with numpy.errstate(over="ignore"):
        factor = numpy.where(scales == 0xFF, float32(numpy.nan), numpy.ldexp(float32(1), scales.astype(int32) - 127)).astype(float32)
        return element_values(exponent_bits, mantissa_bits)[codes] * factor[:, None]


def dequantize_nvfp4(dialect, S, codes, scales):
    q, s = element_values(2, 1)[codes], e4m3_values(scales)[:, None]
    with numpy.errstate(all="ignore"):
        if dialect == "te":
            return q * s * (float32(1) / S)
        if dialect == "exact":
            return q * s / S
        if dialect == "torchao-inference":
            return q * (S * s)
        return q * s
