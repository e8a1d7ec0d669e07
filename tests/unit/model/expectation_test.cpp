#include "orchestrator/model/expectation.hpp"

#include <gtest/gtest.h>

using vt::Expectation;
using vt::judge;
using vt::Value;
using vt::ValueType;
using Op = vt::Expectation::Op;
using Over = vt::Expectation::Over;
using State = vt::Holding::State;

namespace {
State ask(Value value, ValueType type, Op op, std::vector<std::string> args, Over over = Over::each) {
  return judge(value, type, Expectation{op, std::move(args), over}).state;
}
}  // namespace

TEST(Expectation, EachOperatorHoldsAndMisses) {
  struct Row {
    Value value;
    ValueType type;
    Op op;
    std::vector<std::string> args;
    State state;
  };
  const std::vector<Row> rows{{"a", ValueType::text, Op::equals, {"a"}, State::held},
                              {"a", ValueType::text, Op::equals, {"b"}, State::missed},
                              {5, ValueType::integer, Op::at_least, {"5"}, State::held},
                              {4, ValueType::integer, Op::at_least, {"5"}, State::missed},
                              {5, ValueType::integer, Op::at_most, {"5"}, State::held},
                              {6, ValueType::integer, Op::at_most, {"5"}, State::missed},
                              {5, ValueType::number, Op::between, {"5", "6"}, State::held},
                              {6.5, ValueType::number, Op::between, {"5", "6"}, State::missed},
                              {4, ValueType::integer, Op::below, {"5"}, State::held},
                              {5, ValueType::integer, Op::below, {"5"}, State::missed},
                              {"6.13.1", ValueType::version, Op::at_least, {"6.13"}, State::held},
                              {"6.8.0", ValueType::version, Op::at_least, {"6.13"}, State::missed},
                              {"6.8.0", ValueType::version, Op::below, {"6.13"}, State::held},
                              {"12.8.1", ValueType::version, Op::version, {"12.8"}, State::held},
                              {"12.80", ValueType::version, Op::version, {"12.8"}, State::missed},
                              {"nvidia-570", ValueType::text, Op::matches, {"^nvidia-5"}, State::held},
                              {"nouveau", ValueType::text, Op::matches, {"^nvidia"}, State::missed},
                              {"none", ValueType::text, Op::one_of, {"none", "mq-deadline"}, State::held},
                              {"bfq", ValueType::text, Op::one_of, {"none", "mq-deadline"}, State::missed},
                              {"a quiet b", ValueType::text, Op::contains, {"quiet"}, State::held},
                              {"a b", ValueType::text, Op::contains, {"quiet"}, State::missed},
                              {"x", ValueType::text, Op::exists, {}, State::held},
                              {Value(), ValueType::text, Op::exists, {}, State::missed},
                              {Value(), ValueType::text, Op::absent, {}, State::held},
                              {"x", ValueType::text, Op::absent, {}, State::missed},
                              {"x", ValueType::text, Op::any, {}, State::held},
                              {true, ValueType::boolean, Op::equals, {"yes"}, State::held},
                              {false, ValueType::boolean, Op::equals, {"true"}, State::missed}};
  for (auto& row : rows) EXPECT_EQ(ask(row.value, row.type, row.op, row.args), row.state) << name(row.op) << " " << row.value.text();
}

TEST(Expectation, NoValueIsNeverHeld) {
  for (auto op : {Op::any, Op::equals, Op::at_least, Op::matches, Op::contains, Op::one_of})
    EXPECT_EQ(ask(Value(), ValueType::text, op, {"1"}), State::unreadable) << name(op);
  EXPECT_EQ(ask(Value::List{}, ValueType::integer, Op::at_least, {"1"}), State::unreadable);
}

TEST(Expectation, UnreadableIsNotMissed) {
  EXPECT_EQ(ask("many", ValueType::integer, Op::at_least, {"1"}), State::unreadable);
  EXPECT_EQ(ask("none", ValueType::version, Op::at_least, {"6.13"}), State::unreadable);
}

TEST(Expectation, EachAndAnyOverGpus) {
  Value::List gpus{Value(80), Value(40)};
  EXPECT_EQ(ask(gpus, ValueType::integer, Op::at_least, {"50"}), State::missed);
  EXPECT_EQ(ask(gpus, ValueType::integer, Op::at_least, {"50"}, Over::any), State::held);
  EXPECT_EQ(ask(gpus, ValueType::integer, Op::at_least, {"90"}, Over::any), State::missed);
  EXPECT_EQ(ask(gpus, ValueType::integer, Op::at_least, {"40"}), State::held);
  EXPECT_EQ(ask(Value::List{Value(80), Value()}, ValueType::integer, Op::at_least, {"50"}), State::unreadable);
}

TEST(Expectation, NonsenseIsRefusedBeforeARun) {
  EXPECT_NE(problem_with({Op::at_least, {"many"}, {}}, ValueType::integer), "");
  EXPECT_NE(problem_with({Op::at_least, {"3"}, {}}, ValueType::text), "");
  EXPECT_NE(problem_with({Op::matches, {"("}, {}}, ValueType::text), "");
  EXPECT_NE(problem_with({Op::between, {"1"}, {}}, ValueType::integer), "");
  EXPECT_NE(problem_with({Op::one_of, {}, {}}, ValueType::text), "");
  EXPECT_EQ(problem_with({Op::at_least, {"6.13"}, {}}, ValueType::version), "");
  EXPECT_EQ(problem_with({Op::exists, {}, {}}, ValueType::text), "");
}
