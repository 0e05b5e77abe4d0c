// SPDX-License-Identifier: Apache-2.0
// A preset's rules as a Python class, for settings that GradScaler does not support. Repeats kernels/loss_scale.h.
#include <cmath>

#include "engine/exchange/python_text.h"
#include "engine/exchange/snippet_parts.h"
#include "kernels/operations.h"

namespace mantissa {
namespace {

using python::fill;
using python::number;

constexpr const char* kFp32 = R"(def fp32(x):
    """The scale as the framework stores it."""
    return ctypes.c_float(x).value


)";

constexpr const char* kClass = R"(class LossScaler:
    """@summary@"""

    def __init__(self):
        self.scale = @first@
        @counters@

    def found_inf(self, grads):
        """Of gradients that are still scaled."""
        return @check@

    def update(self, found_inf, abs_max):
@update@

)";

constexpr const char* kLogMax =
    R"(        x = 2.0**16 if found_inf or not math.isfinite(abs_max) else math.log2(abs_max) if abs_max > 0 else -math.inf
        self.steps += 1
        self.mean = 0.99 * self.mean + 0.01 * x
        self.slow, self.square = 0.999 * self.slow + 0.001 * x, 0.999 * self.square + 0.001 * x * x
        slow = self.slow / (1 - 0.999**self.steps)
        variance = self.square / (1 - 0.999**self.steps) - slow * slow
        deviation = math.sqrt(max(variance, 0.0))
        scale = 2.0 ** (16 - (3.09 * deviation + self.mean / (1 - 0.99**self.steps)))
        self.scale = min(max(scale, @min@), @max@)
)";

/// The condition under which a clean step, once counted, grows the scale; and whether growth resets the count.
struct Growth {
    std::string condition;
    bool resets = true;
};
Growth growthOf(const ScalerPreset& s) {
    const std::string interval = number(s.growthInterval);
    switch (s.growthTest) {
        case GrowthTest::Equals:
            return {"self.clean == " + interval};
        case GrowthTest::Reaches:
            return {"self.clean >= " + interval};
        case GrowthTest::EqualsOrWraps:
            return {"self.clean == " + interval};
        case GrowthTest::OneLater:
            return {"self.clean == " + interval + " + 1"};
        case GrowthTest::Multiples:
            return {"self.clean % " + interval + " == 0", false};
        case GrowthTest::MultiplesOneLater:
            return {"self.clean > 1 and (self.clean - 1) % " + interval + " == 0", false};
    }
    return {};
}

/// A number as the framework stores it: rounded if the preset's arithmetic is fp32.
std::string factor(const ScalerPreset& s, double value) {
    return number(s.arithmetic == ScaleArithmetic::Fp32 ? static_cast<double>(static_cast<float>(value)) : value);
}

std::string stored(const ScalerPreset& s, const std::string& scale) {
    return s.arithmetic == ScaleArithmetic::Double ? scale : "fp32(" + scale + ")";
}

std::string backoffLines(const ScalerPreset& s) {
    std::string lines = "        if found_inf:\n            self.clean = 0\n";
    if (s.refill != HysteresisRefill::Never) {
        lines += "            if self.overflows_left > 1:\n                self.overflows_left -= 1\n                return\n";
    }
    const std::string floor = number(storedScale(s.arithmetic, s.minScale));
    const std::string backed =
        s.dividesAtBackoff ? "self.scale / " + factor(s, s.backoffDivisor()) : "self.scale * " + factor(s, s.backoffFactor);
    if (s.stopsAtFloor) {
        lines +=
            "            if self.scale == " + floor + ":\n                raise RuntimeError(\"an overflow at the smallest loss scale\")\n";
    }
    lines += "            scale = " + stored(s, s.minScale > 0 ? "max(" + backed + ", " + floor + ")" : backed) + "\n";
    if (s.stopScale) {
        lines +=
            "            if scale <= " + number(*s.stopScale) + ":\n                raise RuntimeError(\"the loss scale is too small\")\n";
    }
    return lines + "            self.scale = scale\n            return\n";
}

std::string growthLines(const ScalerPreset& s) {
    const Growth growth = growthOf(s);
    std::string lines = "        self.clean += 1\n";
    if (s.refill == HysteresisRefill::OnCleanStep) lines += "        self.overflows_left = " + number(s.hysteresis) + "\n";
    lines += "        if " + growth.condition + ":\n";
    if (growth.resets) lines += "            self.clean = 0\n";
    if (s.refill == HysteresisRefill::OnGrowth) lines += "            self.overflows_left = " + number(s.hysteresis) + "\n";
    const std::string grown = stored(s, "self.scale * " + factor(s, s.growthFactor));
    const std::string bounded =
        std::isfinite(s.maxScale) ? "min(" + grown + ", " + number(storedScale(s.arithmetic, s.maxScale)) + ")" : grown;
    if (!s.refusesInfinity) return lines + "            self.scale = " + bounded + "\n";
    return lines + "            if math.isfinite(" + grown + "):\n                self.scale = " + bounded + "\n";
}

std::string checkOf(OverflowTest test) {
    switch (test) {
        case OverflowTest::Elements:
            break;
        case OverflowTest::UnscaledElements:
            return "not all(torch.isfinite(g.float() / self.scale).all() for g in grads)";
        case OverflowTest::Sums:
            return "not all(torch.isfinite(g.float().sum()) for g in grads)";
        case OverflowTest::Norm:
            return "not torch.isfinite(torch.stack([g.float().norm() for g in grads]).norm())";
    }
    return "not all(torch.isfinite(g).all() for g in grads)";
}

}  // namespace

std::string pytorchScaler(const ScalerSettings& settings) {
    const ScalerPreset s = resolvedScaler(settings);
    std::string counters = "self.clean = 0  # steps without an overflow", update = "        pass\n";
    if (s.kind == ScalerKind::Fixed) counters.clear();
    if (s.kind == ScalerKind::Backoff) {
        if (s.refill != HysteresisRefill::Never)
            counters += "\n        self.overflows_left = " + number(s.hysteresis) + "  # up to the one that backs off";
        update = backoffLines(s) + growthLines(s);
    }
    if (s.kind == ScalerKind::LogMax) {
        counters = "self.steps, self.mean, self.slow, self.square = 0, 0.0, 0.0, 0.0";
        update = fill(kLogMax, {{"min", number(s.minScale)}, {"max", number(s.maxScale)}});
    }
    const bool narrows = s.kind == ScalerKind::Backoff && s.arithmetic != ScaleArithmetic::Double;
    return (narrows ? kFp32 : "") + fill(kClass, {{"summary", std::string(s.name) + ": " + std::string(s.summary)},
                                                  {"first", number(storedScale(s.arithmetic, s.firstScale()))},
                                                  {"counters", counters},
                                                  {"check", checkOf(s.overflowTest)},
                                                  {"update", update.substr(0, update.size() - 1)}});
}

}  // namespace mantissa
