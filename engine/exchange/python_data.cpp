// SPDX-License-Identifier: Apache-2.0
// The data sets and the run's batches, in numpy, for both frameworks' programs.
#include "engine/exchange/python_text.h"

namespace mantissa::python {
namespace {

constexpr const char* kOwnArrays = R"(def load_data():
    data = np.load(here.with_suffix(".data.npz"))
    y_train, y_val = (data[name]@own_labels@ for name in ("y_train", "y_val"))
    return data["x_train"], y_train, data["x_val"], y_val
)";

constexpr const char* kOwnTokens = R"(def load_tokens():
    return np.load(here.with_suffix(".data.npz"))["tokens"].astype("int64")
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

constexpr const char* kText = R"(def load_tokens(path=@path@):
    """Each character's place among those that occur, sorted."""
    text = np.array(list(pathlib.Path(path).read_bytes().decode()))
    return np.unique(text, return_inverse=True)[1]
)";

constexpr const char* kBytes = R"(def load_tokens(path=@path@):
    return np.fromfile(path, np.uint8).astype("int64")
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

constexpr const char* kBatches = R"(

def batches():
    """The run's batches, in its order: each row of the file names the @what@ of one."""
    for index in np.load(here.with_suffix(".batches.npy"), mmap_mode="r"):
        yield @batch@
)";

constexpr const char* kArrays = R"(

x_train, y_train, x_val, y_val = load_data()
@targets@
@images@
)";

std::string loader(const DataSettings& d, const DataShape& shape, bool isTokens) {
    const char* text = d.name == "mnist"     ? kMnist
                       : d.name == "cifar10" ? kCifar
                       : d.name == "npy"     ? kNpy
                       : !readsDataFiles(d)  ? (isTokens ? kOwnTokens : kOwnArrays)
                       : d.tokens == "bytes" ? kBytes
                                             : kText;
    return fill(text, {{"path", quoted(d.path)},
                       {"features", number(shape.features)},
                       {"labels", shape.targets > 0 ? "y.reshape(len(y), -1).astype(\"float32\")" : "y.astype(\"int64\")"},
                       {"own_labels", shape.targets > 0 ? "" : ".astype(\"int64\")"}});
}

}  // namespace

bool readsDataFiles(const DataSettings& data) {
    return data.name == "mnist" || data.name == "cifar10" || data.name == "npy" || data.name == "text";
}

std::string dataFunctions(const RunSettings& run, const DataShape& data) {
    const std::string kind = run.training.model.kind;
    const bool isTokens = takesTokens(kind);
    const std::string text = "here = pathlib.Path(__file__)  # the files that it reads lie beside it\n\n\n" +
                             loader(run.training.data, data, isTokens) + (isTokens ? kWindows : kArrays) +
                             fill(kBatches, {{"what", isTokens ? "first tokens of the windows" : "samples"},
                                             {"batch", isTokens ? "windows(train_tokens, index)" : "x_train[index], y_train[index]"}});
    const std::string side = ".reshape(-1, " + number(data.height) + ", " + number(data.width) + ", " + number(data.channels) + ")";
    return fill(text, {{"targets", kind == "autoencoder" ? "y_train, y_val = x_train, x_val" : ""},
                       {"images", takesImages(kind) ? "x_train, x_val = x_train" + side + ", x_val" + side : ""},
                       {"context", number(data.context)}});
}

}  // namespace mantissa::python
