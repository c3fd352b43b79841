#include "store/cast_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/fd.h"
#include "base/json.h"
#include "base/text.h"
#include "store/file_io.h"
#include "store/input.h"

namespace orch::store {
namespace {

using base::Json;

// A header has some hundred bytes; the limit keeps its JSON tree small whatever the file is.
constexpr size_t kMaxHeaderBytes = 256 << 10;

int64_t rounded(double value) {
  constexpr auto kLimit = static_cast<double>(kMaxCastUs);
  return std::llround(std::clamp(value, -kLimit, kLimit));
}

int64_t microseconds(double seconds) { return rounded(seconds * 1e6); }

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::optional<int> size_of(const Json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  const bool fits = value.is_number_unsigned() && value.get<uint64_t>() >= 1 &&
                    value.get<uint64_t>() <= static_cast<uint64_t>(kMaxCastSize);
  return fits ? std::optional<int>(value.get<int>()) : std::nullopt;
}

base::Result<CastHeader> parse_header(std::string_view line) {
  if (line.size() > kMaxHeaderBytes) return base::usage_error("not an asciicast: no header line");
  const Json json = base::parse_json(base::to_valid_utf8(line));
  const Json& version = base::member(json, "version");
  if (!version.is_number_integer()) {
    return base::usage_error("not an asciicast: the first line is no header with a version");
  }
  if (version != 2 && version != 3) {
    return base::usage_error("asciicast version " + version.dump() +
                             " is not supported (2 and 3 are)");
  }
  CastHeader header;
  header.version = version.get<int>();
  const bool v3 = header.version == 3;
  const Json& place = v3 ? base::member(json, "term") : json;
  const std::optional<int> cols = size_of(base::member(place, v3 ? "cols" : "width"));
  const std::optional<int> rows = size_of(base::member(place, v3 ? "rows" : "height"));
  if (!cols || !rows) {
    return base::usage_error("the asciicast header has no valid terminal size (1 to 65535)");
  }
  header.cols = *cols;
  header.rows = *rows;
  const Json& timestamp = base::member(json, "timestamp");
  if (timestamp.is_number()) header.timestamp = rounded(timestamp.get<double>());
  const Json& duration = base::member(json, "duration");
  if (duration.is_number())
    header.duration_us = std::max<int64_t>(0, microseconds(duration.get<double>()));
  header.title = text_of(base::member(json, "title"));
  header.agent = text_of(base::member(base::member(json, "orch"), "agent"));
  header.agent_version = text_of(base::member(base::member(json, "orch"), "version"));
  header.resumed = base::member(base::member(json, "orch"), "resumed") == true;
  if (const Json& env = base::member(json, "env"); env.is_object()) {
    for (const auto& [key, value] : env.items()) header.env.emplace_back(key, text_of(value));
  }
  return header;
}

// Scans the few JSON forms that an event line consists of, from left to right. Each function
// returns whether the form was there; after a false the position means nothing.
class LineScanner {
 public:
  explicit LineScanner(std::string_view line) : rest_(line) {}

  bool punctuation(char expected) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != expected) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool number(double& value) {
    skip_blanks();
    // from_chars() would also accept "inf" and "nan".
    const size_t digit = rest_.empty() || rest_.front() != '-' ? 0 : 1;
    if (digit >= rest_.size() || rest_[digit] < '0' || rest_[digit] > '9') return false;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) return false;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return true;
  }

  bool string(std::string& out) {
    out.clear();
    if (!punctuation('"')) return false;
    while (true) {
      const size_t plain = plain_run();
      out.append(rest_.substr(0, plain));
      if (plain == rest_.size()) return false;
      const bool closed = rest_[plain] == '"';
      rest_.remove_prefix(plain + 1);
      if (closed) return true;
      if (!escape(out)) return false;
    }
  }

  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() &&
           (rest_.front() == ' ' || rest_.front() == '\t' || rest_.front() == '\r')) {
      rest_.remove_prefix(1);
    }
  }

  size_t plain_run() const {
    size_t n = 0;
    while (n < rest_.size() && rest_[n] != '"' && rest_[n] != '\\') ++n;
    return n;
  }

  // The character that an escape stands for; the backslash was read already.
  bool escape(std::string& out) {
    if (rest_.empty()) return false;
    const char letter = rest_.front();
    rest_.remove_prefix(1);
    switch (letter) {
      case '"':
      case '\\':
      case '/':
        out.push_back(letter);
        return true;
      case 'b':
        out.push_back('\b');
        return true;
      case 'f':
        out.push_back('\f');
        return true;
      case 'n':
        out.push_back('\n');
        return true;
      case 'r':
        out.push_back('\r');
        return true;
      case 't':
        out.push_back('\t');
        return true;
      case 'u':
        return unicode(out);
      default:
        return false;
    }
  }

  // Four hex digits and, after a high surrogate, a second escape; a surrogate alone is U+FFFD.
  bool unicode(std::string& out) {
    std::optional<char32_t> unit = hex4(rest_);
    if (!unit) return false;
    rest_.remove_prefix(4);
    if (*unit >= 0xD800 && *unit < 0xDC00 && rest_.substr(0, 2) == "\\u") {
      const std::optional<char32_t> low = hex4(rest_.substr(2));
      if (low && *low >= 0xDC00 && *low < 0xE000) {
        rest_.remove_prefix(6);
        unit = 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00);
      }
    }
    const bool lone = *unit >= 0xD800 && *unit < 0xE000;
    base::append_utf8(out, lone ? 0xFFFD : *unit);
    return true;
  }

  static std::optional<char32_t> hex4(std::string_view text) {
    if (text.size() < 4) return std::nullopt;
    uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + 4, value, 16);
    if (error != std::errc() || end != text.data() + 4) return std::nullopt;
    return value;
  }

  std::string_view rest_;
};

