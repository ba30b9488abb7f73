// SPDX-License-Identifier: Apache-2.0
//
// The values of expressions in a Python program, with the names that its text sets to one value.
//
// A name counts wherever the text sets it, in a function too, if all that set it say the same. A
// parameter is not known within its function, but for the parsed arguments of the command that
// starts the program; nor is a name that a loop or `with` sets, or a list
// or a dictionary that is changed. A value that is not known is its text behind a dollar sign.
// Leaves out control flow and the scope of names. Errors: none.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "exchange/python_expression.h"
#include "exchange/python_text.h"
#include "exchange/settings.h"

namespace orrery {

class ProgramNames {
 public:
  // `arguments`: of the command that starts the program; nullptr where none is known.
  void read(const PythonText& code, const Settings* arguments);

  // An expression that stands at a place of the text.
  Json of(const std::string& expression, std::size_t at) const;

 private:
  void statement(const std::string& text);
  void read_arguments(const PythonText& code, const Settings& given);
  void assign(const std::string& target, const std::string& value);
  void set(const std::string& name, const Json& value);
  void set_unknown(const std::string& name) { set(name, unknown_python(name)); }

  PythonNames names_;
  Json arguments_;                // that argparse gives the program
  std::set<std::string> parsed_;  // names of them all
  std::vector<PythonText::Function> functions_;
};

}  // namespace orrery
