// SPDX-License-Identifier: Apache-2.0
// Every preset against its framework with factors that are no powers of two, to the bit after each step, within fp32 and beyond. What
// scalers.safetensors holds: make_scaler_goldens.py.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <set>

#include "engine/experiment/experiment.h"
#include "engine/precision/scaler.h"

namespace mantissa {
namespace {

class ScalerGolden : public testing::Test {
protected:
    Json m_header, m_cases;
    std::string m_data;

    void SetUp() override {
        std::ifstream file(MANTISSA_GOLDEN_DIR "/scalers.safetensors", std::ios::binary);
        const std::string bytes(std::istreambuf_iterator<char>(file), {});
        std::uint64_t length = 0;
        ASSERT_GT(bytes.size(), sizeof length);
        std::memcpy(&length, bytes.data(), sizeof length);
        m_header = Json::parse(bytes.substr(sizeof length, length));
        m_cases = Json::parse(m_header.at("__metadata__").at("cases").get<std::string>());
        m_data = bytes.substr(sizeof length + length);
    }

    template <class T>
    std::vector<T> read(const std::string& name) const {
        const Json& entry = m_header.at(name);
        const auto offset = [&](int i) { return entry.at("data_offsets").at(i).get<std::size_t>(); };
        std::vector<T> values((offset(1) - offset(0)) / sizeof(T));
        std::memcpy(values.data(), m_data.data() + offset(0), offset(1) - offset(0));
        return values;
    }

    bool isDouble(const std::string& name) const { return m_header.at(name).at("dtype") == "F64"; }

    /// As the framework holds it; an fp32 number is one in double as well.
    std::vector<double> scalesOf(const std::string& name) const {
        if (isDouble(name)) return read<double>(name);
        const std::vector<float> narrow = read<float>(name);
        return {narrow.begin(), narrow.end()};
    }
};

ScalerSettings settingsOf(const Json& json) {
    ScalerSettings settings{.preset = json.at("preset")};
    const auto take = [&](const char* key, auto& value) {
        if (json.contains(key)) value = json.at(key).get<typename std::remove_reference_t<decltype(value)>::value_type>();
    };
    take("init_scale", settings.initScale);
    take("growth_factor", settings.growthFactor);
    take("backoff_factor", settings.backoffFactor);
    take("growth_interval", settings.growthInterval);
    take("min_scale", settings.minScale);
    take("max_scale", settings.maxScale);
    return settings;
}

TEST_F(ScalerGolden, EveryStepIsTheFrameworksToTheBit) {
    std::set<std::string> presets;
    std::size_t compared = 0;
    for (const Json& golden : m_cases) {
        const std::string name = golden.at("name");
        const ScalerSettings settings = settingsOf(golden.at("scaler"));
        ASSERT_FALSE(checkScaler(settings)) << name;
        LossScaler scaler(settings);
        const std::vector<std::uint8_t> foundInf = read<std::uint8_t>(name + ".found_inf");
        const std::vector<double> scales = scalesOf(name + ".scale");
        ASSERT_LE(scales.size(), foundInf.size());
        for (std::size_t step = 0; step < foundInf.size(); ++step) {
            scaler.update({.foundInf = foundInf[step] != 0});
            ASSERT_EQ(scaler.stopReason().has_value(), step == scales.size()) << name << ", step " << step;
            if (scaler.stopReason()) break;
            const double ours = scaler.rulesState().scale, theirs = scales[step];
            ASSERT_EQ(std::bit_cast<std::uint64_t>(ours), std::bit_cast<std::uint64_t>(theirs))
                << name << ", step " << step << ": " << std::hexfloat << ours << ", not " << theirs;
            ++compared;
        }
        presets.insert(settings.preset);
    }
    EXPECT_EQ(presets.size(), 10u);
    EXPECT_GT(compared, 50'000u);
}

TEST_F(ScalerGolden, GradientsAreMultipliedWithTheInverseOfTheScaleAsItIsHeld) {
    std::size_t compared = 0;
    for (const Json& golden : m_cases) {
        const std::string name = golden.at("name");
        if (!m_header.contains(name + ".inverse")) continue;
        const std::vector<double> scales = scalesOf(name + ".scale");
        const std::vector<float> inverses = read<float>(name + ".inverse");
        LossScaler scaler(settingsOf(golden.at("scaler")));
        for (std::size_t step = 0; step < scales.size(); ++step, ++compared) {
            scaler.setScale(scales[step]);
            ASSERT_EQ(std::bit_cast<std::uint32_t>(scaler.inverseScale()), std::bit_cast<std::uint32_t>(inverses[step])) << name;
            ASSERT_EQ(scaler.scale(), static_cast<float>(scales[step]));
        }
    }
    EXPECT_GT(compared, 10'000u);
}

}  // namespace
}  // namespace mantissa
