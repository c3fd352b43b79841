#include "repo/manifest.h"

#include <catch2/catch.hpp>

using namespace orch::repo;

namespace {

Manifest sample(const std::string& path = "src/a\nb\xff") {
  Manifest manifest;
  manifest.work_dir = "/w";
  manifest.taken_ns = 7;
  manifest.archives = {"archive-1"};
  KeptEntry kept;
  kept.entry.path = path;
  kept.entry.node = {EntryKind::kFile, 0644, 1, 2, 3, -4, 5, 6};
  kept.kept = Kept::kArchived;
  kept.offset = 9;
  kept.checksum = 11;
  manifest.roots.resize(2);
  manifest.roots[0].spec.path = "/w";
  manifest.roots[0].entries.push_back(kept);
  manifest.roots[1].spec = {"/git", true};
  return manifest;
}

}  // namespace

TEST_CASE("a manifest survives the way through its text") {
  const Manifest before = sample();
  const auto after = manifest_from_text(to_text(before));
  REQUIRE(after.ok());
  CHECK(to_text(*after) == to_text(before));
  CHECK(after->roots[0].entries[0].entry.path == "src/a\nb\xff");
  CHECK(after->roots[0].entries[0].entry.node == before.roots[0].entries[0].entry.node);
  CHECK(after->roots[0].entries[0].checksum == 11);
  CHECK(after->roots[1].spec.shared);
}

TEST_CASE("a manifest of the first format is read, one of a later orch is told") {
  Manifest manifest = sample();
  manifest.roots[0].entries[0].checksum.reset();
  std::string text = to_text(manifest);
  REQUIRE(text.starts_with("orch snapshot 2"));
  std::string later = text;
  later[14] = '3';
  const auto refused = manifest_from_text(later);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().text.find("later orch") != std::string::npos);
  // In version 1, entries end with the offset, and roots have no inode after their mode.
  text[14] = '1';
  for (const std::string& root : {std::string("/w\0"
                                              "0\0"
                                              "448\0",
                                              9),
                                  std::string("/git\0"
                                              "1\0"
                                              "448\0",
                                              11)}) {
    const size_t inode = text.find(root + std::string("0\0", 2));
    REQUIRE(inode != std::string::npos);
    text.erase(inode + root.size(), 2);
  }
  const std::string offset = std::string(
      "\0"
      "9\0",
      3);
  const size_t at = text.find(offset);
  REQUIRE(at != std::string::npos);
  text.erase(at + offset.size(), 1);
  const auto first = manifest_from_text(text);
  REQUIRE(first.ok());
  CHECK_FALSE(first->roots[0].entries[0].checksum.has_value());
  CHECK(to_text(*first) == to_text(manifest));
}

TEST_CASE("a manifest whose paths leave their root is refused") {
  for (const char* path : {"", "..", "../x", "a/../b", "/etc/passwd", "a//b", "a/", ".", "a/."}) {
    INFO(path);
    CHECK_FALSE(manifest_from_text(to_text(sample(path))).ok());
  }
  Manifest manifest = sample();
  manifest.archives = {"../archive"};
  CHECK_FALSE(manifest_from_text(to_text(manifest)).ok());
  manifest = sample();
  manifest.roots[0].entries[0].archive = 1;
  CHECK_FALSE(manifest_from_text(to_text(manifest)).ok());
}

TEST_CASE("a torn manifest is an error, wherever it was torn") {
  const std::string text = to_text(sample());
  for (size_t length = 0; length < text.size(); ++length) {
    INFO(length);
    CHECK_FALSE(manifest_from_text(text.substr(0, length)).ok());
  }
}
