#include "policy/dialog_request.h"

#include <catch2/catch.hpp>

namespace orch::policy {
namespace {

using Kind = DialogRequest::Kind;
using Texts = std::vector<std::string>;

detect::DialogView dialog(std::string title, std::string body, int width = 80) {
  detect::DialogView view;
  view.title = std::move(title);
  view.body = std::move(body);
  view.whole = true;
  view.width = width;
  return view;
}

}  // namespace

TEST_CASE("A command is read from each agent's dialog") {
  const Texts commands{"touch out.txt"};
  CHECK(request_of(dialog("Would you like to run the following command?",
                          "Environment: local\nReason: Run?\n$ touch out.txt"))
            .likely == commands);
  CHECK(request_of(dialog("+ Show details",
                          "$ not this\nWould you like to run the following command?\n"
                          "$ touch out.txt"))
            .likely == commands);
  CHECK(request_of(dialog("△ Permission required", "# Shell command\n$ touch out.txt")).likely ==
        commands);
  CHECK(request_of(dialog("? Shell  touch out.txt", "touch out.txt\nAllow execution of [Shell]?"))
            .likely == commands);
  CHECK(request_of(dialog("?  Shell touch out.txt (Touch) ←",
                          "touch out.txt\nAllow execution of: 'touch'?"))
            .likely == commands);
  CHECK(request_of(dialog("Touch a file", "touch out.txt\nDo you want to run this command?"))
            .likely == commands);
}

TEST_CASE("A command that quotes a dialog's words does not end there") {
  CHECK(request_of(dialog("Show",
                          "echo 'x\nDo you want to run this command?\n'; rm -rf /\n"
                          "Do you want to run this command?"))
            .likely == Texts{"echo 'x\nDo you want to run this command?\n'; rm -rf /"});
}

TEST_CASE("A description in another colour is no part of the command") {
  detect::DialogView view =
      dialog("Bash command", "touch out.txt\nDon't ask\nNeeds approval\nDo you want to proceed?");
  view.tinted = {1};
  CHECK(request_of(view).likely == Texts{"touch out.txt"});
}

TEST_CASE("Where colours do not tell, the last line may be a description") {
  const DialogRequest request =
      request_of(dialog("Bash command", "make\nBuild all\nDo you want to proceed?"));
  CHECK(request.likely == Texts{"make", "make\nBuild all"});
}

TEST_CASE("Lines that may have been wrapped are joined; the others end commands") {
  const DialogRequest request =
      request_of(dialog("t", "$ for i in 1 2 3; do echo $i;\nsleep 1; done\nls", /*width=*/44));
  CHECK(request.likely == Texts{"for i in 1 2 3; do echo $i; sleep 1; done\nls"});
  CHECK(request.possible == Texts{"for i in 1 2 3; do echo $i;\nsleep 1; done\nls",
                                  "for i in 1 2 3; do echo $i;sleep 1; done\nls"});
}

TEST_CASE("In a narrow dialog on a wide screen lines may have been wrapped nevertheless") {
  const DialogRequest request =
      request_of(dialog("t", "$ make -C some/folder && rm -rf\n/home", /*width=*/200));
  CHECK(request.likely == Texts{"make -C some/folder && rm -rf\n/home"});
  CHECK(request.possible ==
        Texts{"make -C some/folder && rm -rf /home", "make -C some/folder && rm -rf/home"});
}

TEST_CASE("A command that is cut off cannot be read") {
  for (const char* body :
       {"$ rm -rf build && make…", "$ cat <<EOF\n... 3 hidden (Ctrl+O) ...", "$ a\n+12 lines"}) {
    CHECK(request_of(dialog("t", body)).kind == Kind::kUnknown);
  }
  CHECK(request_of(dialog("Bash command", "Do you want to proceed?")).kind == Kind::kUnknown);
}

TEST_CASE("A file that is to be written is read from each agent's dialog") {
  const auto paths = [](std::string title, std::string body) {
    const DialogRequest request = request_of(dialog(std::move(title), std::move(body)));
    CHECK(request.kind == Kind::kWrite);
    return request.paths;
  };
  CHECK(paths("Edit file", "src/main.py\n1 + x\nDo you want to make this edit to main.py?") ==
        Texts{"src/main.py"});
  CHECK(paths("Edit file", "main.py +2 -1\n/a/demo\nDo you want to edit /a/demo/main.py?") ==
        Texts{"/a/demo/main.py"});
  CHECK(paths("Would you like to make the following edits?",
              "Description: edits\nDestination: /a/very/long\n/main.py") ==
        Texts{"/a/very/long/main.py"});
  CHECK(paths("Would you like to make the following edits?", "Destinations: a.py, b.py") ==
        Texts{"a.py", "b.py"});
  CHECK(paths("? Edit  main.py: old => new...", "1 x\nApply this change?") == Texts{"main.py"});
  CHECK(paths("? WriteFile  Writing to test.py", "1 x\nApply this change?") == Texts{"test.py"});
  CHECK(paths("?  WriteFile Writing to test.py ←", "1 x") == Texts{"test.py"});
  CHECK(paths("△ Permission required", "→ Edit main.py\n1 x") == Texts{"main.py"});
}

TEST_CASE("A file whose name is cut or not shown cannot be known") {
  CHECK(request_of(dialog("? Edit  …/deep/main.py: a => b", "1 x")).kind == Kind::kUnknown);
  CHECK(request_of(dialog("? WriteFile  Writing to a/.../b.py", "1 x")).kind == Kind::kUnknown);
  CHECK(request_of(dialog("Would you like to make the following edits?", "x")).kind ==
        Kind::kUnknown);
}

TEST_CASE("Another request is one only where all of it is seen") {
  detect::DialogView view = dialog("Fetch", "https://x\nDo you want to allow this?");
  CHECK(request_of(view).kind == Kind::kOther);
  view.whole = false;
  CHECK(request_of(view).kind == Kind::kUnknown);
  CHECK(request_of(dialog("△ Permission required", "← Access external directory /etc")).kind ==
        Kind::kUnknown);
  CHECK(request_of({}).kind == Kind::kUnknown);
}

}  // namespace orch::policy
