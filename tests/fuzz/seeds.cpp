// SPDX-License-Identifier: Apache-2.0
// fuzz_seeds FOLDER: writes a folder of seeds for each fuzzer, of what the program brings along and of the tests' own samples.
#include <cstdio>
#include <iterator>

#include "engine/exchange/event_file.h"
#include "engine/exchange/exported_run.h"
#include "engine/exchange/wandb_file.h"
#include "engine/experiment/safetensors.h"
#include "engine/wire/wire.h"
#include "resources/embedded.h"
#include "tests/engine/attach/probe_script.h"
#include "tests/engine/data/data_files.h"
#include "tests/engine/exchange/exchange_files.h"
#include "tests/engine/wire/sample_messages.h"

namespace {

using namespace mantissa;
namespace fs = std::filesystem;

class Seeds {
public:
    Seeds(fs::path folder, const std::string& reader) : m_folder(std::move(folder) / reader) { fs::create_directories(m_folder); }
    void add(const std::string& bytes) { std::ofstream(m_folder / std::to_string(m_count++), std::ios::binary) << bytes; }

private:
    fs::path m_folder;
    int m_count = 0;
};

std::string kind(int byte) {
    return std::string(1, static_cast<char>(byte));
}

std::string readAll(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Behind its length, as input_folder.h cuts it off.
std::string part(const std::string& bytes) {
    return kind(static_cast<int>(bytes.size() & 0xff)) + kind(static_cast<int>(bytes.size() >> 8)) + bytes;
}

/// Files below `folder` with that ending.
void addBundled(Seeds& seeds, std::string_view folder, std::string_view ending) {
    for (const EmbeddedFile& file : embeddedFiles()) {
        if (file.path.starts_with(folder) && file.path.ends_with(ending)) seeds.add(std::string(file.text()));
    }
}

void addExperiments(Seeds seeds) {
    addBundled(seeds, "experiments/", ".json");
    seeds.add(
        R"({"data":{"name":"synthetic-images","samples":9,"classes":2,"height":4,"width":4,"channels":3,"noise":0.5},"model":{"kind":"resnet",
"depth":8,"norm_eps":1e-3},"runs":[{"name":"a","precision":{"policy":"bf16","autocast":"keras","overrides":{"conv1":"fp32"}}}]})");
    seeds.add(R"({"data":{"name":"synthetic-regression","features":3,"degrees_of_freedom":2},"model":{"kind":"autoencoder","code":2},
"optimizer":{"kind":"lion","schedule":{"kind":"step","every":3,"factor":0.5}},"runs":[{"name":"a"}],
"events":[{"step":3,"run":"a","set":{"/inject/tensor":{"tensor":"gradients","value":"inf","element":1}}}]})");
    seeds.add(R"({"data":{"name":"synthetic-tokens","vocabulary":5,"context":4},"model":{"kind":"llama","n_layer":1,"n_head":2,"n_embd":8,
"n_kv_head":1,"mask":-1e4},"precision":{"policy":"fp8","fp8":{"scaling":"delayed","margin":1}},"runs":[{"name":"a"}]})");
}

void addLessons(Seeds seeds) {
    addBundled(seeds, "lessons/", ".md");
    const std::string head =
        "# A lesson\n\nAbout it.\n\nseeds: 1 2\nminutes: 3\n```experiment\n"
        "{\"data\":{\"name\":\"digits\"},\"runs\":[{\"name\":\"a\"},{\"name\":\"b\"}]}\n```\n## One\nText.\n";
    seeds.add(head + "```do\nhide \"b\"\npanels loss, memory\ntrain to 4\nset \"a\" /optimizer/lr 0.1\nmeasure \"a\" at 3\nreset\n```\n");
    seeds.add(head + "```ask\nWhich?\n- This\n  Why.\n- That *\n```\nSo.\n");
    seeds.add(head +
              "```claim\n0 < loss(\"a\", 0..4) <= 2^3 * -(1 + highest(loss(\"b\", 1..2)))\nverdict(\"a\") == \"sound\"\n"
              "ulp(1, fp16) < memory(\"a\", \"total\") / 2\n```\n");
    seeds.add("# T\nexperiment: four-formats\n## S\nText.\n```do\ntrain to 9\nexamine \"FP16\" at first bad\n```\n");
}

