// The reader accepts any bytes, and reads back what the writer wrote, also from a file that was cut
// off.

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/fd.h"
#include "base/text.h"
#include "store/cast_reader.h"
#include "store/cast_writer.h"
#include "store/file_io.h"

namespace {

using orch::store::Cast;
using orch::store::CastEvent;
using orch::store::CastKind;

bool begins_with(const std::vector<CastEvent>& events, const std::vector<CastEvent>& first) {
  return first.size() <= events.size() && std::equal(first.begin(), first.end(), events.begin());
}

void check(const Cast& cast) {
  ORCH_CHECK(cast.header.version == 2 || cast.header.version == 3);
  for (const int side : {cast.header.cols, cast.header.rows}) {
    ORCH_CHECK(side >= 1 && side <= orch::store::kMaxCastSize);
  }
  int64_t last = 0;
  for (const CastEvent& event : cast.events) {
    ORCH_CHECK(event.us >= last && event.us <= orch::store::kMaxCastUs);
    last = event.us;
    ORCH_CHECK(event.kind != CastKind::kResize || orch::store::parse_cast_size(event.data));
  }
  ORCH_CHECK(cast.end_us >= last && cast.end_us <= orch::store::kMaxCastUs);
}

// Checks that what is read up to the end of a line does not depend on what follows it.
void read_any(std::string_view bytes) {
  const auto cast = orch::store::parse_cast(bytes);
  if (!cast) {
    ORCH_CHECK(orch::base::printable(cast.error().text) == cast.error().text);
    return;
  }
  check(*cast);
  const size_t end = bytes.rfind('\n', bytes.size() / 2);
  const auto front = orch::store::parse_cast(bytes.substr(0, end == bytes.npos ? 0 : end + 1));
  if (!front) return;  // the header comes later
  ORCH_CHECK(begins_with(cast->events, front->events));
  ORCH_CHECK(front->malformed_lines <= cast->malformed_lines);
}

// A path by which the writer can open a file that has no name (memfd).
std::string unnamed_file() {
  static const orch::base::Fd file(::memfd_create("recording", MFD_CLOEXEC));
  ORCH_CHECK(file.valid());
  return "/proc/self/fd/" + std::to_string(file.get());
}

struct Written {
  std::string file, output, input;
  std::vector<std::string> markers, sizes;
  int64_t ms = 0;
};

// Uses the bytes as calls of the writer: a kind, a time, a length, and as many bytes.
Written write(std::string_view bytes) {
  static const std::string path = unnamed_file();
  Written written;
  orch::store::CastHeader header;
  header.cols = 80;
  header.rows = 24;
  header.title = orch::base::to_valid_utf8(bytes.substr(0, 16));
  auto recording = std::move(orch::store::Recording::create(path, header)).value();
  while (bytes.size() >= 3) {
    const auto kind = static_cast<uint8_t>(bytes[0]);
    const auto ms = written.ms + static_cast<int8_t>(bytes[1]);
    const std::string_view text = bytes.substr(3, static_cast<uint8_t>(bytes[2]));
    bytes.remove_prefix(3 + text.size());
    written.ms = std::max(written.ms, ms);
    if (kind % 4 == 0) {
      ORCH_CHECK(recording->output(ms, text).ok());
      written.output += text;
    } else if (kind % 4 == 1) {
      ORCH_CHECK(recording->input(ms, text).ok());
      written.input += text;
    } else if (kind % 4 == 2) {
      ORCH_CHECK(recording->resize(ms, 1 + kind, 300).ok());
      written.sizes.push_back(std::to_string(1 + kind) + "x300");
    } else {
      ORCH_CHECK(recording->marker(ms, text).ok());
      written.markers.push_back(orch::base::to_valid_utf8(text));
    }
  }
  ORCH_CHECK(recording->finish(written.ms).ok());
  written.markers.emplace_back("note=end");
  written.file = orch::store::read_file(path, 1 << 20).value();
  return written;
}

std::vector<std::string> data_of(const Cast& cast, CastKind kind) {
  std::vector<std::string> data;
  for (const CastEvent& event : cast.events) {
    if (event.kind == kind) data.push_back(event.data);
  }
  return data;
}

std::string joined(const Cast& cast, CastKind kind) {
  std::string text;
  for (const std::string& data : data_of(cast, kind)) text += data;
  return text;
}

void read_back(const Written& written, size_t cut) {
  const auto cast = orch::store::parse_cast(written.file);
  ORCH_CHECK(cast.ok() && cast->malformed_lines == 0);
  check(*cast);
  ORCH_CHECK(joined(*cast, CastKind::kOutput) == orch::base::to_valid_utf8(written.output));
  ORCH_CHECK(joined(*cast, CastKind::kInput) == orch::base::to_valid_utf8(written.input));
  ORCH_CHECK(data_of(*cast, CastKind::kMarker) == written.markers);
  ORCH_CHECK(data_of(*cast, CastKind::kResize) == written.sizes);
  ORCH_CHECK(cast->end_us == written.ms * 1000);

  const size_t header = written.file.find('\n') + 1;
  const std::string torn = written.file.substr(0, header + cut % (written.file.size() - header));
  const auto lines = std::count(torn.begin(), torn.end(), '\n') - 1;
  const auto rest = orch::store::parse_cast(torn);
  ORCH_CHECK(rest.ok() && rest->malformed_lines == 0);
  ORCH_CHECK(begins_with(cast->events, rest->events));
  ORCH_CHECK(rest->events.size() >= static_cast<size_t>(lines));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_any(bytes);
  read_back(write(bytes), size < 2 ? size : data[0] * 256U + data[1]);
  return 0;
}
