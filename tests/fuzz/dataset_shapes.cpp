// SPDX-License-Identifier: Apache-2.0
// Data sets without samples, for fuzzers of what names data sets: an experiment may ask for gigabytes of synthetic data, and for files.
// The linker puts this in the place of loadDataset (CMakeLists.txt). Readers of data have fuzzers of their own.
#include "engine/data/files.h"

namespace mantissa {

std::shared_ptr<const Dataset> datasetShape(const DataSettings& settings) __asm__("__wrap__ZN8mantissa11loadDatasetERKNS_12DataSettingsE");

std::shared_ptr<const Dataset> datasetShape(const DataSettings& settings) {
    auto data = std::make_shared<Dataset>();
    data->name = settings.name;
    const auto images = [&](std::int64_t height, std::int64_t width, std::int64_t channels, std::int64_t classes) {
        requireFits("samples", "they would be", static_cast<double>(settings.samples),
                    static_cast<double>(height) * static_cast<double>(width) * static_cast<double>(channels));
        data->image = {height, width, channels};
        data->features = height * width * channels;
        data->classes = classes;
    };
    if (settings.name == "digits") {
        images(8, 8, 1, 10);
    } else if (settings.name == "mnist") {
        images(28, 28, 1, 10);
    } else if (settings.name == "cifar10") {
        images(32, 32, 3, 10);
    } else if (settings.name == "synthetic-images") {
        images(settings.height, settings.width, settings.channels, settings.classes);
    } else if (settings.name == "synthetic-regression" || settings.name == "npy") {
        requireFits("samples", "they would be", static_cast<double>(settings.samples), static_cast<double>(settings.features));
        data->kind = DataKind::Regression;
        data->features = settings.features;
        data->targets = 1;
    } else {
        data->kind = DataKind::Tokens;
        data->tokens.context = settings.context;
        if (settings.tokens == "characters") data->tokens.vocabulary.characters.resize(static_cast<std::size_t>(settings.vocabulary));
    }
    return data;
}

}  // namespace mantissa