void addTensors(Seeds seeds, const fs::path& scratch) {
    std::vector<NamedTensor> tensors;
    for (const ParameterShape& each : parameterShapes({.kind = "gpt", .nLayer = 1, .nHead = 1, .nEmbd = 2}, {.classes = 3, .context = 2}))
        tensors.push_back({each.name, each.shape, std::vector<float>(static_cast<std::size_t>(elementCount(each.shape)), 0.5f)});
    writeSafetensors(scratch / "all", tensors);
    const std::string all = readAll(scratch / "all");
    const std::string header = all.substr(8, static_cast<unsigned char>(all[0]) | std::size_t{static_cast<unsigned char>(all[1])} << 8);
    seeds.add(kind(0) + all);
    seeds.add(kind(1) + header);
    writeSafetensors(scratch / "two", {{"module.a", {2, 1}, {1, 2}, Dtype::BF16}, {"module.b", {}, {1}, Dtype::F16}});
    seeds.add(kind(0) + readAll(scratch / "two"));
    seeds.add(kind(1) + R"({"__metadata__":{"format":"pt"},"bn1.num_batches_tracked":{"dtype":"I64","shape":[],"data_offsets":[0,8]}})");
}

void addArrays(Seeds seeds) {
    const std::string x = npyFile(npyHeader("<f4", "(3, 2)"), packed<float>({1, 2, 3, 4, 5, 6}));
    const std::string y = npyFile(npyHeader("<i8", "(3,)"), packed<std::int64_t>({0, 1, 2}));
    const std::string images = npyFile(npyHeader("|u1", "(3, 1, 2, 1)"), "abcdef", 2);
    const std::string targets = npyFile(npyHeader("<f8", "(3, 1)"), packed<double>({0.5, 1, 2}), 3);
    const std::string labels = npyFile(npyHeader("<i4", "(3,)"), packed<std::int32_t>({0, 1, 2}));
    seeds.add(kind(0) + part(x) + y);
    seeds.add(kind(0) + part(images) + targets);
    seeds.add(kind(0) + part(images) + labels);
    seeds.add(kind(1) + part(x) + part(x) + part(y) + y);
    seeds.add(kind(1) + part(x) + part(x) + part(targets) + targets);
}

void addImages(Seeds seeds) {
    const std::string files[] = {idxFile({3, 2, 1}, "abcdef"), idxFile({3}, std::string("\7\0\x9", 3)), idxFile({1, 2, 1}, "xy"),
                                 idxFile({1}, "\4")};
    seeds.add(kind(0) + part(files[0]) + part(files[1]) + part(files[2]) + files[3]);
    seeds.add(kind(1) + part(gzip(files[0])) + part(gzip(files[1])) + part(gzip(files[2])) + gzip(files[3]));
    seeds.add(kind(2) + part(files[0]) + part(files[1]) + part(files[2]) + files[3]);
}

void addPictures(Seeds seeds) {
    seeds.add(std::string(6, '\1') + "\5");
    seeds.add("\1\2\1\2\1\2" + std::string("\0\1\2\3\4", 5));
    seeds.add(std::string(5, '\1') + "\101\7");
}

void addTexts(Seeds seeds) {
    seeds.add(kind(0) + "To be, or not to be: \u00e6ther \u20ac \U0001d11e");
    seeds.add(kind(1) + "any bytes \xff\xfe, and more of them");
    seeds.add(kind(0) + "\x1b[2J is not shown\x7f\n");
}

void addMessages(Seeds seeds) {
    const auto bytesOf = [](const std::vector<std::uint8_t>& frame, std::size_t from) {
        return std::string(frame.begin() + static_cast<std::ptrdiff_t>(from), frame.end());
    };
    std::string commands, events;
    for (const Command& command : test::sampleCommands()) {
        seeds.add(kind(0) + bytesOf(encode(command), 4));
        if (commands.size() < 200) commands += bytesOf(encode(command), 0);
    }
    for (const Event& event : test::sampleEvents()) {
        const std::vector<std::uint8_t> frame = encode(event);
        seeds.add(kind(1) + bytesOf(frame, 4));
        if (frame.size() < 100 && events.size() < 200) events += bytesOf(frame, 0);
    }
    seeds.add(kind(2) + commands);
    seeds.add(kind(3) + events);
}

