// SPDX-License-Identifier: Apache-2.0
// The schema of the experiment file: complete, made from the table, right about good and broken files.
#include <sstream>

#include "engine/experiment/draft.h"
#include "schema_oracle.h"

namespace mantissa {
namespace {

TEST(Schema, HasEachFieldOnBothLevels) {
    const Json schema = experimentSchema();
    for (const Field& field : fields()) {
        EXPECT_FALSE(field.schema.is_null()) << field.pointer();
        for (const Json* level : {&schema, &schema["$defs"]["run"]}) {
            const Json& properties = propertiesAt(schema, *level, field.group);
            if (field.key == "name" && field.group.empty() && level == &schema) {
                EXPECT_FALSE(properties.contains("name")) << "only runs have names";
                continue;
            }
            ASSERT_TRUE(properties.contains(field.key)) << field.pointer();
            const Json& own = resolved(schema, properties[field.key]);
            EXPECT_EQ(own["title"], field.label);
            EXPECT_TRUE(own.contains("description")) << field.pointer();
            EXPECT_TRUE(own.contains("type") || own.contains("anyOf")) << field.pointer();
            if (field.kind != FieldKind::Choice) continue;
            std::vector<std::string> choices;
            for (const Json& choice : own["enum"]) {
                if (!choice.is_null()) choices.push_back(choice);
            }
            EXPECT_EQ(choices, field.choices) << field.pointer();
        }
        const Json& changes = schema["$defs"]["event"]["properties"]["set"]["properties"];
        EXPECT_EQ(changes.contains(field.pointer()), field.isLive) << field.pointer();
    }
}

TEST(Schema, NamesTheKindsThatAFieldBelongsTo) {
    const Json schema = experimentSchema();
    const Json& optimizer = schema["$defs"]["optimizer"]["properties"];
    EXPECT_EQ(optimizer["dampening"]["description"], "Only for the optimizer: sgd. Can change while a run trains.");
    EXPECT_EQ(optimizer["dampening"].value("default", -1.0), 0.0);
    EXPECT_EQ(optimizer["momentum"]["description"], "Only for the optimizer: sgd, muon. Can change while a run trains.");
    EXPECT_FALSE(optimizer["momentum"].contains("default")) << "depends on the kind";
    EXPECT_EQ(optimizer["kind"].value("default", ""), "adamw");
    EXPECT_FALSE(optimizer["weight_decay"].contains("default")) << "depends on the kind";
    EXPECT_EQ(schema["$defs"]["data"]["properties"]["name"].value("default", ""), "digits");
    EXPECT_EQ(schema["$defs"]["clip_grad_norm"]["description"], "Without the key: off. Can change while a run trains.");
}

TEST(Schema, AFileMayNameItsSchema) {
    const Experiment experiment = parseExperiment(R"({"$schema":"./experiment.schema.json","runs":[{"name":"a"}]})", "x");
    EXPECT_FALSE(experiment.defaults.contains("$schema"));
    EXPECT_EQ(writeExperiment(experiment).find("$schema"), std::string::npos);
    for (const char* text : {R"({"$schema":1,"runs":[{"name":"a"}]})", R"({"runs":[{"name":"a","$schema":"x"}]})"})
        EXPECT_THROW(parseExperiment(text, "x"), InputError) << text;
}

/// The experiments in the guide's pages.
std::vector<Json> guideDocuments() {
    std::vector<Json> documents;
    for (const auto& page : std::filesystem::directory_iterator(MANTISSA_GUIDE)) {
        std::stringstream text;
        text << std::ifstream(page.path()).rdbuf();
        const std::string whole = text.str(), fence = "```json\n";
        for (std::size_t at = whole.find(fence); at != std::string::npos; at = whole.find(fence, at + 1)) {
            const std::size_t begin = at + fence.size();
            const Json document = Json::parse(whole.substr(begin, whole.find("```", begin) - begin), nullptr, false);
            if (document.is_object() && document.contains("runs")) documents.push_back(document);
        }
    }
    return documents;
}

TEST_F(SchemaOracle, GoodFilesAreValid) {
    std::vector<Json> documents = bundledDocuments();
    for (const Json& document : bundledDocuments())  // as the window saves them
        documents.push_back(Json::parse(writeExperiment(parseExperiment(document.dump(), "x"))));
    documents.push_back(Json::parse(Draft(held.runs, {"fp32", "fp16"}).text()));
    for (
        const char* text : {
            R"({"$schema":"x","runs":[{"name":"a","precision":"bf16"}]})",
            R"({"runs":[{"name":"a","precision":{"policy":"bf16","overrides":{"layers.2":"fp32","linear":{"weight_grad":"fp16"}}}}]})",
            R"({"runs":[{"name":"a","precision":{"policy":"fp8","fp8":{"scaling":"current"},"accumulator":"hopper","promote_every":128}}]})",
            R"({"clip_grad_norm":1,"runs":[{"name":"a","clip_grad_norm":null,"eval_precision":null,"validation_epochs":null}]})",
            R"({"runs":[{"name":"a","scaler":{"preset":"megatron","hysteresis":3,"growth_factor":null}}]})",
            R"({"runs":[{"name":"a","steps":2e3,"accumulate":2.0}]})",
            R"({"optimizer":{"kind":"sgd","momentum":0.9},"runs":[{"name":"a","optimizer":{"nesterov":true}}]})",
            R"({"runs":[{"name":"a","optimizer":{"schedule":{"kind":"step","every":10}}},{"name":"b","optimizer":{"schedule":{}}}]})",
            R"({"model":{"kind":"gpt","mask":"-inf"},"data":{"name":"opticks"},"runs":[{"name":"a"},{"name":"b","model":{"mask":-1e9}}]})",
            R"({"runs":[{"name":"a","precision":"fp16"}],"events":[{"step":3,"run":"a","set":{"/scaler/scale":4,"/optimizer/betas/0":0.5,
                 "/precision/overrides/layers.1":"fp32","/scaler":{"preset":"none"},"/inject/input":"nan"}}]})",
        })
        documents.push_back(Json::parse(text));
    const std::vector<std::string> verdicts = validated(documents);
    for (std::size_t i = 0; i < documents.size(); ++i) {
        EXPECT_EQ(verdicts[i], "valid") << documents[i].dump();
        const Reading reading = readingOf(documents[i].dump());
        EXPECT_TRUE(reading.isAccepted) << reading.sentence;
    }
}

