#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the stored references of block_golden_test.cpp: codes and scales of block formats, by block_oracle.py and by torchao.

Run by hand when a definition changes (needs numpy, torch and torchao; without torchao its entries stay as they are in the file):

    python3 tests/golden/make_block_goldens.py

blocks.safetensors has a matrix x (fp32: normal and log-normal rows, ties, zeros, subnormals, the largest numbers, Inf, NaN), and for each
FORMAT.RULE.BLOCK, as mxfp4.floor.1x32 or nvfp4.te.16x16, its codes and scales by the oracle; of nvfp4 the tensor's factor as well. wide and
tall are matrices for blocks of 128, the last ones short, with Inf and NaN too; wide.fp8_block_e4m3.power-of-two.1x128 belongs to wide; scales of the rule fp32 are fp32 numbers. finite is
a matrix without Inf, NaN and scales of 2^-127, where torchao agrees with the definitions, and torchao.FORMAT.RULE.1x32 what torchao makes
of it. torchao.nvfp4.te is Transformer Engine's order in PyTorch's arithmetic, with PyTorch's cast to e4m3 and torchao's to e2m1.
Codes are whole numbers, stored as bf16.
"""
import json
import pathlib
import struct
import warnings

import numpy
from numpy import float32, uint8, uint16, uint32

import block_oracle as oracle

HERE = pathlib.Path(__file__).resolve().parent
SEED, ROWS, COLUMNS = 23, 32, 32


def matrices():
    random = numpy.random.Generator(numpy.random.SFC64(SEED))
    x = random.standard_normal((ROWS, COLUMNS), dtype=float32)
    x[4:8] = numpy.exp(3 * x[4:8])
    middles = numpy.array([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5, 6], float32)
    x[8:12] = middles[random.integers(0, 8, (4, COLUMNS))] * numpy.exp2(random.integers(-3, 4, (4, 1)).astype(float32))
    bits = x[12:16].view(uint32)
    x[12:16] = ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(uint32).view(float32)
    x[1::2] *= float32(-1)
    x[16:20] *= numpy.exp2(random.uniform(-12, 12, (4, 1))).astype(float32)
    finite = x.copy()
    x[20, ::2], x[20, 1::2] = 0, -0.0
    x[21] = random.integers(0, 1 << 24, COLUMNS, dtype=uint32).view(float32)
    x[22] = random.integers(0, 1 << 12, COLUMNS, dtype=uint32).view(float32)
    x[23, 20] = numpy.nan
    x[24] = random.integers(0x7F000000, 0x7F800000, COLUMNS, dtype=uint32).view(float32)
    return x, finite


def wide_matrix():
    """12 x 130: blocks of 128 numbers and of 2."""
    random = numpy.random.Generator(numpy.random.SFC64(SEED + 1))
    wide = random.standard_normal((12, 130), dtype=float32) * numpy.exp2(random.uniform(-20, 20, (12, 1))).astype(float32)
    wide[3] = numpy.exp(3 * random.standard_normal(130, dtype=float32))
    wide[4] = wide[4].clip(-3584, 3584)
    wide[4, 7], wide[4, 128] = 3584, numpy.nextafter(float32(3584), float32(4000))  # 448 / 3584 is a power of two; the next one is below
    wide[5], wide[6, :128] = 0, -0.0
    wide[7] = random.integers(0, 1 << 23, 130, dtype=uint32).view(float32)  # the quotient exceeds fp32
    wide[8] = random.integers(0x7F000000, 0x7F800000, 130, dtype=uint32).view(float32)
    wide[9, 100], wide[10, 129], wide[11, 64] = numpy.inf, -numpy.inf, numpy.nan
    return wide


def cut(matrix, block):
    """Blocks as rows: (blocks, numbers of a block), short ones filled up with zeros; and the way back for codes."""
    rows, cols = (-(-size // side) for size, side in zip(matrix.shape, block))
    whole = numpy.zeros((rows * block[0], cols * block[1]), matrix.dtype)
    whole[:matrix.shape[0], :matrix.shape[1]] = matrix
    return numpy.ascontiguousarray(whole.reshape(rows, block[0], cols, block[1]).swapaxes(1, 2)).reshape(-1, block[0] * block[1])


def uncut(blocks, shape, block):
    rows, cols = (-(-size // side) for size, side in zip(shape, block))
    whole = blocks.reshape(rows, cols, block[0], block[1]).swapaxes(1, 2).reshape(rows * block[0], cols * block[1])
    return whole[:shape[0], :shape[1]]


def amax_without_nan(x):
    return numpy.where(numpy.isnan(x), float32(0), numpy.abs(x)).max()


def blocks_of_128(wide, tall):
    out = {}
    for rule, name in ((rule, name) for rule in ("power-of-two", "fp32") for name in ("fp8_block_e4m3", "fp8_block_e5m2")):
        for label, matrix, block in (("wide", wide, (1, 128)), ("wide", wide, (128, 128)), ("tall", tall, (128, 1)), ("tall", tall, (128, 128))):
            codes, scales = oracle.quantize_mx(name, rule, cut(matrix, block))
            key = f"{label}.{name}.{rule}.{block[0]}x{block[1]}"
            out[key + ".codes"], out[key + ".scales"] = uncut(codes, matrix.shape, block), scales
    return out


def by_oracle(x, with_inf):
    out = {}
    for name in [name for name, size in oracle.BLOCK_SIZES.items() if size < 128]:
        size = oracle.BLOCK_SIZES[name]
        for variant in oracle.DIALECTS if name == "nvfp4" else oracle.RULES:
            for block in ((1, size), (size, 1), (size, size)):
                if block[0] > 1 and variant not in ("te", "round-up"):
                    continue  # the shapes share their code
                for label, matrix in (("", x), ("inf.", with_inf)):
                    if label and (block[0] > 1 or name in ("mxfp8_e5m2", "mxfp6_e2m3", "mxfp6_e3m2")):
                        continue
                    blocks, key = cut(matrix, block), f"{label}{name}.{variant}.{block[0]}x{block[1]}"
                    if name == "nvfp4":
                        S = oracle.tensor_scale(variant, amax_without_nan(matrix))
                        codes, scales = oracle.quantize_nvfp4(variant, S, blocks)
                        out[key + ".tensorScale"] = float(S)
                    else:
                        codes, scales = oracle.quantize_mx(name, variant, blocks)
                    out[key + ".codes"], out[key + ".scales"] = uncut(codes, matrix.shape, block), scales
    return out


def by_torchao(x):
    warnings.simplefilter("ignore")
    import torch
    import torchao
    from torchao.prototype.mx_formats.config import ScaleCalculationMode
    from torchao.prototype.mx_formats.kernels import f32_to_f4_unpacked, unpack_uint4
    from torchao.prototype.mx_formats.mx_tensor import to_mx
    from torchao.prototype.mx_formats.nvfp4_tensor import nvfp4_quantize, per_tensor_amax_to_scale
    torch.set_num_threads(1)
    types = {"mxfp8_e4m3": torch.float8_e4m3fn, "mxfp8_e5m2": torch.float8_e5m2, "mxfp6_e2m3": "fp6_e2m3", "mxfp6_e3m2": "fp6_e3m2",
             "mxfp4": torch.float4_e2m1fn_x2}
    tensor, out = torch.from_numpy(x), {}
    for name, dtype in types.items():
        for rule in ("floor", "rceil", "ceil", "even"):
            scales, codes = to_mx(tensor, dtype, 32, ScaleCalculationMode(rule))
            codes = unpack_uint4(codes) if name == "mxfp4" else codes
            out[f"torchao.{name}.{rule}.1x32.codes"] = codes.view(torch.uint8).numpy().reshape(x.shape)
            out[f"torchao.{name}.{rule}.1x32.scales"] = scales.view(torch.uint8).numpy().reshape(-1)
    S = per_tensor_amax_to_scale(tensor.abs().max())
    scales, codes = nvfp4_quantize(tensor, 16, S)
    key = "torchao.nvfp4.torchao-inference.1x16"
    out[key + ".codes"], out[key + ".scales"], out[key + ".tensorScale"] = unpack_uint4(codes).numpy(), scales.view(torch.uint8).numpy().reshape(-1), float(S)
    S, blocks = torch.tensor(2688.0) / tensor.abs().max(), tensor.reshape(-1, 16)
    scales = (blocks.abs().amax(1) * (S * (1.0 / 6.0))).clamp(max=448.0).to(torch.float8_e4m3fn)
    factor = (1.0 / (scales.float() * (1.0 / S))).clamp(max=torch.finfo(torch.float32).max)
    codes = f32_to_f4_unpacked((blocks * factor[:, None]).clamp(-6.0, 6.0).contiguous())
    key = "torchao.nvfp4.te.1x16"
    out[key + ".codes"], out[key + ".scales"], out[key + ".tensorScale"] = codes.numpy().reshape(x.shape), scales.view(torch.uint8).numpy(), float(S)
    return out, {"torch": torch.__version__, "torchao": torchao.__version__}


def write(path, arrays, metadata):
    """Codes (uint8) as bf16, bits of bf16 (uint16) as they are, the rest as fp32."""
    header, blobs, offset = {"__metadata__": metadata}, [], 0
    for name, values in arrays.items():
        values = numpy.asarray(values)
        if values.dtype == uint8:
            kind, blob = "BF16", (values.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
        elif values.dtype == uint16:
            kind, blob = "BF16", values.astype("<u2").tobytes()
        else:
            kind, blob = "F32", values.astype("<f4").tobytes()
        header[name] = {"dtype": kind, "shape": list(values.shape) or [1], "data_offsets": [offset, offset + len(blob)]}
        blobs.append(blob)
        offset += len(blob)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def read(path):
    """What write() wrote, codes and bf16 by their bits (uint16), and the metadata."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header, arrays = json.loads(data[8:8 + size]), {}
    metadata = header.pop("__metadata__")
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        kind = "<u2" if entry["dtype"] == "BF16" else "<f4"
        arrays[name] = numpy.frombuffer(data[8 + size + begin:8 + size + end], kind).reshape(entry["shape"])
    return arrays, metadata


def of_torchao(finite):
    try:
        return by_torchao(finite)
    except ModuleNotFoundError:
        arrays, metadata = read(HERE / "blocks.safetensors")
        return {name: values for name, values in arrays.items() if name.startswith("torchao.")}, {key: metadata[key] for key in ("torch", "torchao")}


def main():
    x, finite = matrices()
    with_inf = x.copy()
    with_inf[2, 5], with_inf[3, 28] = numpy.inf, -numpy.inf
    torchao, versions = of_torchao(finite)
    wide = wide_matrix()
    tall = numpy.ascontiguousarray(wide.T)
    arrays = {"x": x, "inf": with_inf, "finite": finite, "wide": wide, "tall": tall, **by_oracle(x, with_inf), **blocks_of_128(wide, tall), **torchao}
    write(HERE / "blocks.safetensors", arrays, {"oracle": oracle.VERSION, "numpy": numpy.__version__, "seed": str(SEED), **versions})
    print(f"{len(arrays)} tensors")


if __name__ == "__main__":
    main()
