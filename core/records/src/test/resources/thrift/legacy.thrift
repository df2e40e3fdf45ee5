// What old files have: namespaces of each language, XSD options, slist, references, C++ types, commas and semicolons at will.
cpp_namespace example
php_namespace 'example'
py_module example
perl_package Example
ruby_namespace Example
java_package com.example
cocoa_prefix EX
xsd_namespace "http://example.com/legacy"
csharp_namespace Example
delphi_namespace Example
smalltalk_category Example
smalltalk_prefix EX

typedef slist Lines;
typedef map cpp_type "std::unordered_map<std::string, long>" <string, i64> Counts
typedef list<i32> cpp_type "std::vector<int>" Numbers

const string GREETING = 'say "hi"\n'
const string BACKSLASH = "C:\\temp";
const i64 BIG = -9223372036854775808,
const i64 OCTAL_LOOKING = 010

struct Legacy xsd_all {
  1: Lines lines xsd_optional,
  2: Counts counts = {} xsd_nillable xsd_attrs { 1: string unit, 2: optional i32 scale = 1 };
  3: Numbers numbers = [1, 2, 3]
  4: optional Legacy & parent
  5: string greeting = GREETING
  6: i64 big = BIG
  7: i64 ten = OCTAL_LOOKING;
  -8: optional bool negative_id
  9: string path = BACKSLASH,
  10: map<string, list<map<i32, Legacy>>> nested
} (deprecated)
