// SPDX-License-Identifier: Apache-2.0
// The data sets and the order of their samples, in numpy: what both frameworks' programs begin with.
#include "engine/exchange/python_text.h"

namespace mantissa::python {
namespace {

constexpr const char* kDigits = R"(def load_data():
    from sklearn.datasets import load_digits

    x, y = load_digits(return_X_y=True)
    x = (x / 16).astype("float32")
    return x[:1437], y[:1437], x[1437:], y[1437:]
)";

constexpr const char* kMnist = R"(def load_data(folder=pathlib.Path(@path@)):
    def read(name, head):
        file = folder / name
        raw = file.read_bytes() if file.exists() else gzip.decompress((folder / (name + ".gz")).read_bytes())
        return np.frombuffer(raw, np.uint8, offset=head)

    x = [read(part + "-images-idx3-ubyte", 16).reshape(-1, @features@).astype("float32") / 255 for part in ("train", "t10k")]
    y = [read(part + "-labels-idx1-ubyte", 8).astype("int64") for part in ("train", "t10k")]
    return x[0], y[0], x[1], y[1]
)";

constexpr const char* kCifar = R"(def load_data(folder=pathlib.Path(@path@)):
    def read(*names):
        raw = np.concatenate([np.fromfile(folder / name, np.uint8).reshape(-1, 3073) for name in names])
        x = raw[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1) / 255
        x = (x - [0.4914, 0.4822, 0.4465]) / [0.2470, 0.2435, 0.2616]
        return x.reshape(len(x), -1).astype("float32"), raw[:, 0].astype("int64")

    return *read(*(f"data_batch_{i}.bin" for i in range(1, 6))), *read("test_batch.bin")
)";

constexpr const char* kNpy = R"(def load_data(folder=pathlib.Path(@path@)):
    def read(x_name, y_name):
        x, y = np.load(folder / x_name), np.load(folder / y_name)
        return x.reshape(len(x), -1).astype("float32"), @labels@

    x, y = read("x.npy", "y.npy")
    if (folder / "x_val.npy").exists():
        return x, y, *read("x_val.npy", "y_val.npy")
    cut = len(x) - len(x) // 5
    return x[:cut], y[:cut], x[cut:], y[cut:]
)";

constexpr const char* kSyntheticImages = R"(def load_data():
    """Each class is a plane wave per channel, an image its class's wave and noise; by the run's formula, drawn anew."""
    random = np.random.default_rng(@seed@)
    down, across = np.arange(@height@)[:, None, None] / @height@, np.arange(@width@)[None, :, None] / @width@
    waves = [
        np.cos(2 * np.pi * (across * random.integers(1, 5) + down * random.integers(-3, 4) + random.random(@channels@)))
        for _ in range(@classes@)
    ]
    y = random.integers(@classes@, size=@all@)
    x = np.stack(waves)[y] + @noise@ * random.standard_normal((@all@, @height@, @width@, @channels@))
    x = x.reshape(@all@, -1).astype("float32")
    return x[:@samples@], y[:@samples@], x[@samples@:], y[@samples@:]
)";

constexpr const char* kSyntheticRegression = R"(def load_data():
    """y = w.x / sqrt(features) + noise * t, with Student's t; by the run's formula, drawn anew."""
    random = np.random.default_rng(@seed@)
    x = random.standard_normal((@all@, @features@)).astype("float32")
    y = x @ random.standard_normal(@features@) / @features@**0.5 + @noise@ * random.standard_t(@freedom@, size=@all@)
    y = y.reshape(-1, 1).astype("float32")
    return x[:@samples@], y[:@samples@], x[@samples@:], y[@samples@:]
)";

constexpr const char* kText = R"(def load_tokens(path=@path@):
    """Each character's place among those that occur, sorted@where@."""
    text = np.array(list(pathlib.Path(path).read_bytes().decode()))
    return np.unique(text, return_inverse=True)[1]
)";

constexpr const char* kBytes = R"(def load_tokens(path=@path@):
    return np.fromfile(path, np.uint8).astype("int64")
)";

constexpr const char* kSyntheticTokens = R"(def load_tokens():
    """A Markov chain: four symbols may follow each, with probabilities 1/2, 1/4, 1/8, 1/8; by the run's formula, drawn anew."""
    random = np.random.default_rng(@seed@)
    successors = random.integers(@vocabulary@, size=@vocabulary@)
    tokens = np.zeros(@length@, "int64")
    for i, which in enumerate(random.choice(4, p=[0.5, 0.25, 0.125, 0.125], size=@length@ - 1)):
        tokens[i + 1] = (successors[tokens[i]] + which) % @vocabulary@
    return tokens
)";

