#include "sqlite/row_service.h"

int main() { return orch::sqlite::serve_rows(); }
