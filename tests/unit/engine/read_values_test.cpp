#include "orchestrator/engine/read_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace vt;
using By = Reader::By;
using From = Reader::From;

namespace {

Value read(const std::string& text, ValueType type, By by, const std::string& pattern, bool all = false, From from = From::out) {
  Check check;
  check.values = {{"value", type, "", {from, by, pattern, all}, {}, ""}};
  Observation seen;
  seen.out.head = text;
  seen.out.bytes = text.size();
  seen.out.lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  auto values = read_values(check, seen, from == From::result ? text : "");
  auto at = values.find("value");
  return at == values.end() ? Value("not readable") : at->second;
}

}  // namespace

TEST(ReadValues, Whole) {
  EXPECT_EQ(read(" 42\n", ValueType::integer, By::whole, ""), Value(42));
  EXPECT_TRUE(read("", ValueType::text, By::whole, "").is_null());
  EXPECT_EQ(read("4 2", ValueType::integer, By::whole, ""), Value("not readable"));
  EXPECT_EQ(read("x=N/A", ValueType::integer, By::regex, "x=(.*)"), Value("not readable"));
  EXPECT_EQ(read("a\nb\n", ValueType::text, By::whole, "", true), Value(Value::List{Value("a"), Value("b")}));
}

TEST(ReadValues, RegexTakesGroupOneLineByLine) {
  EXPECT_EQ(read("MemTotal:  16 kB\nMemFree: 3 kB\n", ValueType::integer, By::regex, R"(^MemFree:\s+(\d+))"), Value(3));
  EXPECT_EQ(read("a=1\na=2\n", ValueType::integer, By::regex, "a=(\\d)", true), Value(Value::List{Value(1), Value(2)}));
  EXPECT_TRUE(read("none", ValueType::text, By::regex, "some").is_null());
  EXPECT_TRUE(read("none", ValueType::text, By::regex, "some", true).as<Value::List>()->empty());
}

TEST(ReadValues, ALineTooLongForTheMatcherIsNotRead) {
  EXPECT_EQ(read(std::string(100'000, 'a') + "\nx=1\n", ValueType::integer, By::regex, "(a*)*x=(\\d)"), Value("not readable"));
}

TEST(ReadValues, JsonPointer) {
  EXPECT_EQ(read(R"({"a":{"b":[1,2]}})", ValueType::integer, By::json, "/a/b/1"), Value(2));
  EXPECT_EQ(read(R"({"a":["x","y"]})", ValueType::text, By::json, "/a"), Value(Value::List{Value("x"), Value("y")}));
  EXPECT_EQ(read(R"({"a":"570.1"})", ValueType::version, By::json, "/a"), Value("570.1"));
  EXPECT_EQ(read("{", ValueType::integer, By::json, "/a"), Value("not readable"));
  EXPECT_EQ(read(std::string(60'000, '[') + std::string(60'000, ']'), ValueType::integer, By::json, "/0"), Value("not readable"));
  EXPECT_TRUE(read("{}", ValueType::integer, By::json, "/a").is_null());
}

TEST(ReadValues, AnEntryOfAListMayBeNothing) {
  for (auto type : {ValueType::number, ValueType::text, ValueType::boolean}) {
    auto list = read(R"({"a":[null,null]})", type, By::json, "/a", true);
    EXPECT_EQ(list, Value(Value::List{Value(), Value()}));
    EXPECT_EQ(list.text(), "-, -");
  }
  EXPECT_EQ(read(R"({"a":[1.5,null]})", ValueType::number, By::json, "/a", true).text(), "1.5, -");
}

TEST(ReadValues, AStarInAPointerStandsForEveryElement) {
  std::string text = R"({"t":[{"c":{"max":70}},{"c":{}},{"c":{"max":81.5}}],"s":["x","y"]})";
  EXPECT_EQ(read(text, ValueType::number, By::json, "/t/*/c/max", true).text(), "70, -, 81.5");
  EXPECT_EQ(read(text, ValueType::text, By::json, "/s/*", true), Value(Value::List{Value("x"), Value("y")}));
  EXPECT_TRUE(read(text, ValueType::number, By::json, "/none/*/c", true).is_null());
}

TEST(ReadValues, CsvColumnsWithQuotes) {
  std::string csv = "name, compute_cap\n\"RTX, 5090\", 12.0\nother, 8.9\n";
  EXPECT_EQ(read(csv, ValueType::text, By::csv, "name"), Value("RTX, 5090"));
  EXPECT_EQ(read(csv, ValueType::text, By::csv, "compute_cap", true), Value(Value::List{Value("12.0"), Value("8.9")}));
  EXPECT_EQ(read(csv, ValueType::text, By::csv, "uuid"), Value("not readable"));
}

TEST(ReadValues, AgentResultByName) {
  EXPECT_EQ(read(R"({"value": 3.5})", ValueType::number, By::whole, "", false, From::result), Value(3.5));
  EXPECT_TRUE(read(R"({"other": 1})", ValueType::number, By::whole, "", false, From::result).is_null());
}

TEST(ReadValues, CutOutputIsNotReadButItsLinesAreCounted) {
  Check check;
  check.values = {{"value", ValueType::text, "", {From::out, By::regex, "x", false}, {}, ""},
                  {"lines", ValueType::integer, "", {From::out, By::lines, "", false}, {}, ""}};
  Observation seen;
  seen.out = {"x", "x", 1'000'000, 500};
  auto values = read_values(check, seen, "");
  EXPECT_FALSE(values.contains("value"));
  EXPECT_EQ(values.at("lines"), Value(500));
}
