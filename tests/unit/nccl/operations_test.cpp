#include "remote-agent/checks/nccl_operations.hpp"

#include <gtest/gtest.h>

using namespace vt::checks;

namespace {

constexpr NcclShape kShape{12, 1, 3};  // 12 elements, rank 1 of 3

std::vector<NcclPiece> left(const char* operation, NcclShape shape = kShape) { return nccl_operation(operation)->left(shape); }
double factor(const char* operation, int world) { return nccl_operation(operation)->bus_factor(world); }

}  // namespace

TEST(NcclOperations, BusBandwidthIsThatOfNcclTests) {
  EXPECT_DOUBLE_EQ(factor("all_reduce", 2), 1);
  EXPECT_DOUBLE_EQ(factor("all_reduce", 8), 1.75);
  for (auto* name : {"all_gather", "reduce_scatter", "alltoall"}) EXPECT_DOUBLE_EQ(factor(name, 4), 0.75) << name;
  for (auto* name : {"broadcast", "reduce", "sendrecv"}) EXPECT_DOUBLE_EQ(factor(name, 4), 1) << name;
}

TEST(NcclOperations, WhatEachLeavesOnARank) {
  using Pieces = std::vector<NcclPiece>;
  EXPECT_EQ(left("all_reduce"), (Pieces{{0, 12, 0, 3, 0}}));
  EXPECT_EQ(left("all_gather"), (Pieces{{0, 4, 0, 1, 0}, {4, 4, 1, 1, 0}, {8, 4, 2, 1, 0}}));
  EXPECT_EQ(left("reduce_scatter"), (Pieces{{0, 4, 0, 3, 4}}));
  EXPECT_EQ(left("broadcast"), (Pieces{{0, 12, 0, 1, 0}}));
  EXPECT_EQ(left("reduce"), Pieces{});
  EXPECT_EQ(left("reduce", {12, 0, 3}), (Pieces{{0, 12, 0, 3, 0}}));
  EXPECT_EQ(left("alltoall"), (Pieces{{0, 4, 0, 1, 4}, {4, 4, 1, 1, 4}, {8, 4, 2, 1, 4}}));
  EXPECT_EQ(left("sendrecv"), (Pieces{{0, 12, 0, 1, 0}}));
  EXPECT_EQ(left("sendrecv", {12, 0, 3}), (Pieces{{0, 12, 2, 1, 0}}));
}

TEST(NcclOperations, InPlaceAPartIsWhereNcclWantsIt) {
  EXPECT_EQ(nccl_operation("all_gather")->from_at(kShape), 4U);
  EXPECT_EQ(nccl_operation("all_gather")->to_at, nullptr);
  EXPECT_EQ(nccl_operation("reduce_scatter")->to_at(kShape), 4U);
  EXPECT_EQ(nccl_operation("reduce_scatter")->from_at, nullptr);
}

TEST(NcclOperations, AnUnknownOneIsNone) { EXPECT_EQ(nccl_operation("scan"), nullptr); }
