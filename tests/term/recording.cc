#include "recording.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace orch::term {
namespace {

Recording read(const std::filesystem::path& path) {
  Recording recording{path.parent_path().filename() / path.filename(), {}, {}};
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const auto header = nlohmann::json::parse(line);
  recording.size = {header["width"], header["height"]};
  while (std::getline(file, line)) {
    const auto event = nlohmann::json::parse(line);
    if (event[1] == "o") recording.steps.push_back({event[2], {}});
    Size size;
    if (event[1] == "r" &&
        std::sscanf(event[2].get<std::string>().c_str(), "%dx%d", &size.cols, &size.rows) == 2) {
      recording.steps.push_back({"", size});
    }
  }
  return recording;
}

}  // namespace

std::vector<Recording> all_recordings() {
  const char* folder = std::getenv("ORCH_TERM_RECORDINGS");
  std::vector<Recording> recordings;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           folder != nullptr ? folder : ORCH_RECORDINGS)) {
    if (entry.path().extension() == ".cast") recordings.push_back(read(entry.path()));
  }
  std::sort(recordings.begin(), recordings.end(),
            [](const Recording& a, const Recording& b) { return a.name < b.name; });
  return recordings;
}

}  // namespace orch::term