void addRuns(const fs::path& folder, const fs::path& scratch) {
    ExportedRun run = everyKindOfValue();
    run.records.resize(4);
    Seeds csv(folder, "csv");
    csv.add(readAll(writeCsv(run, scratch)));
    csv.add("step;loss;val_loss\n1;0.5;\n2;nan;\"1e3\"\n");
    csv.add("Wall time\tStep\tValue\n1.5\t10\t-Inf\n");
    Seeds lines(folder, "json_lines");
    lines.add(readAll(writeJsonLines(run, scratch)));
    lines.add("{\"step\": 1, \"train\": {\"loss\": NaN}}\n{\"step\": 2, \"train\": {\"loss\": -Infinity, \"lr\": 1e-3}}\n");
    const std::string file = readAll(writeTensorBoard(run, scratch));
    Seeds events(folder, "events");
    events.add(kind(0) + file.substr(0, 400));
    for (std::size_t at = 0; at + event_file::kHeadBytes < file.size();) {
        const std::size_t length = static_cast<unsigned char>(file[at]) | std::size_t{static_cast<unsigned char>(file[at + 1])} << 8;
        if (length < 256) events.add(kind(static_cast<int>(length)) + file.substr(at + event_file::kHeadBytes, length));
        at += event_file::kHeadBytes + length + event_file::kTailBytes;
    }
}

/// What wandb_fuzzer.cpp and trackio_fuzzer.cpp say of their inputs.
void addLogs(const fs::path& folder) {
    Seeds wandb(folder, "wandb"), trackio(folder, "trackio");
    const std::string file = readAll(fs::path(MANTISSA_GOLDEN) / "logs.wandb");
    wandb.add(kind(0) + file.substr(0, 3000));
    for (std::size_t at = wandb_file::kHead.size(); at < 20'000;) {  // records of its first block, one each
        const std::size_t length = static_cast<unsigned char>(file[at + 4]) | std::size_t{static_cast<unsigned char>(file[at + 5])} << 8;
        if (length < 256) wandb.add(kind(static_cast<int>(length)) + file.substr(at + wandb_file::kPieceHeadBytes, length));
        at += wandb_file::kPieceHeadBytes + length;
    }
    trackio.add(kind(1) + std::string("\x10\x02\0\xff", 4));
    trackio.add(kind(1) + std::string("\x64\0\0\5\x00\x02\0\xd", 8));
    trackio.add(kind(2) + "{\"loss\":1}\n{\"loss\":\"NaN\",\"eval\":{\"loss\":2}}\n{\"picture\":{\"_type\":\"image\"}}\n");
}

void addTrainers(const fs::path& folder) {
    Seeds state(folder, "trainer_state"), log(folder, "trainers_log");
    state.add(
        R"({"epoch": 1.0, "global_step": 20, "log_history": [{"epoch": 0.1, "grad_norm": 3.5, "learning_rate": 0.01, "loss": 1.75, "step": 2},
{"eval_accuracy": 0.5, "eval_loss": NaN, "eval_runtime": 1e-3, "step": 2}, {"loss": Infinity, "step": 4}, {"train_loss": 1, "step": 4}]})");
    state.add(R"({"log_history": []})");
    log.add(
        " [2026-01-01 10:00:00] iteration       10/     100 | consumed samples:          160 | elapsed time per iteration (ms): 1234.5 | "
        "learning rate: 1.5E-05 | lm loss: nan | loss scale: 65536.0 | grad norm: inf | number of skipped iterations:   2 | "
        "number of nan iterations:   0 |\n");
    log.add(
        "[titan] 2026-01-01 10:00:00 - root - INFO - \x1b[31mstep:  1 \x1b[32mloss:  8.17  \x1b[33mgrad_norm:  1.5  \x1b[34mtps: 1,234  "
        "mfu: 5.6%\n");
    log.add(
        "2026-11-27 17:19:48,105 - INFO - decoder.1.fc1_activation_fp8_underflows% \t\t\t\t iteration=000001 \t\t\t\t value=0.25\n"
        "2026-11-27 17:19:48,105 - INFO - decoder.1.fc1_activation_amax \t\t\t\t iteration=000001 \t\t\t\t value=4.5\n");
}