std::optional<CastKind> kind_named(std::string_view letter) {
  if (letter == "o") return CastKind::kOutput;
  if (letter == "i") return CastKind::kInput;
  if (letter == "r") return CastKind::kResize;
  if (letter == "m") return CastKind::kMarker;
  if (letter == "x") return CastKind::kExit;
  return std::nullopt;
}

class CastParser {
 public:
  explicit CastParser(CastHeader header) : header_(std::move(header)) {}

  // Returns whether the line is an event; event() then returns it.
  bool line(std::string_view line, bool torn) {
    if (line.empty() || line.front() == '#') return false;
    is_known_ = false;
    if (!event(line) && !torn) ++malformed_lines_;
    return is_known_;
  }
  void too_long() { ++malformed_lines_; }

  CastHeader& header() { return header_; }
  CastEvent& event() { return event_; }
  int64_t end_us() const { return std::max(event_.us, header_.duration_us.value_or(0)); }
  size_t malformed_lines() const { return malformed_lines_; }

 private:
  // [time, "kind", "data"]. False for any other line. The data of an unknown kind is not parsed,
  // but its time counts.
  bool event(std::string_view line) {
    LineScanner scanner(line);
    double seconds = 0;
    if (!scanner.punctuation('[') || !scanner.number(seconds) || !scanner.punctuation(',') ||
        !scanner.string(text_)) {
      return false;
    }
    const std::optional<CastKind> kind = kind_named(text_);
    if (kind && !(scanner.punctuation(',') && scanner.string(text_) && scanner.punctuation(']') &&
                  scanner.at_end())) {
      return false;
    }
    if (kind == CastKind::kResize && !parse_cast_size(text_)) return false;
    advance(microseconds(seconds));
    is_known_ = kind.has_value();
    event_.kind = kind.value_or(CastKind::kMarker);
    event_.data.swap(text_);
    return true;
  }

  // The times of v2 count from the start of the recording, those of v3 from the event before.
  void advance(int64_t us) {
    const int64_t time = header_.version == 3 ? event_.us + us : us;
    event_.us = std::clamp(time, event_.us, kMaxCastUs);
  }

  CastHeader header_;
  CastEvent event_;  // the last event
  bool is_known_ = false;
  size_t malformed_lines_ = 0;
  std::string text_;  // the string read last, kept to reuse its memory
};

// Splits a file into lines, reading it block by block.
class LineReader {
 public:
  LineReader(base::Fd file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  explicit LineReader(std::string bytes) : buffer_(std::move(bytes)), at_end_(true) {}

  struct Line {
    std::string_view text;  // valid until the next call
    bool torn = false;      // it does not end with a line feed
    bool too_long = false;  // longer than kMaxCastLineBytes; then text is empty
  };
  std::optional<Line> next() {
    while (true) {
      const size_t end = buffer_.find('\n', searched_);
      if (end != std::string::npos) return take(end, /*torn=*/false);
      searched_ = buffer_.size();
      if (searched_ - begin_ > kMaxCastLineBytes) {
        skipped_ += searched_ - begin_;
        begin_ = searched_;
      }
      if (skipped_ > kMaxCastBytes) {
        trouble_ = base::usage_error(path_ + ": not an asciicast: a line has more than 1 GB");
        return std::nullopt;
      }
      if (at_end_) break;
      read_more();
    }
    if (begin_ == buffer_.size()) return std::nullopt;
    return take(buffer_.size(), /*torn=*/true);
  }
  const base::Status& trouble() const { return trouble_; }

 private:
  static constexpr size_t kReadBytes = size_t{256} << 10;

  Line take(size_t end, bool torn) {
    Line line{std::string_view(buffer_).substr(begin_, end - begin_), torn,
              std::exchange(skipped_, 0) > 0};
    if (line.too_long) line.text = {};
    begin_ = searched_ = torn ? end : end + 1;
    return line;
  }

  void read_more() {
    buffer_.erase(0, begin_);
    searched_ -= std::exchange(begin_, 0);
    const size_t had = buffer_.size();
    buffer_.resize(had + kReadBytes);
    ssize_t n = 0;
    do {
      n = ::read(file_.get(), buffer_.data() + had, kReadBytes);
    } while (n < 0 && errno == EINTR);
    if (n < 0) trouble_ = base::system_error("read " + path_, errno);
    buffer_.resize(had + static_cast<size_t>(std::max<ssize_t>(n, 0)));
    at_end_ = n <= 0;
  }

  base::Fd file_;
  std::string path_, buffer_;
  // The next line begins at begin_, and has no line feed before searched_.
  size_t begin_ = 0, searched_ = 0;
  size_t skipped_ = 0;  // the part of the line that is already forgotten, because it is too long
  bool at_end_ = false;
  base::Status trouble_ = base::Ok{};
};

}  // namespace

