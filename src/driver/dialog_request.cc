#include "driver/dialog_request.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "base/text.h"
#include "driver/option_meaning.h"

namespace orch::driver {

using agent::DialogRequest;
using Action = DialogRequest::Action;

namespace {

using Lines = std::span<const std::string_view>;

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [text](std::string_view start) { return text.starts_with(start); });
}

// The last line that begins with `start`; lines.size() when none does.
size_t find_last_line(Lines lines, std::string_view start) {
  for (size_t i = lines.size(); i-- > 1;) {
    if (lines[i].starts_with(start)) return i;
  }
  return lines.size();
}

// Which line begins with one of `starts`, from `from` on; lines.size() when none does.
size_t find_line(Lines lines, size_t from, std::initializer_list<std::string_view> starts) {
  for (size_t i = from; i < lines.size(); ++i) {
    if (starts_with_any(lines[i], starts)) return i;
  }
  return lines.size();
}

size_t columns(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Would the next line's first word have gone beyond `room` columns? Otherwise it was not wrapped.
bool may_wrap(std::string_view line, std::string_view next, size_t room) {
  const std::string_view word = next.substr(0, next.find(' '));
  return columns(line) + 1 + columns(word) > room;
}

// The lines as one text: those that may have been wrapped at `room` columns joined by `glue`.
std::string joined(Lines lines, size_t room, std::string_view glue) {
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) text += may_wrap(lines[i - 1], lines[i], room) ? glue : "\n";
    text += lines[i];
  }
  return text;
}

// "... 3 hidden (Ctrl+O) ...", "+12 lines", or an ellipsis at the end of a line.
bool is_cut(Lines lines) {
  return std::any_of(lines.begin(), lines.end(), [](std::string_view line) {
    return line.ends_with("…") || line.starts_with("…") ||
           (line.starts_with("...") && line.find("hidden") != std::string_view::npos) ||
           (line.starts_with("+") && line.find(" lines") != std::string_view::npos);
  });
}

DialogRequest command_of(Lines lines, const detect::DialogView& dialog, bool described) {
  DialogRequest request;
  if (lines.empty() || is_cut(lines)) return request;
  request.action = Action::kCommand;
  // Most dialogs are as wide as the screen but for frames and indentation. One that is not still
  // wraps nothing that would have fitted into its longest line.
  constexpr size_t kFrame = 16, kIndent = 4;
  size_t longest = 0;
  for (const std::string_view line : lines) longest = std::max(longest, columns(line));
  const size_t width = static_cast<size_t>(dialog.width);
  const size_t wide = width - std::min(width, kFrame);
  const size_t narrow = std::min(wide, longest - std::min(longest, kIndent));
  const auto add = [&request, wide, narrow](Lines part) {
    request.likely.push_back(joined(part, wide, " "));
    for (std::string reading : {joined(part, wide, "\n"), joined(part, wide, ""),
                                joined(part, narrow, " "), joined(part, narrow, "")}) {
      if (reading == request.likely.back()) continue;
      if (std::find(request.possible.begin(), request.possible.end(), reading) !=
          request.possible.end()) {
        continue;
      }
      request.possible.push_back(std::move(reading));
    }
  };
  if (described && lines.size() > 1) add(lines.first(lines.size() - 1));
  add(lines);
  return request;
}

// Claude: the command, its description in another colour, a remark.
DialogRequest described_command(Lines lines, const detect::DialogView& dialog, size_t begin,
                                size_t end) {
  const auto tinted = [&dialog](size_t line) {  // the first line is the title
    return std::find(dialog.tinted.begin(), dialog.tinted.end(), static_cast<int>(line) - 1) !=
           dialog.tinted.end();
  };
  for (size_t i = begin + 1; i < end; ++i) {
    if (!tinted(i) || tinted(begin)) continue;
    return command_of(lines.subspan(begin, i - begin), dialog, false);
  }
  return command_of(lines.subspan(begin, end - begin), dialog, true);
}

DialogRequest write_of(std::vector<std::string> paths) {
  DialogRequest request;
  const bool known = !paths.empty() && std::all_of(paths.begin(), paths.end(), [](const auto& p) {
    return !p.empty() && p.find("…") == std::string::npos && p.find("...") == std::string::npos;
  });
  if (!known) return request;
  request.action = Action::kWrite;
  request.paths = std::move(paths);
  return request;
}

// All the lines from one on as one text: a path that wraps.
std::string rest_of(Lines lines, size_t from, std::string_view start) {
  std::string text;
  for (size_t i = from; i < lines.size(); ++i) text += lines[i];
  text.erase(0, std::min(start.size(), text.size()));
  return std::string(base::trim(text));
}

std::vector<std::string> listed(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(", "), text.size());
    items.emplace_back(base::trim(text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 2, text.size()));
  }
  return items;
}

