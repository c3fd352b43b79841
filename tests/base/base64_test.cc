#include "base/base64.h"

#include <catch2/catch.hpp>

using orch::base::base64_decoded;

TEST_CASE("base64: the bytes of the RFC's examples, and of every value") {
  CHECK(base64_decoded("") == "");
  CHECK(base64_decoded("Zg==") == "f");
  CHECK(base64_decoded("Zm8=") == "fo");
  CHECK(base64_decoded("Zm9v") == "foo");
  CHECK(base64_decoded("Zm9vYg==") == "foob");
  CHECK(base64_decoded("Zm9vYmFy") == "foobar");
  CHECK(base64_decoded("/+8A") == std::string("\xff\xef\0", 3));
}

TEST_CASE("base64: any other text is none") {
  for (const char* text :
       {"Z", "Zg", "Zg=", "Zm9v\n", "Zm 9", "Zm-_", "====", "Z===", "Zg==Zg=="}) {
    CAPTURE(text);
    CHECK_FALSE(base64_decoded(text).has_value());
  }
}