/// Their data may not be there.
TEST_F(SchemaOracle, ExperimentsOfTheGuideAreValid) {
    const std::vector<Json> documents = guideDocuments();
    EXPECT_GE(documents.size(), 3u);
    for (const std::string& verdict : validated(documents)) EXPECT_EQ(verdict, "valid");
}

TEST_F(SchemaOracle, EachDefaultIsValid) {
    const Json schema = experimentSchema();
    std::vector<Json> documents;
    for (const Field& field : fields()) {
        const Json& own = resolved(schema, propertiesAt(schema, schema["$defs"]["run"], field.group).at(field.key));
        if (!own.contains("default")) continue;
        Json run = kindsFor(field);
        run["name"] = "a";
        run[Json::json_pointer(field.pointer())] = own["default"];
        documents.push_back({{"runs", Json::array({run})}});
    }
    EXPECT_GT(documents.size(), 30u);
    for (const std::string& verdict : validated(documents)) EXPECT_EQ(verdict, "valid");
}

TEST_F(SchemaOracle, BrokenFilesAreNot) {
    std::vector<Json> documents;
    for (const char* settings : {R"("optimizer":{"lr":"0.1"})",
                                 R"("optimizer":{"lr":-1})",
                                 R"("optimizer":{"learning_rate":1})",
                                 R"("optimizer":3)",
                                 R"("optimizer":{"kind":"adamv"})",
                                 R"("optimizer":{"betas":[0.9]})",
                                 R"("optimizer":{"betas":[0.9,1]})",
                                 R"("optimizer":{"kind":"sgd","betas":[0.9,0.9]})",
                                 R"("optimizer":{"schedule":"cosine"})",
                                 R"("optimizer":{"schedule":{"kind":"cosine","every":3}})",
                                 R"("optimizer":{"schedule":{"total_steps":9}})",
                                 R"("optimizer":{"schedule":{"kind":"step","factor":0}})",
                                 R"("optimizer":{"schedule":{"kind":"linear","total_steps":0}})",
                                 R"("scaler":"pytorch")",
                                 R"("scaler":{"growth_intervall":1})",
                                 R"("scaler":{"preset":null})",
                                 R"("scaler":{"preset":"pytorch","growth_interval":0})",
                                 R"("precision":"fp17")",
                                 R"("precision":{"polcy":"fp16"})",
                                 R"("precision":null)",
                                 R"("precision":{"overrides":{"layers.2":"fp99"}})",
                                 R"("precision":{"overrides":{"layers.2":{}}})",
                                 R"("precision":{"overrides":{"layers.2":{"forward":"fp8"}}})",
                                 R"("precision":{"policy":"fp8","fp8":{"margin":17}})",
                                 R"("eval_precision":{"policy":"fp16"})",
                                 R"("unscale":"never")",
                                 R"("clip_grad_norm":0)",
                                 R"("steps":1.5)",
                                 R"("steps":-1)",
                                 R"("steps":1000000000001)",
                                 R"("accumulate":0)",
                                 R"("zero_grad":1)",
                                 R"("validation_epochs":0)",
                                 R"("data":{"name":"imagenet"})",
                                 R"("data":{"batch_size":0})",
                                 R"("data":{"seed":-1})",
                                 R"("data":{"name":"digits","noise":1})",
                                 R"("init":{"weights":7})",
                                 R"("model":{"hidden":[1,0]})",
                                 R"("model":{"kind":"resnet","depth":16})",
                                 R"("model":{"kind":"mlp","n_layer":2})",
                                 R"("model":{"label_smoothing":1.5})",
                                 R"("model":{"kind":"gpt","mask":1})",
                                 R"("model":{"kind":"autoencoder"},"loss":{"logits":"fp32"})",
                                 R"("model":{"kind":"mlp"},"sample_tokens":5)",
                                 R"("loss":{"logits":"fp16"})",
                                 R"("title":1)",
                                 R"("xyzzy":1)"}) {
        documents.push_back(Json::parse(std::string(R"({"runs":[{"name":"a",)") + settings + "}]}"));
        documents.push_back(Json::parse(std::string("{") + settings + R"(,"runs":[{"name":"a"}]})"));
    }
    for (const char* text :
         {R"({})", R"([])", R"({"runs":[]})", R"({"runs":{}})", R"({"runs":[1]})", R"({"runs":[{}]})", R"({"runs":[{"name":""}]})",
          R"({"runs":[{"name":"a\u0007"}]})", R"({"runs":[{"name":3}]})", R"({"name":"a","runs":[{"name":"a"}]})",
          R"({"group":"none","runs":[{"name":"a"}]})", R"({"$schema":1,"runs":[{"name":"a"}]})",
          R"({"optimizer":{"momentum":0.9},"runs":[{"name":"a","optimizer":{"kind":"sgd"}}]})"})
        documents.push_back(Json::parse(text));
    for (const char* event :
         {R"({"step":1,"run":"a"})", R"({"step":-1,"run":"a","set":{"/optimizer/lr":1}})", R"({"step":1,"run":"a","set":{}})",
          R"({"step":1,"run":"a","set":{"/optimizer/lr":-1}})", R"({"step":1,"run":"a","set":{"/model/hidden":[1]}})",
          R"({"step":1,"run":"a","set":{"/scaler/scale":0}})", R"({"step":1,"run":"a","set":{"/reset/scaler":1}})",
          R"({"step":1,"run":"a","set":{"/inject/input":"much"}})", R"({"step":1,"run":"a","set":{"/inject/tensor":{"value":1}}})",
          R"({"step":1,"run":"a","set":{"/optimizer/lr":1},"at":2})"})
        documents.push_back(Json::parse(std::string(R"({"runs":[{"name":"a","precision":"fp16"}],"events":[)") + event + "]}"));
    const std::vector<std::string> verdicts = validated(documents);
    for (std::size_t i = 0; i < documents.size(); ++i) {
        EXPECT_NE(verdicts[i], "valid") << documents[i].dump();
        EXPECT_FALSE(readingOf(documents[i].dump()).isAccepted) << documents[i].dump();
    }
}

}  // namespace
}  // namespace mantissa
