#include "orchestrator/engine/mask.hpp"

#include <gtest/gtest.h>

using namespace vt;
using Secrets = std::map<std::string, std::string>;

TEST(Mask, EveryForm) {
  Masker masker(Secrets{{"KEY", "s3cr\"et/va+lue"}});
  for (auto text : {"s3cr\"et/va+lue", "s3cr\\\"et/va+lue", "czNjciJldC92YStsdWU=", "s3cr%22et%2Fva%2Blue", "733363722265742f76612b6c7565",
                    "eul+av/te\"rc3s"}) {
    auto masked = masker.apply(std::string("before ") + text + " after");
    EXPECT_EQ(masked.find("[KEY]"), 7U) << text << " -> " << masked;
  }
}

TEST(Mask, ShortValuesWouldMatchByAccident) { EXPECT_EQ(Masker(Secrets{{"K", "a"}}).apply("banana"), "banana"); }

TEST(Mask, ObservationsToo) {
  Masker masker(Secrets{{"KEY", "hunter2hunter2"}});
  Observation seen;
  seen.out.head = "key=hunter2hunter2";
  seen.err.tail = "hunter2hunter2";
  seen.problem = "bad hunter2hunter2";
  seen.values["value"] = Value("hunter2hunter2");
  seen.values["list"] = Value(Value::List{Value("hunter2hunter2"), Value(7)});
  masker.apply(seen);
  EXPECT_EQ(seen.values["list"], Value(Value::List{Value("[KEY]"), Value(7)}));
  EXPECT_EQ(seen.out.head, "key=[KEY]");
  EXPECT_EQ(seen.err.tail, "[KEY]");
  EXPECT_EQ(seen.problem, "bad [KEY]");
  EXPECT_EQ(seen.values["value"], Value("[KEY]"));
}
