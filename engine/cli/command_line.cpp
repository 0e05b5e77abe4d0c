// SPDX-License-Identifier: Apache-2.0
// The whole command line, for the program and for the generator of its manual.
#include "engine/cli/commands.h"

namespace mantissa {

void addCommands(CLI::App& app, Work& work) {
    app.description("Mantissa: a precision lab. Trains the same model in several number formats and shows what that does.");
    app.name("mantissa");
    app.require_subcommand(1);
    app.set_version_flag("--version", "mantissa " MANTISSA_VERSION);
    for (const auto add : {addTrain,   addExperiments, addPlan,   addDevices,  addFormats, addConvert, addBits, addSimulateScaler,
                           addBench,   addSelftest,    addReplay, addDiagnose, addBlocks,  addBatches, addRl,   addRace,
                           addCompare, addLesson,      addExport, addQuery,    addImport,  addAttach,  addServe})
        add(app, work);
}

}  // namespace mantissa
