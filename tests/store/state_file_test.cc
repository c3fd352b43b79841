#include "store/state_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>

#include "scratch.h"

using namespace orch::store;

TEST_CASE("what is missing, what is there and what cannot be read are three answers") {
  const ScratchFolder scratch;
  const std::string file = scratch.file("file"), loop = scratch.file("loop");
  put_content(file, "text");
  REQUIRE(::symlink(loop.c_str(), loop.c_str()) == 0);
  CHECK(read_state(file, 4).value() == "text");
  CHECK(read_state(scratch.file("none"), 4).is_absent());
  CHECK(read_state(file + "/below", 4).is_absent());  // ENOTDIR
  const auto refused = read_state(loop, 4);
  REQUIRE(refused.is_unknown());
  CHECK(is_refused(refused.error()));
  CHECK(refused.error().text.find(loop) != std::string::npos);
  for (const std::string& path : {file, scratch.path()}) {  // too large, no regular file
    const auto unfit = read_state(path, 3);
    REQUIRE(unfit.is_unknown());
    CHECK_FALSE(is_refused(unfit.error()));
  }
  CHECK(presence_of(loop).is_present());
  CHECK(presence_of(scratch.file("none")).is_absent());
  CHECK(presence_of(loop + "/below").is_unknown());
  CHECK_FALSE(is_absent(loop + "/below"));
  CHECK(time_of_change(file).is_present());
  CHECK(time_of_change(scratch.file("none")).is_absent());
  CHECK(time_of_change(loop + "/below").is_unknown());
}

TEST_CASE("a folder that is missing has no names, and one that cannot be read has no list") {
  const ScratchFolder scratch;
  put_content(scratch.file("b"), "");
  put_content(scratch.file("a"), "");
  CHECK(names_in_folder(scratch.path()).value() == std::vector<std::string>{"a", "b"});
  CHECK(names_in_folder(scratch.file("none")).value().empty());
  REQUIRE(::symlink("loop", scratch.file("loop").c_str()) == 0);
  CHECK_FALSE(names_in_folder(scratch.file("loop")).ok());
}

TEST_CASE("only what the system calls missing is missing") {
  for (const int error : {ENOENT, ENOTDIR}) CHECK(means_absent(error));
  for (const int error : {EIO, EMFILE, ENFILE, ESTALE, EACCES, ELOOP, ENOMEM, EINTR}) {
    CHECK_FALSE(means_absent(error));
  }
}
