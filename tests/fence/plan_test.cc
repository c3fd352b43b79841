#include "fence/plan.h"

#include <catch2/catch.hpp>

#include "fence/places.h"
#include "fenced.h"

using namespace orch::fence;

TEST_CASE("a network is all, none, or ports") {
  CHECK(parse_network("none")->kind == Network::Kind::kNone);
  CHECK(parse_network("all")->kind == Network::Kind::kOpen);
  const Network model = parse_network("model,PyPI.org,x.org:8443").value();
  CHECK(model.kind == Network::Kind::kModel);
  CHECK(model.hosts == std::vector<std::string>{"pypi.org:443", "x.org:8443"});
  CHECK(parse_network(to_text(model)).value() == model);
  CHECK(parse_network("model")->hosts.empty());
  for (const char* bad : {"model,", "model,pypi", "model,.org", "model,a.org:0", "model,a.org:x",
                          "model,443", "model,a.org/b", "model,u@a.org", "modelx"}) {
    CHECK_FALSE(parse_network(bad));
  }
  const Network ports = parse_network("443,8080,udp").value();
  CHECK(ports.ports == std::vector<uint16_t>{443, 8080});
  CHECK(ports.datagrams);
  CHECK(to_text(ports) == "443,8080,udp");
  for (const char* bad : {"", "udp", "0", "65536", "443,", ",443", "https", "443 80", "-1"}) {
    INFO(bad);
    CHECK_FALSE(parse_network(bad));
  }
}

TEST_CASE("a plan is read as it was written") {
  const Yard yard;
  Plan plan = yard.plan({Network::Kind::kPorts, {443}, true, {}});
  plan.layers.namespaces = true;
  plan.bubblewrap = "/usr/bin/bwrap";
  plan.sockets = {"/run/a"};
  plan.snapshot = "/state/snapshot";
  plan.snapshot_needed = false;
  CHECK(plan_from_json(to_json(plan), "fence.json").value() == plan);
  CHECK_FALSE(plan_from_json("{}", "fence.json"));
  CHECK_FALSE(plan_from_json(to_json(plan).substr(0, 40), "fence.json"));
}

TEST_CASE("what cannot be held is not promised") {
  const Yard yard;
  Request request = yard.request();
  request.network = {Network::Kind::kPorts, {443}, false, {}};
  Offer weak;
  weak.landlock = 3;
  weak.seccomp = true;
  CHECK_FALSE(make_plan(weak, request));
  weak.landlock = 4;
  CHECK(make_plan(weak, request));
  weak.seccomp = false;
  CHECK_FALSE(make_plan(weak, request));
  request.network = {Network::Kind::kNone, {}, false, {}};
  CHECK_FALSE(make_plan(weak, request));
  weak.bubblewrap = "/usr/bin/bwrap";
  CHECK(make_plan(weak, request));
}
