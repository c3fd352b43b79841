#include "cli/manual_command.h"

#include <cstdio>
#include <string>

#include "cli/command.h"
#include "cli/manual_commands.h"
#include "cli/manual_markdown.h"
#include "cli/manual_page.h"
#include "store/output_folder.h"

namespace orch::cli {
namespace {

base::Status write_pages(const ManualCommand& program, const std::string& path) {
  const base::Result<store::OutputFolder> folder = store::OutputFolder::make(path, "manual");
  if (!folder) return folder.error();
  for (const ManualCommand* command : with_subcommands(program)) {
    const std::string name = manual_page_name(*command) + ".1";
    const base::Status s = folder->write(name, manual_page(*command, program, ORCH_VERSION));
    if (!s) return s;
  }
  return base::Ok{};
}

}  // namespace

int write_manual(const CLI::App& app, std::span<const std::string> words) {
  const ManualCommand program = describe(app);
  if (words.size() != 1) {
    return report(
        base::usage_error("orch internal manual takes one folder for the pages, or --markdown"));
  }
  if (words.front() == "--markdown") {
    std::fputs(manual_markdown(program).c_str(), stdout);
    return 0;
  }
  const base::Status written = write_pages(program, words.front());
  return written ? 0 : report(written.error());
}

}  // namespace orch::cli
