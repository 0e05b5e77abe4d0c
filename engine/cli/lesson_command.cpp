// SPDX-License-Identifier: Apache-2.0
// lesson: lists the lessons, and tests the claims of one.
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/session/lesson_check.h"

namespace mantissa {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct LessonOptions {
    std::string source, device = "auto";
    std::vector<std::uint64_t> seeds;
    bool functions = false, json = false;
};

int listLessons(bool json) {
    if (json) {
        OrderedJson list = OrderedJson::array();
        for (const BundledLesson& each : bundledLessons())
            list.push_back(
                {{"name", each.name}, {"title", each.title}, {"summary", each.summary}, {"minutes", each.minutes}, {"steps", each.steps}});
        std::cout << OrderedJson{{"lessons", list}}.dump() << '\n';
        return kExitDone;
    }
    for (const BundledLesson& each : bundledLessons())
        std::cout << each.name << "\n  " << each.title << ", " << each.minutes << " minutes\n  " << each.summary << "\n\n";
    std::cout << "mantissa lesson NAME checks what one claims; mantissa-lab --lesson NAME plays it.\n";
    return kExitDone;
}

int listFunctions(bool json) {
    OrderedJson list = OrderedJson::array();
    std::vector<std::vector<std::string>> rows;
    for (const ClaimFunction& each : claimFunctions()) {
        list.push_back({{"function", each.signature}, {"meaning", each.meaning}});
        rows.push_back({std::string(each.signature), std::string(each.meaning)});
    }
    if (json) {
        std::cout << OrderedJson{{"functions", list}}.dump() << '\n';
        return kExitDone;
    }
    for (const auto& row : rows) std::cout << row[0] << "\n  " << row[1] << '\n';
    return kExitDone;
}

OrderedJson jsonOf(const CheckedLesson& checked) {
    OrderedJson claims = OrderedJson::array();
    for (const CheckedClaim& each : checked.claims)
        claims.push_back({{"place", each.place},
                          {"step", each.step},
                          {"claim", each.text},
                          {"holds", each.result.holds},
                          {"measured", each.result.measured},
                          {"problem", each.result.problem}});
    return {{"seed", checked.seed}, {"steps", checked.steps}, {"holds", checked.failures() == 0}, {"claims", claims}};
}

std::string saidOf(const CheckedClaim& claim) {
    return claim.result.problem.empty() ? claim.result.measured : claim.result.problem;
}

void print(const CheckedLesson& checked) {
    std::cout << "Seed " << checked.seed << ", " << checked.steps << " steps trained\n";
    for (const CheckedClaim& each : checked.claims)
        std::cout << (each.result.holds ? "  true   " : "  FALSE  ") << each.place << ": " << each.text
                  << "\n           measured: " << saidOf(each) << '\n';
}

int checkCommand(const LessonOptions& options) {
    const Lesson lesson = loadLesson(options.source);
    const std::shared_ptr<Backend> backend = openDevice(options.device);
    std::vector<CheckedLesson> all;
    for (const std::uint64_t seed : options.seeds.empty() ? lesson.seeds : options.seeds) {
        all.push_back(checkLesson(lesson, seed, backend));
        if (!options.json) print(all.back());
    }
    if (options.json) {
        OrderedJson checks = OrderedJson::array();
        for (const CheckedLesson& each : all) checks.push_back(jsonOf(each));
        std::cout << OrderedJson{{"lesson", lesson.name}, {"title", lesson.title}, {"checks", checks}}.dump() << '\n';
    }
    for (const CheckedLesson& each : all) {
        for (const CheckedClaim& claim : each.claims) {
            if (claim.result.holds) continue;
            throw RunError(claim.place + ": with seed " + std::to_string(each.seed) + " it did not come true: " + claim.text + ": " +
                           saidOf(claim));
        }
    }
    return kExitDone;
}

int lessonCommand(const LessonOptions& options) {
    if (options.functions) return listFunctions(options.json);
    if (!options.source.empty()) return checkCommand(options);
    if (!options.seeds.empty()) throw UsageError("lesson: --seed needs a lesson");
    return listLessons(options.json);
}

}  // namespace

void addLesson(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("lesson", "List the bundled lessons, or train one and say whether its claims come true");
    auto options = std::make_shared<LessonOptions>();
    command->add_option("LESSON", options->source, "a bundled lesson's name or a Markdown file; without it, the lessons are listed");
    command->add_option("--seed", options->seeds, "of data and weights, in place of the lesson's own; may be given several times")
        ->allow_extra_args(false);
    command->add_option("--device", options->device, "auto, cpu or cuda:0")->capture_default_str();
    command->add_flag("--functions", options->functions, "list what claims can ask for");
    command->add_flag("--json", options->json, "one JSON object on standard output");
    command->callback([&work, options] { work = [options] { return lessonCommand(*options); }; });
}

}  // namespace mantissa
