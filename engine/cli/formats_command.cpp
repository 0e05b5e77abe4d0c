// SPDX-License-Identifier: Apache-2.0
// formats: the facts of each number format.
#include <cstdio>
#include <iostream>

#include "engine/cli/commands.h"
#include "kernels/dtype/block_format.h"
#include "kernels/dtype/dtype.h"
#include "kernels/dtype/rounding_mode.h"

namespace mantissa {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// How fp32 operands are rounded to tf32. Sources: cuBLAS 13 documentation, section 2.3 (CUBLAS_COMPUTE_32F_FAST_TF32); PTX ISA, cvt;
/// MMA-Sim, arXiv 2511.10909 (the tensor core drops the low 13 bits of each operand).
struct Tf32Rounding {
    Rounding rounding;
    const char* by;
};
constexpr Tf32Rounding kTf32Roundings[] = {
    {Rounding::NearestEven, "cuBLAS; tf32 runs, unless tf32_rounding says otherwise"},
    {Rounding::NearestAway, "kernels that convert with cvt.rna.tf32"},
    {Rounding::TowardZero, "a tensor core that is fed raw fp32"},
};

const char* overflowOf(const DtypeFacts& f) {
    return f.specials == Specials::InfAndNan ? "Inf" : f.specials == Specials::NanOnly ? "NaN" : "max";
}

const char* useOf(const DtypeFacts& f) {
    return f.isStorable             ? "tensors"
           : f.dtype == Dtype::TF32 ? "products"
           : f.dtype == Dtype::E8M0 ? "scales of blocks"
                                    : "elements of blocks";
}

std::string sixDigits(double value) {
    return brief(value, "%.6g");
}

int asJson() {
    OrderedJson list = OrderedJson::array();
    for (const Dtype dtype : kAllDtypes) {
        const DtypeFacts& f = facts(dtype);
        OrderedJson entry{{"name", f.name},
                          {"exponent_bits", f.exponentBits},
                          {"mantissa_bits", f.mantissaBits},
                          {"bias", f.bias},
                          {"storage_bits", f.storageBits},
                          {"storable", f.isStorable},
                          {"use", useOf(f)},
                          {"signed", f.isSigned},
                          {"max", f.maxFinite},
                          {"min_normal", f.minNormal},
                          {"min_subnormal", f.minSubnormal},
                          {"epsilon", f.epsilon},
                          {"overflow_from", f.overflowFrom},
                          {"overflow_gives", overflowOf(f)},
                          {"flush_below", f.flushBelow}};
        if (dtype == Dtype::TF32) {
            for (const Tf32Rounding& r : kTf32Roundings)
                entry["roundings"].push_back({{"rounding", roundingName(r.rounding)}, {"by", r.by}});
        }
        list.push_back(std::move(entry));
    }
    OrderedJson blocks = OrderedJson::array();
    for (const BlockFormat& b : blockFormats()) {
        OrderedJson entry{{"name", b.name},
                          {"element", facts(b.element).name},
                          {"block_size", b.blockSize()},
                          {"scale", facts(b.scale).name},
                          {"tensor_scale", b.hasTensorScale()},
                          {"bits_per_number", b.bitsPerNumber()}};
        for (const MatrixShape shape : blockShapes(b)) entry["blocks"].push_back(blockShapeName(shape));
        for (const ScaleRule rule : scaleRules(b)) entry["scale_rules"].push_back(scaleRuleName(rule));
        if (b.isNvfp4()) {
            for (const Nvfp4Dialect dialect : kAllNvfp4Dialects) entry["dialects"].push_back(nvfp4DialectName(dialect));
        }
        blocks.push_back(std::move(entry));
    }
    std::cout << OrderedJson{{"formats", list}, {"block_formats", blocks}}.dump() << '\n';
    return kExitDone;
}

/// The bits do not include short last blocks and the tensor's scale.
std::string blockTable() {
    std::vector<std::vector<std::string>> rows{{"block format", "elements", "of a block", "scale", "bits a number", "beside it"}};
    for (const BlockFormat& b : blockFormats()) {
        rows.push_back({std::string(b.name), std::string(facts(b.element).name), std::to_string(b.blockSize()),
                        std::string(facts(b.scale).name), sixDigits(b.bitsPerNumber()),
                        b.hasTensorScale() ? "one fp32 factor a tensor" : ""});
    }
    return alignedTable(rows);
}

int asTable() {
    std::vector<std::vector<std::string>> rows{{"format", "sign+exp+mantissa", "bias", "max", "min normal", "min subnormal", "epsilon",
                                                "overflow from", "gives", "0 up to", "for"}};
    for (const Dtype dtype : kAllDtypes) {
        const DtypeFacts& f = facts(dtype);
        rows.push_back({std::string(f.name),
                        std::to_string(f.isSigned ? 1 : 0) + "+" + std::to_string(f.exponentBits) + "+" + std::to_string(f.mantissaBits),
                        std::to_string(f.bias), sixDigits(f.maxFinite), sixDigits(f.minNormal),
                        f.minSubnormal < f.minNormal ? sixDigits(f.minSubnormal) : "-", sixDigits(f.epsilon), sixDigits(f.overflowFrom),
                        overflowOf(f), f.flushBelow > 0 ? sixDigits(f.flushBelow) : "-", useOf(f)});
    }
    std::cout << alignedTable(rows)
              << "\nepsilon: the gap above 1. Overflow from, 0 up to: the first magnitude that round to nearest even takes beyond max, and "
                 "the last\n"
                 "that it turns into 0 (fp8_e4m3: 464 itself still gives 448).\n"
                 "tf32 is a compute dtype: products round their operands to it, tensors stay fp32. It is rounded\n";
    for (const Tf32Rounding& r : kTf32Roundings) std::cout << "  " << roundingName(r.rounding) << " by " << r.by << '\n';
    std::cout << '\n' << blockTable() << "Scales of the mx formats and of block FP8:";
    for (const ScaleRule rule : scaleRules(blockFormats().front())) std::cout << ' ' << scaleRuleName(rule);
    std::cout << "; of block FP8 also " << scaleRuleName(ScaleRule::Fp32) << ", in fp32. Dialects of nvfp4:";
    for (const Nvfp4Dialect dialect : kAllNvfp4Dialects) std::cout << ' ' << nvfp4DialectName(dialect);
    std::cout << ".\n";
    return kExitDone;
}

}  // namespace

void addFormats(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("formats", "List the facts of each number format");
    auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "one JSON object on standard output");
    command->callback([&work, json] { work = [json] { return *json ? asJson() : asTable(); }; });
}

}  // namespace mantissa
