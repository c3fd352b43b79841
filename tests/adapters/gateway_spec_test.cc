#include "adapters/gateway_spec.h"

#include <catch2/catch.hpp>

#include "adapters/manifest.h"

namespace orch::adapters {
namespace {

TEST_CASE("a value of a configuration is found by its way") {
  CHECK(config_value(R"({"env":{"A":"x","B":1}})", ".json", "/env/A") == "x");
  CHECK(config_value(R"({"env":{"A":"x","B":1}})", ".json", "/env/B").empty());
  CHECK(config_value("not json", ".json", "/env/A").empty());
  CHECK(config_value("# A=no\nexport A=\"x y\"\nB=z\n", ".env", "/A") == "x y");
  CHECK(config_value("AB=no\n", ".env", "/A").empty());
}

TEST_CASE("TOML is read as far as texts in tables go") {
  constexpr std::string_view kText =
      "model_provider = \"lab\"  # mine\n"
      "[model_providers.lab]\n"
      "name = 'x'\n"
      "base_url = \"http://127.0.0.1:1/v1\"\n"
      "[model_providers.\"other one\"]\n"
      "base_url = \"no\"\n"
      "[[array]]\n"
      "model_provider = \"no\"\n";
  CHECK(config_value(kText, ".toml", "/model_provider") == "lab");
  CHECK(config_value(kText, ".toml", "/model_providers/lab/base_url") == "http://127.0.0.1:1/v1");
  CHECK(config_value(kText, ".toml", "/model_providers/none/base_url").empty());
}

TEST_CASE("an argument that would show the secret to ps is refused") {
  const std::string begin = R"({"manifest":1,"name":"x","title":"X","program":["x"],"gateway":)"
                            R"({"address":"https://x.org","arguments":[")";
  const auto manifest = parse_manifest(begin + R"({url}"]}})", "x.json");
  REQUIRE_FALSE(manifest.ok());
  CHECK(manifest.error().text.find("would show the secret to ps") != std::string::npos);
}

TEST_CASE("the texts of a route are filled in") {
  const GatewaySpec::Route route =
      filled({{"-c", "{provider}={origin}"}, {{"A", "{url}"}}, R"({"a":"{url}"})"},
             {{"provider", "p"}, {"origin", "o"}, {"url", "u"}});
  CHECK(route.arguments == std::vector<std::string>{"-c", "p=o"});
  CHECK(route.env.at("A") == "u");
  CHECK(route.settings == R"({"a":"u"})");
}

}  // namespace
}  // namespace orch::adapters
