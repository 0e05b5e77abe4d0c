// SPDX-License-Identifier: Apache-2.0
// Whole models against PyTorch with an equal number of threads: equal architecture, batch and optimizer, each with its own random batches.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <sstream>

#include "engine/bench/bench.h"
#include "engine/plan/product_rate.h"
#include "engine/training/measure_times.h"
#include "engine/training/trainer.h"

namespace mantissa {
namespace {

// ---- PyTorch ----

// After a model and `compiles`. Reads a count a line, answers with that many step times on one line.
constexpr const char* kLoop = R"(
if compiles:
    loss_of = torch.compile(loss_of)
parameters = list(parameters)
for kind in ("fused", "foreach", None):
    try:
        optimizer = torch.optim.AdamW(parameters, **({kind: True} if kind else {}))
        break
    except (TypeError, RuntimeError):
        pass
batch = 0
print(torch.__version__, flush=True)
for line in sys.stdin:
    times = []
    for _ in range(int(line)):
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(*batch_of(batch))
        loss.backward()
        optimizer.step()
        loss.item()
        times.append(time.perf_counter() - start)
        batch += 1
    print(*times, flush=True)
)";
constexpr const char* kBegin = R"(
import math, sys, time, torch
from torch import nn
from torch.nn import functional as F
torch.set_num_threads(1)
torch.manual_seed(1)
)";

/// PyTorch as a rival: a separate process with one thread that runs blocks of steps on request.
class TorchRival {
public:
    /// Starts a Python that has torch, if there is one: MANTISSA_PYTHON, or python3. `model`: see `againstTorch`. `isCompiled`:
    /// with torch.compile; the first steps then take a minute. Python without torch.compile is not ready.
    explicit TorchRival(const std::string& model, bool isCompiled = false);
    ~TorchRival();
    TorchRival(const TorchRival&) = delete;
    TorchRival& operator=(const TorchRival&) = delete;

    bool isReady() const { return !m_version.empty(); }
    const std::string& version() const { return m_version; }
    const std::string& reason() const { return m_reason; }  // why it is not ready
    /// Runs `count` training steps with AdamW in fp32, fused where PyTorch has that, and returns the seconds of each; fewer or none if
    /// PyTorch has failed.
    std::vector<double> steps(int count);

private:
    int m_toChild = -1;
    int m_fromChild = -1;
    int m_pid = -1;
    std::string m_script, m_version, m_reason;
    bool start(const std::string& python);
    void stop();
    std::string readLine();
};

TorchRival::TorchRival(const std::string& model, bool isCompiled)
    : m_script(kBegin + model + (isCompiled ? "compiles = True" : "compiles = False") + kLoop) {
    const char* const chosen = std::getenv("MANTISSA_PYTHON");
    for (const char* python : {chosen, "/usr/bin/python3", "python3"}) {
        if (python == nullptr) continue;
        if (start(python)) return;
        stop();
    }
    m_reason = "no python3 with torch is installed (Debian: python3-torch)";
}

TorchRival::~TorchRival() {
    stop();
}

bool TorchRival::start(const std::string& python) {
    int down[2], up[2];
    if (pipe(down) != 0) return false;
    if (pipe(up) != 0) {
        close(down[0]);
        close(down[1]);
        return false;
    }
    m_pid = fork();
    if (m_pid == 0) {
        dup2(down[0], STDIN_FILENO);
        dup2(up[1], STDOUT_FILENO);
        for (const int end : {down[0], down[1], up[0], up[1]}) close(end);
        if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(127);
        execlp(python.c_str(), python.c_str(), "-c", m_script.c_str(), static_cast<char*>(nullptr));
        _exit(127);
    }
    close(down[0]);
    close(up[1]);
    m_toChild = down[1];
    m_fromChild = up[0];
    if (m_pid < 0) return false;
    m_version = readLine();  // empty if the import failed and the child has ended
    return isReady();
}

void TorchRival::stop() {
    for (int* end : {&m_toChild, &m_fromChild}) {
        if (*end >= 0) close(*end);
        *end = -1;
    }
    if (m_pid > 0) {
        kill(m_pid, SIGTERM);
        waitpid(m_pid, nullptr, 0);
    }
    m_pid = -1;
    m_version.clear();
}

std::string TorchRival::readLine() {
    std::string line;
    char c = 0;
    while (read(m_fromChild, &c, 1) == 1 && c != '\n') line += c;
    return line;
}

