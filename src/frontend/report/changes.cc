#include "report/changes.h"

#include <fmt/format.h>

#include <vector>

#include "base/text.h"
#include "report/html.h"

namespace orch::report {
namespace {

struct ChangedFile {
  std::string_view name;
  std::vector<std::string_view> lines;  // hunks, or the reason why there are none
  size_t added = 0, removed = 0;
};

constexpr std::string_view kFile = "diff --git ";

// "b/src/x.cc" of "a/src/x.cc b/src/x.cc": the name after the change. Names in quotation marks stay
// as git writes them.
std::string_view name_in(std::string_view header) {
  header.remove_prefix(kFile.size());
  for (const std::string_view between : {" b/", " \"b/"}) {
    const size_t at = header.find(between);
    if (at != std::string_view::npos) return header.substr(at + between.size());
  }
  return header;
}

std::vector<ChangedFile> files_in(std::string_view patch) {
  std::vector<ChangedFile> files;
  bool in_hunks = false;
  for (const std::string_view line : base::split_lines(patch)) {
    if (line.starts_with(kFile)) {
      files.push_back({name_in(line), {}});
      in_hunks = false;
      continue;
    }
    if (files.empty()) continue;
    ChangedFile& file = files.back();
    in_hunks = in_hunks || line.starts_with("@@ ");
    const bool tells = line.starts_with("Binary files ") || line.starts_with("rename ") ||
                       line.starts_with("old mode ") || line.starts_with("new mode ") ||
                       line.starts_with("deleted file ") || line.starts_with("new file ");
    if (!in_hunks && !tells) continue;
    file.lines.push_back(line);
    if (in_hunks && line.starts_with('+')) ++file.added;
    if (in_hunks && line.starts_with('-')) ++file.removed;
  }
  return files;
}

std::string line_html(std::string_view line) {
  constexpr size_t kMostBytes = 2000;
  const std::string text = escaped(line, kMostBytes);
  if (line.starts_with('+')) return "<ins>" + text + "</ins>";
  if (line.starts_with('-')) return "<del>" + text + "</del>";
  if (line.starts_with("@@ ")) return "<b>" + text + "</b>";
  return "<span>" + text + "</span>";
}

std::string file_html(const ChangedFile& file, std::string_view lines) {
  return fmt::format(
      "<details><summary><code>{}</code> <span class=\"n\">+{} -{}</span></summary>"
      "<pre>{}</pre></details>\n",
      escaped(file.name, 500), grouped(file.added), grouped(file.removed), lines);
}

}  // namespace

std::string changes_of(std::string_view patch, size_t max_bytes) {
  std::string html;
  size_t left = max_bytes;
  for (const ChangedFile& file : files_in(patch)) {
    std::string lines;
    for (const std::string_view line : file.lines) {
      std::string one = line_html(line);
      if (one.size() > left) {
        left = 0;
        lines += "<span>… orch diff has the rest</span>";
        break;
      }
      left -= one.size();
      lines += one;
    }
    html += file_html(file, lines);
  }
  return html;
}

}  // namespace orch::report
