#include "driver/dialog_keys.h"

#include <catch2/catch.hpp>

namespace orch::driver {
namespace {

using detect::DialogView;

DialogView dialog(std::vector<std::string> options, int cursor = 0, bool numbered = true) {
  DialogView view;
  view.options = std::move(options);
  view.cursor = cursor;
  view.numbered = numbered;
  return view;
}

DialogView row(std::vector<std::string> options, int cursor) {
  DialogView view = dialog(std::move(options), cursor, false);
  view.beside = true;
  return view;
}

}  // namespace

TEST_CASE("A numbered option is chosen by its digit wherever the cursor is") {
  CHECK(next_key(dialog({"Yes", "No"}, 0), 1) == DialogKey::kDigit);
  CHECK(next_key(dialog({"Yes", "No"}, -1), 0) == DialogKey::kDigit);
}

TEST_CASE("There is no digit for the tenth option") {
  CHECK(next_key(dialog(std::vector<std::string>(12, "x"), 9), 9) == DialogKey::kEnter);
  CHECK(next_key(dialog(std::vector<std::string>(12, "x"), 7), 9) == DialogKey::kDown);
}

TEST_CASE("In a list without numbers the cursor is brought to the option, then Enter") {
  CHECK(next_key(dialog({"a", "b", "c"}, 0, false), 2) == DialogKey::kDown);
  CHECK(next_key(dialog({"a", "b", "c"}, 2, false), 0) == DialogKey::kUp);
  CHECK(next_key(dialog({"a", "b", "c"}, 2, false), 2) == DialogKey::kEnter);
  CHECK(next_key(dialog({"a", "b", "c"}, -1, false), 2) == DialogKey::kUnknown);
}

TEST_CASE("In a row it goes left and right") {
  CHECK(next_key(row({"Allow once", "Allow always", "Reject"}, 0), 2) == DialogKey::kRight);
  CHECK(next_key(row({"Allow once", "Allow always", "Reject"}, 2), 0) == DialogKey::kLeft);
  CHECK(next_key(row({"Allow once", "Allow always", "Reject"}, 0), 0) == DialogKey::kEnter);
  CHECK(next_key(row({"Allow once", "Allow always", "Reject"}, -1), 0) == DialogKey::kUnknown);
}

}  // namespace orch::driver