/// What recording_fuzzer.cpp and session_fuzzer.cpp say of their inputs.
void addDamages(const fs::path& folder) {
    Seeds recording(folder, "recording"), session(folder, "session");
    for (int which = 0; which < 3; ++which) {
        recording.add(kind(which));
        recording.add(kind(which) + std::string(3, '\0') + std::string("\x10\x20\0\xff", 4));
        recording.add(kind(which) + std::string("\0\x30\0", 3));
    }
    for (int which = 0; which < 5; ++which)
        for (int value = 0; value < 6; ++value)
            session.add(kind(which) + kind(value) + kind(value) + kind(which) + std::string("\7\0\0\0\0\0\0\0", 8));
}

/// What settings_fuzzer.cpp says of its inputs.
void addSettings(Seeds seeds) {
    const std::string arguments = R"({"per_device_train_batch_size":32,"max_steps":100,"fp16":true,"optim":"adamw_torch",)"
                                  R"("lr_scheduler_type":"cosine","warmup_steps":10,"max_grad_norm":1.0,"adam_beta1":0.9})";
    const std::string deepSpeed =
        R"({"fp16":{"enabled":"auto","loss_scale":0,"initial_scale_power":16,"hysteresis":2},)"
        R"("optimizer":{"type":"AdamW","params":{"lr":1e-3,"betas":[0.9,0.95]}},"gradient_clipping":"auto",)"
        R"("scheduler":{"type":"WarmupCosineLR","params":{"warmup_num_steps":3}},"zero_optimization":{"stage":2}})";
    seeds.add(arguments);
    seeds.add(deepSpeed);
    seeds.add(arguments + '\xff' + deepSpeed);
    seeds.add(
        "compute_environment: LOCAL_MACHINE\ndeepspeed_config:\n  gradient_accumulation_steps: 4  # of them\n  zero_stage: 2\n"
        "distributed_type: DEEPSPEED\ndowncast_bf16: 'no'\nmixed_precision: bf16\nuse_cpu: false\n");
}

/// Streams of a probe, message by message.
void addProbes(Seeds seeds) {
    const auto text = [](const std::string& type, const Json& body) {
        const std::vector<std::uint8_t> frame = test::messageFrame(type, body);
        return std::string(frame.begin(), frame.end());
    };
    Json hello = test::helloBody();
    hello["modules"] = Json::array();
    const std::string head = text("probe_hello", hello), tensors = text("tensors_described", test::tensorsBody());
    const std::string step = text("probe_step", test::stepBody(0)),
                      statistics = text("probe_statistics", test::statisticsBody(0, 65536, 40000));
    const std::string skipped = text("probe_step", test::stepBody(1, {.next = 32768, .skipped = true, .foundInf = true}));
    seeds.add(head);
    seeds.add(head + tensors + step + statistics);
    seeds.add(head + tensors + step + skipped);
    seeds.add(head + text("probe_end", {{"steps", 1}, {"dropped", 0}}));
    seeds.add(head + text("operations_captured",
                          {{"step", 1}, {"operations", Json::array({{{"operation", "mm"}, {"shape", {2}}}})}, {"first_bad", 0}}));
    seeds.add(head + text("probe_problem", {{"sentences", {"it could not count"}}}));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("fuzz_seeds FOLDER\n", stderr);
        return 2;
    }
    const fs::path folder = argv[1];
    const DataFolder scratch;
    addExperiments({folder, "experiment"});
    addLessons({folder, "lesson"});
    addTensors({folder, "safetensors"}, scratch.path());
    addArrays({folder, "npy"});
    addImages({folder, "idx"});
    addPictures({folder, "cifar"});
    addTexts({folder, "text"});
    addMessages({folder, "wire"});
    addRuns(folder, scratch.path());
    addLogs(folder);
    addTrainers(folder);
    addDamages(folder);
    addSettings({folder, "settings"});
    addProbes({folder, "probe"});
}
