# SPDX-License-Identifier: Apache-2.0
"""Counts are those of numpy, whichever counter counted."""
import re
import resource

from support import *
from mantissa_probe import torch_counting
from mantissa_probe.counting import Counter, Results
from mantissa_probe.native import native_counter

BITS = {torch.float32: torch.int32, torch.float16: torch.int16, torch.bfloat16: torch.int16}


def patterns(dtype, count):
    """Random bits, many of them at the cuts between cells."""
    if BITS[dtype] == torch.int16:
        return torch.randint(-(2**15), 2**15, (count,)).to(torch.int16).view(dtype)
    bits = torch.randint(-(2**31), 2**31, (count,))
    if count > 100:
        for start in cells.PART_STARTS:
            for near in (start - 1, start, start + 1):
                place = torch.randint(0, count, (count // 60 + 1,))
                bits[place] = (bits[place] & ~0x7FFFFF) | (near & 0x7FFFFF)
    return bits.to(torch.int32).view(dtype)


class Counting(ProbeTest):
    def counted(self, tensor, counter, in_blocks=False, step=0):
        results = Results(step)
        counter.count(results, 7, tensor, in_blocks)
        results.finish(results.rows())
        ((_, _, elements, classes, first, largest, smallest, packed),) = list(reading._statistics(results.body() | {"step": step}))
        return elements, classes, first, largest, smallest, cells.unpack_cells(packed)

    def counters(self):
        slow = Counter()
        slow._native = None
        fast = [Counter()] if native_counter() is not None else []
        return fast + [slow]

    def check(self, tensor):
        expected = statistics_of(tensor)
        non_finite = (~torch.isfinite(tensor.detach().reshape(-1).float())).nonzero()
        first = int(non_finite[0]) if len(non_finite) else -1
        for counter in self.counters():
            elements, classes, found, *rest = self.counted(tensor, counter)
            self.assertEqual((classes, *rest), expected)
            self.assertEqual((elements, found), (tensor.numel(), first))

    def test_cuts_are_those_of_the_header(self):
        header = (ROOT / "kernels/dtype/magnitude_cells.h").read_text()
        body = re.search(r"kPartStarts\{(.*?)\};", header, re.S).group(1)
        self.assertEqual(tuple(int(n, 0) for n in re.findall(r"^\s*(0x[0-9A-F]+|\d+),", body, re.M)), cells.PART_STARTS)

    def test_random_bits(self):
        for dtype in BITS:
            for count in (1, 3, 16, 2048, 5000, 70001):
                with self.subTest(dtype=dtype, count=count):
                    self.check(patterns(dtype, count))

    def test_ordinary_numbers(self):
        for dtype in BITS:
            self.check(torch.randn(3, 700).to(dtype))
            self.check(torch.randn(3, 700).relu().to(dtype))
        self.check(torch.zeros(4097))
        self.check(torch.full((100,), -float("inf")))
        self.check(torch.tensor([1e-45, -1e-40, 0.0, -0.0, 3.4028235e38]))

    def test_each_half(self):
        self.check(torch.arange(-(2**15), 2**15).to(torch.int16).view(torch.float16))
        self.check(torch.arange(-(2**15), 2**15).to(torch.int16).view(torch.bfloat16))

    def test_views(self):
        x = torch.randn(6, 8, 10)
        for view in (x.transpose(0, 2), x[::2, 1:], x[0, 0, 0], x[:, :1].expand(6, 8, 10), torch.randn(2, 3, 4, 5).permute(0, 3, 1, 2)):
            self.check(view)

    def test_views_that_are_dense_or_expanded_are_not_copied(self):
        x = torch.randn(2, 3, 40, 50)
        x[1, 0, 2, 3] = x[0, 2, 30, 3] = float("nan")
        base = torch.tensor([1.0, -2.0, 0.0, float("inf"), 5.0])
        dense = [x.permute(0, 2, 3, 1), x.transpose(1, 3), x.to(memory_format=torch.channels_last)]
        expanded = [x[:, :, :, :1].expand(2, 3, 40, 7), base.expand(3, 5), base[:, None].expand(5, 7), base[None, :, None].expand(2, 5, 3)]
        for view in dense:
            self.assertEqual(mantissa_probe.counting._in_some_order(view).data_ptr(), view.data_ptr())
        for view in dense + expanded + [base.view(5, 1, 1).expand(5, 4, 4).transpose(0, 2)]:
            self.check(view)
            finite = view.nan_to_num(1, 1)
            for counter in self.counters():
                self.assertEqual(counter.magnitude(view), counter.magnitude(view.contiguous()))
                self.assertAlmostEqual(counter.square_sum([finite]) / finite.double().square().sum().item(), 1, places=5)

    def test_what_an_expanded_tensor_costs(self):
        """It has 256 million elements and holds 4 kB."""
        tensor = torch.arange(-500, 500).float().view(1, 1, 1, 1000).expand(8, 16, 2000, 1000)
        transposed = torch.ones(4, 1).expand(4, 2**29).t()  # more elements than an int32 has numbers
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for counter in self.counters():
            for in_blocks in (False, True):
                elements, classes, first, largest, smallest, found = self.counted(tensor, counter, in_blocks)
                self.assertEqual((elements, classes), (256000000, (0, 128000000, 256000, 127744000, 0, 0)))
                self.assertEqual((first, largest, smallest), (-1, 500, 1))
                self.assertEqual(sum(found.values()), 255744000)
            self.assertEqual(counter.magnitude(tensor), int(torch.tensor(500.0).view(torch.int32)))
            self.assertEqual(self.counted(transposed, counter)[1], (0, 0, 0, 2**31, 0, 0))
        for norm in torch_counting.norms_of([tensor, transposed], float("inf")):
            self.assertIn(norm.item(), (500, 1))
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 100000)

    def test_subnormals_where_they_are_flushed(self):
        if not torch.set_flush_denormal(True):
            self.skipTest("this processor does not flush subnormal numbers")
        try:
            tensor = torch.tensor([1, 2, 3, 0x7FFFFF, 0x800000], dtype=torch.int32).view(torch.float32)
            for counter in self.counters():
                _, classes, _, _, smallest, found = self.counted(tensor, counter)
                self.assertEqual((classes[3], sum(found.values())), (5, 5))
                self.assertEqual(smallest.hex(), (2.0**-149).hex())
        finally:
            torch.set_flush_denormal(False)

    def test_blocks_cover_a_tensor(self):
        tensor = torch.randn(100000)
        for counter in self.counters():
            elements, classes, *_ = self.counted(tensor, counter, True, 3)
            self.assertEqual(elements, 100000)
            self.assertEqual(sum(classes), 12500)

    def test_magnitudes(self):
        for dtype in BITS:
            for value in (0.0, 1.5, -60000.0, float("inf"), float("nan"), -float("inf")):
                tensor = torch.tensor([0.25, value, -0.5]).to(dtype)
                for counter in self.counters():
                    bits = mantissa_probe.counting.float_bits(counter.magnitude(tensor), counter.bits_dtype(tensor))
                    expected = tensor.float().abs().view(torch.int32)
                    self.assertEqual(bits, int(expected.max()))

    def test_square_sum(self):
        for dtype in BITS:
            tensors = [torch.randn(1000).to(dtype), torch.randn(33, 7).to(dtype)]
            expected = sum(float(t.double().square().sum()) for t in tensors)
            for counter in self.counters():
                self.assertAlmostEqual(counter.square_sum(tensors) / expected, 1, places=6)

    def test_fp64(self):
        """Its finite numbers stay finite, and its squares are fp64's."""
        cases = (((1e-27, -3e-27), -1, 0), ((6e21, -4e39), -1, 0), ((1.0, 1e300, float("inf")), 2, 1), ((-1e39, float("nan")), 1, 0))
        for values, first, infinities in cases:
            tensor = torch.tensor(values, dtype=torch.float64)
            for counter in self.counters():
                is_bad = counter.magnitude(tensor) >= mantissa_probe.counting.INF_BITS[counter.bits_dtype(tensor)]
                self.assertEqual(is_bad, first >= 0)
                _, classes, found, largest, _, _ = self.counted(tensor, counter)
                self.assertEqual((found, classes[0] + classes[4]), (first, infinities))
                if first < 0:
                    self.assertAlmostEqual(counter.square_sum([tensor]) / sum(v * v for v in values), 1)
                    self.assertEqual(largest, min(np.float32(max(map(abs, values))), np.finfo(np.float32).max))
        large, small = (torch.tensor([value], dtype=torch.float64) for value in (4e39, -1e-50))
        found = torch_counting.norms_of([large, torch.ones(2), small], float("inf"))
        self.assertEqual([(n.dtype, n.item()) for n in found], [(torch.float32, n) for n in (float(np.finfo(np.float32).max), 1.0, 0.0)])

    def test_sums_that_fp32_cannot_hold(self):
        self.assertTrue(np.isfinite(self.counters()[0].square_sum([torch.full((4,), 1e30)])) or native_counter() is None)


if __name__ == "__main__":
    main()