base::Result<Cast> parse_cast(std::string_view bytes) {
  std::optional<CastParser> parser;
  Cast cast;
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const bool torn = end == std::string_view::npos;
    const std::string_view line = base::trim(bytes.substr(0, end));
    bytes.remove_prefix(torn ? bytes.size() : end + 1);
    if (parser) {
      if (parser->line(line, torn)) cast.events.push_back(parser->event());
    } else if (!line.empty()) {
      base::Result<CastHeader> header = parse_header(line);
      if (!header) return header.error();
      parser.emplace(std::move(header).value());
    }
  }
  if (!parser) return base::usage_error("not an asciicast: it is empty");
  cast.header = std::move(parser->header());
  cast.end_us = parser->end_us();
  cast.malformed_lines = parser->malformed_lines();
  return cast;
}

base::Result<Cast> read_cast(const std::string& path) {
  const base::Result<std::string> bytes = read_file(path, kMaxCastBytes);
  if (!bytes) return bytes.error();
  base::Result<Cast> cast = parse_cast(*bytes);
  if (!cast) return base::Error{cast.error().code, path + ": " + cast.error().text};
  return cast;
}

struct CastReader::Parts {
  LineReader lines;
  CastParser parser{CastHeader()};
};

CastReader::CastReader(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
CastReader::~CastReader() = default;
CastReader::CastReader(CastReader&& other) noexcept = default;
CastReader& CastReader::operator=(CastReader&& other) noexcept = default;

base::Result<CastReader> CastReader::open(const std::string& path) {
  base::Result<base::Fd> file = open_input(path);
  if (!file) return file.error();
  LineReader lines(std::move(file).value(), path);
  return read_header(std::make_unique<Parts>(Parts{std::move(lines)}), path);
}

base::Result<CastReader> CastReader::open_regular(const std::string& path) {
  base::Result<base::Fd> file = open_regular_file(path);
  if (!file) return file.error();
  LineReader lines(std::move(file).value(), path);
  return read_header(std::make_unique<Parts>(Parts{std::move(lines)}), path);
}

base::Result<CastReader> CastReader::of_bytes(std::string bytes, const std::string& name) {
  return read_header(std::make_unique<Parts>(Parts{LineReader(std::move(bytes))}), name);
}

base::Result<CastReader> CastReader::read_header(std::unique_ptr<Parts> parts,
                                                 const std::string& path) {
  while (const std::optional<LineReader::Line> line = parts->lines.next()) {
    const std::string_view text = base::trim(line->text);
    if (text.empty() && !line->too_long) continue;
    base::Result<CastHeader> header = parse_header(text);
    if (!header) return base::Error{header.error().code, path + ": " + header.error().text};
    parts->parser = CastParser(std::move(header).value());
    return CastReader(std::move(parts));
  }
  if (!parts->lines.trouble()) return parts->lines.trouble().error();
  return base::usage_error(path + ": not an asciicast: it is empty");
}

const CastHeader& CastReader::header() const { return parts_->parser.header(); }

const CastEvent* CastReader::next() {
  CastParser& parser = parts_->parser;
  while (const std::optional<LineReader::Line> line = parts_->lines.next()) {
    if (line->too_long) {
      parser.too_long();
    } else if (parser.line(base::trim(line->text), line->torn)) {
      return &parser.event();
    }
  }
  return nullptr;
}

int64_t CastReader::end_us() const { return parts_->parser.end_us(); }
size_t CastReader::malformed_lines() const { return parts_->parser.malformed_lines(); }
base::Status CastReader::trouble() const { return parts_->lines.trouble(); }

}  // namespace orch::store