// "Do you want to create test_main.py?" → "test_main.py".
std::optional<std::string> asked_path(Lines lines) {
  for (const std::string_view start :
       {"Do you want to make this edit to ", "Do you want to create ", "Do you want to overwrite ",
        "Do you want to edit ", "Do you want to write "}) {
    const size_t line = find_line(lines, 0, {start});
    if (line == lines.size()) continue;
    std::string path = rest_of(lines, line, start);
    path.erase(std::min(path.find('?'), path.size()));
    return path;
  }
  return std::nullopt;
}

// "? Edit  main.py: old => new", "? WriteFile  Writing to main.py": gemini and qwen.
std::optional<std::string> tool_path(std::string_view title) {
  if (!title.starts_with('?')) return std::nullopt;
  title = base::trim(title.substr(1));
  for (const std::string_view tool : {"Edit ", "WriteFile "}) {
    if (!title.starts_with(tool)) continue;
    std::string_view path = base::trim(title.substr(tool.size()));
    if (path.ends_with("←")) path.remove_suffix(std::string_view("←").size());
    if (path.starts_with("Writing to ")) return std::string(base::trim(path.substr(11)));
    return std::string(path.substr(0, path.find(": ")));
  }
  return std::nullopt;
}

// Nothing when it is no dialog over a command.
std::optional<DialogRequest> find_command(Lines lines, const detect::DialogView& dialog) {
  const size_t asked = find_line(lines, 0, {"Would you like to run the following command"});
  const size_t dollar = find_line(lines, asked == lines.size() ? 0 : asked, {"$ "});
  if (lines[0].starts_with("Bash command")) {
    return described_command(lines, dialog, 1, find_last_line(lines, "Do you want to "));
  }
  if (starts_with_any(lines[0], {"? Shell", "?  Shell"})) {
    return command_of(lines.subspan(1, find_last_line(lines, "Allow execution of") - 1), dialog,
                      false);
  }
  if (const size_t end = find_last_line(lines, "Do you want to run this command?");
      end < lines.size()) {
    return command_of(lines.subspan(1, end - 1), dialog, false);
  }
  if (dollar == lines.size()) return std::nullopt;
  std::vector<std::string_view> command(lines.begin() + static_cast<long>(dollar), lines.end());
  command.front().remove_prefix(2);
  return command_of(command, dialog, false);
}

// Nothing when it is no dialog over a file.
std::optional<DialogRequest> find_write(Lines lines) {
  if (starts_with_any(lines[0], {"Edit file", "Create file", "Write file", "Overwrite file"}) &&
      lines.size() > 1) {
    const std::optional<std::string> asked = asked_path(lines);
    if (asked && asked->find('/') != std::string::npos) return write_of({*asked});
    return write_of({std::string(lines[1])});
  }
  if (const size_t line = find_line(lines, 0, {"Would you like to make the following edits?"});
      line < lines.size()) {
    for (const std::string_view start : {"Destination: ", "Destinations: "}) {
      const size_t to = find_line(lines, line, {start});
      if (to < lines.size()) return write_of(listed(rest_of(lines, to, start)));
    }
    return DialogRequest{};
  }
  if (const auto path = tool_path(lines[0])) return write_of({*path});
  for (const std::string_view tool : {"→ Edit ", "← Edit ", "→ Write ", "← Write "}) {
    const size_t line = find_line(lines, 1, {tool});
    if (line == lines.size() || !lines[0].starts_with("△")) continue;
    return write_of({std::string(lines[line].substr(tool.size()))});
  }
  return std::nullopt;
}

DialogRequest read_request(const detect::DialogView& dialog) {
  const std::string text = dialog.title + "\n" + dialog.body;
  const std::vector<std::string_view> lines = base::split_lines(text);
  if (dialog.title.empty()) return {};
  if (auto command = find_command(lines, dialog)) return *std::move(command);
  if (auto write = find_write(lines)) return *std::move(write);
  DialogRequest request;
  // opencode asks for a folder beforehand, for whatever it will do there.
  const bool all_seen = dialog.whole && text.find("external directory") == std::string::npos;
  if (all_seen && !is_cut(lines)) request.action = Action::kOther;
  return request;
}

}  // namespace

DialogRequest request_of(const detect::DialogView& dialog, event::Cause kind) {
  DialogRequest request = read_request(dialog);
  request.kind = kind;
  request.complete = request.action != Action::kUnknown;
  request.title = dialog.title;
  request.body = dialog.body;
  for (const std::string& option : dialog.options) {
    request.options.push_back({option, meaning_of(option)});
  }
  if (dialog.cursor >= 0) request.cursor = static_cast<size_t>(dialog.cursor);
  return request;
}

}  // namespace orch::driver