constexpr const char* kWindows = R"(

def windows(tokens, starts):
    """Tokens, and the ones that follow them."""
    index = np.asarray(starts)[:, None] + np.arange(@context@)
    return tokens[index], tokens[index + 1]


def all_windows(tokens):
    return np.arange((len(tokens) - 1) // @context@) * @context@


tokens = load_tokens()
train_tokens, val_tokens = np.split(tokens, [len(tokens) * 9 // 10])
x_val, y_val = windows(val_tokens, all_windows(val_tokens))
)";

constexpr const char* kWindowBatches = R"(

def batches():
    """Windows at any place of the text, drawn anew for each batch."""
    random = np.random.default_rng(@seed@)
    while True:
        yield windows(train_tokens, random.integers(len(train_tokens) - @context@, size=@batch@))
)";

constexpr const char* kWindowsInOrder = R"(

def batches():
    """Windows side by side, beginning again at the end."""
    starts = all_windows(train_tokens)
    for k in itertools.count():
        yield windows(train_tokens, starts[np.arange(k * @batch@, (k + 1) * @batch@) % len(starts)])
)";

constexpr const char* kArrays = R"(

x_train, y_train, x_val, y_val = load_data()
@targets@
@images@
)";

constexpr const char* kShuffledBatches = R"(

def batches():
    """Full batches without end, from a fresh permutation for each epoch."""
    random, order = np.random.default_rng(@seed@), np.empty(0, "int64")
    while True:
        while len(order) < @batch@:
            order = np.concatenate([order, random.permutation(len(x_train))])
        index, order = order[:@batch@], order[@batch@:]
        yield x_train[index], y_train[index]
)";

constexpr const char* kBatchesInOrder = R"(

def batches():
    """Samples [k * B, (k + 1) * B), beginning again at the end."""
    for k in itertools.count():
        index = np.arange(k * @batch@, (k + 1) * @batch@) % len(x_train)
        yield x_train[index], y_train[index]
)";

std::string loader(const DataSettings& d, const DataShape& shape) {
    const std::int64_t all = d.samples + d.samples / 5;
    const bool isBytes = d.tokens == "bytes";
    const std::string path = d.name == "opticks" ? "opticks.txt" : d.path;
    const char* text = d.name == "mnist"                  ? kMnist
                       : d.name == "cifar10"              ? kCifar
                       : d.name == "npy"                  ? kNpy
                       : d.name == "synthetic-images"     ? kSyntheticImages
                       : d.name == "synthetic-regression" ? kSyntheticRegression
                       : d.name == "synthetic-tokens"     ? kSyntheticTokens
                       : d.name == "digits"               ? kDigits
                       : isBytes                          ? kBytes
                                                          : kText;
    return fill(text, {{"path", quoted(path)},
                       {"where", d.name == "opticks" ? ". The text: resources/data/opticks.txt of mantissa's sources" : ""},
                       {"features", number(shape.features)},
                       {"labels", shape.targets > 0 ? "y.reshape(len(y), -1).astype(\"float32\")" : "y.astype(\"int64\")"},
                       {"seed", std::to_string(d.seed)},
                       {"height", number(d.height)},
                       {"width", number(d.width)},
                       {"channels", number(d.channels)},
                       {"classes", number(d.classes)},
                       {"samples", number(d.samples)},
                       {"all", number(all)},
                       {"noise", number(d.noise)},
                       {"freedom", number(d.degreesOfFreedom)},
                       {"vocabulary", number(d.vocabulary)},
                       {"length", number(d.length)}});
}

}  // namespace

std::string dataFunctions(const RunSettings& run, const DataShape& data) {
    const DataSettings& d = run.training.data;
    const std::string kind = run.training.model.kind;
    const bool isShuffled = d.order == "shuffled";
    std::string text = loader(d, data);
    if (takesTokens(kind)) {
        text += std::string(kWindows) + (isShuffled ? kWindowBatches : kWindowsInOrder);
    } else {
        text += std::string(kArrays) + (isShuffled ? kShuffledBatches : kBatchesInOrder);
    }
    const std::string side = ".reshape(-1, " + number(data.height) + ", " + number(data.width) + ", " + number(data.channels) + ")";
    return fill(text, {{"targets", kind == "autoencoder" ? "y_train, y_val = x_train, x_val" : ""},
                       {"images", takesImages(kind) ? "x_train, x_val = x_train" + side + ", x_val" + side : ""},
                       {"batch", number(d.batchSize)},
                       {"seed", std::to_string(d.seed)},
                       {"context", number(data.context)}});
}

}  // namespace mantissa::python
