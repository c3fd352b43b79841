#include "store/cast_writer.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "store/file_io.h"
#include "store/json_text.h"

namespace orch::store {
namespace {

constexpr size_t kBufferBytes = 64 << 10;
constexpr size_t kLongestCharacter = 4;  // of a UTF-8 character
constexpr int64_t kClosingBytes = 128;   // room below the limit for the last marker

std::string header_line(const CastHeader& header) {
  base::Json json;
  json["version"] = 2;
  json["width"] = header.cols;
  json["height"] = header.rows;
  if (header.timestamp != 0) json["timestamp"] = header.timestamp;
  if (!header.title.empty()) json["title"] = header.title;
  for (const auto& [key, value] : header.env) json["env"][key] = value;
  if (!header.agent.empty()) json["orch"]["agent"] = header.agent;
  if (!header.agent_version.empty()) json["orch"]["version"] = header.agent_version;
  if (header.resumed) json["orch"]["resumed"] = true;
  if (header.duration_us) json["duration"] = static_cast<double>(*header.duration_us) / 1e6;
  return base::json_line(json) + "\n";
}

char letter(CastKind kind) {
  switch (kind) {
    case CastKind::kOutput:
      return 'o';
    case CastKind::kInput:
      return 'i';
    case CastKind::kResize:
      return 'r';
    case CastKind::kMarker:
      return 'm';
    case CastKind::kExit:
      return 'x';
  }
  return 'm';
}

}  // namespace

base::Result<std::unique_ptr<Recording>> Recording::create(const std::string& path,
                                                           const CastHeader& header,
                                                           int64_t limit_bytes) {
  base::Result<base::Fd> file = open_for_writing(path, O_TRUNC);
  if (!file) return file.error();
  std::unique_ptr<Recording> recording(new Recording(path, std::move(*file), limit_bytes));
  recording->buffer_ = header_line(header);
  const base::Status status = recording->flush();
  if (status) return recording;
  // A file without its header is not a recording. A device (/dev/stdout) is not removed.
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) std::filesystem::remove(path, ignored);
  return status.error();
}

Recording::Recording(std::string path, base::Fd file, int64_t limit_bytes)
    : path_(std::move(path)), file_(std::move(file)), limit_bytes_(limit_bytes) {}

std::unique_ptr<Recording> Recording::none() {
  return std::unique_ptr<Recording>(new Recording("", {}, 0));
}

Recording::~Recording() { static_cast<void>(flush()); }

base::Status Recording::output(int64_t ms, std::string_view bytes) {
  return stream(ms, CastKind::kOutput, cut_output_, bytes);
}

base::Status Recording::input(int64_t ms, std::string_view bytes) {
  return stream(ms, CastKind::kInput, cut_input_, bytes);
}

base::Status Recording::resize(int64_t ms, int cols, int rows) {
  return event(ms, CastKind::kResize, fmt::format("{}x{}", cols, rows));
}

base::Status Recording::marker(int64_t ms, std::string_view text) {
  return event(ms, CastKind::kMarker, text);
}

base::Status Recording::rest() {
  base::Status status = flush();
  std::string().swap(buffer_);
  return status;
}

base::Status Recording::flush() {
  if (!active()) return base::Ok{};
  size_t written = 0;
  base::Status status = write_all(file_, path_, buffer_, &written);
  if (status) {
    written_ += static_cast<int64_t>(written);
  } else {
    const size_t whole_lines = std::string_view(buffer_).substr(0, written).rfind('\n') + 1;
    cut_file(file_, written_ + static_cast<int64_t>(whole_lines));
    file_.reset();
  }
  buffer_.clear();
  return status;
}

base::Status Recording::finish(int64_t ms) {
  for (const auto& [kind, cut] :
       {std::pair(CastKind::kOutput, &cut_output_), std::pair(CastKind::kInput, &cut_input_)}) {
    if (cut->empty()) continue;
    base::Status status = event(ms, kind, std::exchange(*cut, {}));
    if (!status) return status;
  }
  if (!active()) return base::Ok{};
  last_ms_ = std::max(last_ms_, ms);
  append_line(CastKind::kMarker, "note=end");
  return end();
}

base::Status Recording::stream(int64_t ms, CastKind kind, std::string& cut,
                               std::string_view bytes) {
  std::string first;  // the character that the end of the last write has split
  if (!cut.empty()) {
    const size_t had = cut.size();
    first = std::exchange(cut, {}).append(bytes.substr(0, kLongestCharacter - had));
    if (base::incomplete_utf8_tail(first) == first.size()) {
      cut = first;
      return base::Ok{};
    }
    first.resize(base::decode_utf8(first).length);
    bytes.remove_prefix(first.size() - had);
  }
  const size_t tail = base::incomplete_utf8_tail(bytes);
  cut = bytes.substr(bytes.size() - tail);
  bytes.remove_suffix(tail);
  if (first.empty() && bytes.empty()) return base::Ok{};
  return event(ms, kind, bytes, first);
}

base::Status Recording::event(int64_t ms, CastKind kind, std::string_view text,
                              std::string_view before_it) {
  if (!active()) return base::Ok{};
  last_ms_ = std::max(last_ms_, ms);
  const size_t before = buffer_.size();
  append_line(kind, text, before_it);
  if (written_ + static_cast<int64_t>(buffer_.size()) > limit_bytes_ - kClosingBytes) {
    buffer_.resize(before);
    return end_at_limit();
  }
  return buffer_.size() < kBufferBytes ? base::Status(base::Ok{}) : flush();
}

void Recording::append_line(CastKind kind, std::string_view text, std::string_view before_it) {
  fmt::format_to(std::back_inserter(buffer_), "[{}.{:03}, \"{}\", \"", last_ms_ / 1000,
                 last_ms_ % 1000, letter(kind));
  invalid_bytes_ += static_cast<int64_t>(append_json_text(buffer_, before_it));
  invalid_bytes_ += static_cast<int64_t>(append_json_text(buffer_, text));
  buffer_ += "\"]\n";
}

base::Status Recording::end_at_limit() {
  append_line(CastKind::kMarker, fmt::format("note=end, record limit of {} bytes", limit_bytes_));
  return end();
}

base::Status Recording::end() {
  base::Status status = rest();
  if (status) ended_ = std::move(file_);
  return status;
}

}  // namespace orch::store