std::vector<double> TorchRival::steps(int count) {
    const std::string request = std::to_string(count) + "\n";
    if (write(m_toChild, request.data(), request.size()) != static_cast<ssize_t>(request.size())) return {};
    std::istringstream answer(readLine());
    std::vector<double> seconds;
    for (double s = 0; answer >> s;) seconds.push_back(s);
    return seconds;
}

// ---- Models, with our shapes, parameters and batch sizes ----

/// A GPT-2, with fused attention in PyTorch 2. The code before it defines layers, heads, width, vocabulary, samples, length.
constexpr const char* kTorchGpt = R"(
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.register_buffer("mask", torch.tril(torch.ones(length, length)).view(1, 1, length, length) == 0)

    def forward(self, x):
        q, k, v = self.c_attn(self.ln_1(x)).split(width, dim=2)
        q, k, v = (y.view(samples, length, heads, width // heads).transpose(1, 2) for y in (q, k, v))
        if hasattr(F, "scaled_dot_product_attention"):
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = (q @ k.transpose(-2, -1)) * (1 / math.sqrt(width // heads))
            mixed = F.softmax(scores.masked_fill(self.mask, float("-inf")), dim=-1) @ v
        x = x + self.c_proj(mixed.transpose(1, 2).reshape(samples, length, width))
        return x + self.down(F.gelu(self.up(self.ln_2(x))))

tokens_of, position_of = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
blocks, ln_f = nn.Sequential(*(Block() for _ in range(layers))), nn.LayerNorm(width)
parameters = [p for m in (tokens_of, position_of, blocks, ln_f) for p in m.parameters()]
stream, positions = torch.randint(0, vocabulary, (500000,)), torch.arange(length)
def batch_of(number):
    starts = torch.randint(0, len(stream) - length - 1, (samples,)).tolist()
    return torch.stack([stream[s:s + length] for s in starts]), torch.stack([stream[s + 1:s + 1 + length] for s in starts])
def loss_of(inputs, labels):
    logits = F.linear(ln_f(blocks(tokens_of(inputs) + position_of(positions))), tokens_of.weight)
    return F.cross_entropy(logits.view(-1, vocabulary), labels.view(-1))
)";

/// CIFAR's residual network. The code before it defines depth, samples, and layout, PyTorch's memory format of images and weights.
constexpr const char* kTorchResnet = R"(
def conv_norm(channels, out, size, stride):
    return nn.Sequential(nn.Conv2d(channels, out, size, stride, size // 2, bias=False), nn.BatchNorm2d(out))

class Block(nn.Module):
    def __init__(self, channels, out, stride):
        super().__init__()
        self.first, self.second = conv_norm(channels, out, 3, stride), conv_norm(out, out, 3, 1)
        self.shortcut = nn.Identity() if channels == out else conv_norm(channels, out, 1, stride)

    def forward(self, x):
        return F.relu(self.second(F.relu(self.first(x))) + self.shortcut(x))

layers, width = [conv_norm(3, 16, 3, 1), nn.ReLU()], 16
for out in (16, 32, 64):
    for i in range((depth - 2) // 6):
        layers.append(Block(width, out, 2 if width != out else 1))
        width = out
net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)).to(memory_format=layout)
parameters = list(net.parameters())
images, targets = torch.randn(1024, 3, 32, 32).to(memory_format=layout), torch.randint(0, 10, (1024,))
def batch_of(number):
    chosen = torch.randint(0, 1024, (samples,))
    return images[chosen], targets[chosen]
def loss_of(inputs, labels):
    return F.cross_entropy(net(inputs), labels)
)";

constexpr double kMicro = 1e6;

struct GptSize {
    const char* name;
    std::int64_t layers, heads, width, vocabulary, batch;
    int steps, pairs;
    double limit;
};
constexpr std::int64_t kLength = 64;

constexpr std::int64_t kNever = 1'000'000'000;

/// `name = value`, in Python.
std::string defined(const char* name, std::int64_t value) {
    return std::string(name) + " = " + std::to_string(value) + "\n";
}

/// Whether this rival is ready and its steps take less time, after some to warm up.
bool isFaster(TorchRival& rival, TorchRival& other) {
    constexpr int kWarmUp = 3, kTried = 5;
    if (!rival.isReady()) return false;
    std::vector<double> medians;
    for (TorchRival* each : {&rival, &other}) {
        each->steps(kWarmUp);
        const std::vector<double> seconds = each->steps(kTried);
        if (seconds.size() != kTried) return each == &other;
        medians.push_back(median(seconds));
    }
    return medians[0] < medians[1];
}

/// Steps with as many threads as PyTorch uses.
BenchResult benchModel(const std::string& name, const std::string& what, TrainingSettings settings, const std::string& rival, int steps,
                       int pairs, double limit) {
    settings.steps = settings.validationInterval = kNever;
    const std::shared_ptr<Backend> backend = createCpuBackend();
    const std::string threads = std::to_string(backend->device().threads);
    Trainer trainer(settings, loadDataset(settings.data), backend);
    BenchResult result = againstTorch(
        name, what + ", AdamW, fp32, threads of each: " + threads, "torch.set_num_threads(" + threads + ")\n" + rival, steps,
        [&] { return timeUnits(steps, [&] { trainer.step(); }); }, limit, pairs);
    result.tflops = tflopsOf(result, trainer);
    if (result.skipped.empty()) result.products = measureStepTimes(trainer, *backend).secondsOf(OperationKind::Product) * kMicro;
    return result;
}

BenchResult benchGpt(const GptSize& size) {
    TrainingSettings settings;
    settings.data = {
        .name = "synthetic-tokens", .batchSize = size.batch, .context = kLength, .vocabulary = size.vocabulary, .length = 500'000};
    settings.model = {.kind = "gpt", .nLayer = size.layers, .nHead = size.heads, .nEmbd = size.width};
    const std::string rival = defined("layers", size.layers) + defined("heads", size.heads) + defined("width", size.width) +
                              defined("vocabulary", size.vocabulary) + defined("samples", size.batch) + defined("length", kLength);
    const std::string what = std::to_string(size.layers) + " layers, " + std::to_string(size.width) + " channels, batch " +
                             std::to_string(size.batch) + " x " + std::to_string(kLength);
    return benchModel(size.name, what, settings, rival + kTorchGpt, size.steps, size.pairs, size.limit);
}

/// In PyTorch's default layout, and in the one that both libraries' convolutions prefer, where most of a step runs identical code.
BenchResult benchResnet(const char* name, const char* layout, double limit) {
    constexpr std::int64_t kDepth = 14, kBatch = 64;
    TrainingSettings settings;
    settings.data = {.name = "synthetic-images", .batchSize = kBatch, .samples = 1024, .height = 32, .width = 32, .channels = 3};
    settings.model = {.kind = "resnet", .depth = kDepth};
    const std::string rival = defined("depth", kDepth) + defined("samples", kBatch) + "layout = torch." + layout + "\n" + kTorchResnet;
    return benchModel(name, "ResNet-14, 32x32x3, batch 64", settings, rival, 4, 7, limit);
}

}  // namespace

BenchResult resultOf(const PairedTimes& times, std::string name, std::string what, std::string rival, double limit) {
    return {.name = std::move(name),
            .what = std::move(what),
            .rival = std::move(rival),
            .unit = "us a step",
            .ours = times.oursMedian * kMicro,
            .oursP99 = times.oursP99 * kMicro,
            .theirs = times.rivalMedian * kMicro,
            .theirsP99 = times.rivalP99 * kMicro,
            .ratio = times.ratio,
            .limit = limit};
}

double tflopsOf(const BenchResult& result, const Trainer& trainer) {
    const auto microBatches = static_cast<double>(trainer.settings().accumulate);
    return result.ours > 0 ? microBatches * productWork(trainer.plan()).flops / (result.ours / kMicro) / 1e12 : 0;
}

BenchResult againstTorch(const std::string& name, const std::string& what, const std::string& model, int steps, const TimedBlock& ours,
                         double limit, int pairs) {
    TorchRival eager(model), compiled(model, true);
    if (!eager.isReady())
        return {.name = name, .what = what, .rival = "PyTorch", .limit = limit, .isAtLeast = true, .skipped = eager.reason()};
    TorchRival& rival = isFaster(compiled, eager) ? compiled : eager;
    const PairedTimes times = runPaired(
        ours, [&] { return rival.steps(steps); }, pairs);
    const char* const how = &rival == &compiled ? " with torch.compile" : " eager";
    BenchResult result = resultOf(times, name, what, "PyTorch " + rival.version() + how + ", AdamW", limit);
    result.ratio = 1 / times.ratio;
    result.ratioName = "rival / ours";
    result.isAtLeast = true;
    return result;
}

std::vector<BenchResult> benchModels() {
    // nanoGPT's character model, GPT-2's smallest, CIFAR's
    return {benchGpt({"gpt-characters", 4, 4, 128, 65, 12, 10, 15, 1.3}), benchGpt({"gpt2-124m", 12, 12, 768, 50'000, 4, 1, 5, 1.4}),
            benchResnet("resnet-14", "contiguous_format", 1.3), benchResnet("resnet-14-channels-last", "channels_last", 1.5)};
}

}  // namespace mantissa
