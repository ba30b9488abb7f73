// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "engine/config_source.h"

namespace orrery {
namespace {

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST_CASE("built-in documents are the files, byte for byte") {
  const ConfigSource configs = builtin_configs();
  for (const ConfigKind kind : kAllOf<ConfigKind>) {
    const std::string folder = "configs/" + std::string(kConfigFolders[kind]);
    for (const std::string& name : configs.list(folder)) {
      INFO("a document changed after the build has its old text in it: " << folder << "/" << name);
      const auto found = configs.read(folder + "/" + name + ".json");
      REQUIRE(found);
      CHECK(found->text == file_text(ORRERY_CONFIG_DIR "/" + std::string(kConfigFolders[kind]) +
                                     "/" + name + ".json"));
    }
  }
  CHECK(configs.list("configs/models").size() > 10);
  CHECK(configs.list("configs/hardware").empty());  // its folders are no documents
  CHECK(configs.read("configs/accuracy.json"));
  CHECK(published_files(configs).size() > 5);
  CHECK_FALSE(configs.read("configs/models/none.json"));
}

TEST_CASE("a folder goes before what is built in") {
  ConfigSource folder;
  folder.read = [](const std::string& file) -> std::optional<ConfigText> {
    if (file != "configs/models/mine.json") return {};
    return ConfigText{"{}", "here"};
  };
  folder.list = [](const std::string& name) {
    return name == "configs/models" ? std::vector<std::string>{"mine"} : std::vector<std::string>{};
  };
  const ConfigSource both = with_builtin_configs(folder);
  CHECK(both.read("configs/models/mine.json")->file == "here");
  CHECK(both.read("configs/models/llama-3-8b.json"));
  CHECK(both.list("configs/models").size() == builtin_configs().list("configs/models").size() + 1);
}

TEST_CASE("the directory of a path") {
  CHECK(directory_of("run.json").empty());
  CHECK(directory_of("a/run.json") == "a");
  CHECK(directory_of("/run.json") == "/");
  CHECK(directory_of("a/b/run.json") == "a/b");
}

}  // namespace
}  // namespace orrery
