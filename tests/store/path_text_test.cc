#include "store/path_text.h"

#include <catch2/catch.hpp>

using namespace orch::store;

TEST_CASE("a path survives its way through text, byte for byte") {
  std::string every = "/";
  for (int byte = 1; byte < 256; ++byte) every += static_cast<char>(byte);
  for (const std::string& path :
       {std::string("/tmp/project"), std::string("/tmp/caf\xc3\xa9"), std::string("/tmp/caf\xe9"),
        std::string("/100%/a b"), std::string("/\xff%41"), std::string(), every}) {
    INFO(path);
    CHECK(path_from_text(path_to_text(path)) == path);
  }
}

TEST_CASE("a path that is text is written as it is, another as the URL of a file") {
  CHECK(path_to_text("/tmp/100% caf\xc3\xa9") == "/tmp/100% caf\xc3\xa9");
  CHECK(path_to_text("/tmp/a b/caf\xe9") == "file:///tmp/a%20b/caf%E9");
  CHECK(path_from_text("/tmp/%41") == "/tmp/%41");
  CHECK(path_from_text("file:///a%4") == "/a%4");
  CHECK(path_from_text("file:///a%zz%") == "/a%zz%");
}
