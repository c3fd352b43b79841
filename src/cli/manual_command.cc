#include "cli/manual_command.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "cli/command.h"
#include "cli/manual_commands.h"
#include "cli/manual_markdown.h"
#include "cli/manual_page.h"

namespace orch::cli {
namespace {

namespace fs = std::filesystem;

base::Status write_page(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) return base::Ok{};
  return base::usage_error("cannot write the manual page " + path);
}

base::Status write_pages(const ManualCommand& program, const std::string& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) return base::usage_error("cannot make folder " + folder + ": " + failure.message());
  for (const ManualCommand* command : with_subcommands(program)) {
    const std::string path = folder + "/" + manual_page_name(*command) + ".1";
    if (base::Status s = write_page(path, manual_page(*command, program, ORCH_VERSION)); !s) {
      return s;
    }
  }
  return base::Ok{};
}

}  // namespace

int write_manual(const CLI::App& app, std::span<const std::string> words) {
  const ManualCommand program = describe(app);
  if (words.size() != 1) {
    return report(base::usage_error("orch manual takes one folder for the pages, or --markdown"));
  }
  if (words.front() == "--markdown") {
    std::fputs(manual_markdown(program).c_str(), stdout);
    return 0;
  }
  const base::Status written = write_pages(program, words.front());
  return written ? 0 : report(written.error());
}

}  // namespace orch::cli
