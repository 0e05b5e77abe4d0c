// SPDX-License-Identifier: Apache-2.0
// A lesson with bytes changed, lost and repeated: it is read, or refused with its line, and nothing else.
#include <gtest/gtest.h>

#include <random>

#include "engine/lessons/lesson.h"

namespace mantissa {
namespace {

const std::string kWhole =
    "# A lesson\n\nAbout it.\n\nseeds: 1 2\nminutes: 3\n```experiment\n{\"data\": {\"name\": \"digits\"}, \"runs\": [{\"name\": \"a\"}, "
    "{\"name\": \"b\"}]}\n```\n"
    "## One\nText.\n```do\nhide \"b\"\npanels loss, memory\ntrain to 4\nset \"a\" /optimizer/lr 0.1\nmeasure \"a\" at 3\nexamine \"a\" at "
    "first bad\n```\n"
    "```ask\nWhich?\n- This\n  Why.\n- That *\n```\nSo.\n```do\nreset\n```\n"
    "```claim\n0 < loss(\"a\", 0..4) <= 2^3 * -(1 + highest(loss(\"b\", 1..2)))\nverdict(\"a\") == \"sound\"\nulp(1, fp16) < memory(\"a\", "
    "\"total\") / 2\n```\n";

std::string mutated(std::mt19937& random) {
    std::string text = kWhole;
    const auto drawn = [&](std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random); };
    for (std::size_t changes = 1 + drawn(4); changes > 0 && !text.empty(); --changes) {
        const std::size_t at = drawn(text.size()), count = 1 + drawn(12);
        switch (drawn(4)) {
            case 0:
                text[at] = static_cast<char>(drawn(256));
                break;
            case 1:
                text.erase(at, count);
                break;
            case 2:
                text.insert(drawn(text.size()), text.substr(at, count));
                break;
            default:
                text.resize(at);
        }
    }
    return text;
}

TEST(LessonReader, ReadsOrRefusesWhateverThereIs) {
    std::mt19937 random(20'261'122);
    const auto held = parseExperiment(R"({"data": {"name": "digits"}, "runs": [{"name": "a"}]})", "held").data;  // read once
    int readable = 0, refused = 0;
    ASSERT_NO_THROW((void)readLesson(kWhole, "l.md"));
    for (int i = 0; i < 2000; ++i) {
        const std::string text = mutated(random);
        try {
            readable += readLesson(text, "l.md").steps.empty() ? 0 : 1;
        } catch (const InputError& error) {
            EXPECT_TRUE(std::string(error.what()).starts_with("l.md:")) << error.what() << "\n" << text;
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "one line: " << error.what();
            ++refused;
        }
    }
    EXPECT_EQ(readable + refused, 2000);
    EXPECT_GT(readable, 100);
    EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace mantissa
