#include "remote-agent/checks/nccl_operations.hpp"

namespace vt::checks {

namespace {

using gpu::Element, gpu::Reduction;
using Shape = NcclShape;
using Pieces = std::vector<NcclPiece>;

std::uint64_t id(int rank) { return static_cast<std::uint64_t>(rank); }
std::uint64_t all(const Shape& s) { return s.total; }
std::uint64_t one_each(const Shape& s) { return s.each(); }
std::uint64_t own(const Shape& s) { return id(s.rank) * s.each(); }
int next(const Shape& s) { return (s.rank + 1) % s.world; }
int previous(const Shape& s) { return (s.rank + s.world - 1) % s.world; }

double twice_the_others(int n) { return 2.0 * (n - 1) / n; }
double the_others(int n) { return 1.0 * (n - 1) / n; }
double once(int) { return 1; }

Pieces sum_of_all(const Shape& s) { return {{0, s.total, 0, id(s.world), 0}}; }
Pieces own_part_of_sum(const Shape& s) { return {{0, s.each(), 0, id(s.world), own(s)}}; }
Pieces sum_on_root(const Shape& s) { return s.rank == 0 ? sum_of_all(s) : Pieces{}; }
Pieces roots(const Shape& s) { return {{0, s.total, 0, 1, 0}}; }
Pieces previous_ones(const Shape& s) { return {{0, s.total, id(previous(s)), 1, 0}}; }

/// The part of each rank, one after another; each took it from place `first`.
Pieces of_each(const Shape& s, std::uint64_t first) {
  Pieces out;
  for (int r = 0; r < s.world; ++r) out.push_back({id(r) * s.each(), s.each(), id(r), 1, first});
  return out;
}
Pieces gathered(const Shape& s) { return of_each(s, 0); }
Pieces exchanged(const Shape& s) { return of_each(s, own(s)); }

Status all_reduce(NcclRank& r, const Shape& s, const float* from, float* to) {
  return r.comm->all_reduce(from, to, s.total, Element::float32, Reduction::sum, r.stream);
}
Status all_gather(NcclRank& r, const Shape& s, const float* from, float* to) {
  return r.comm->all_gather(from, to, s.each(), Element::float32, r.stream);
}
Status reduce_scatter(NcclRank& r, const Shape& s, const float* from, float* to) {
  return r.comm->reduce_scatter(from, to, s.each(), Element::float32, Reduction::sum, r.stream);
}
Status broadcast(NcclRank& r, const Shape& s, const float* from, float* to) {
  return r.comm->broadcast(from, to, s.total, Element::float32, 0, r.stream);
}
Status reduce(NcclRank& r, const Shape& s, const float* from, float* to) {
  return r.comm->reduce(from, to, s.total, Element::float32, Reduction::sum, 0, r.stream);
}
Status alltoall(NcclRank& r, const Shape& s, const float* from, float* to) {
  for (int peer = 0; peer < s.world; ++peer) {
    VT_CHECK(r.comm->send(from + id(peer) * s.each(), s.each(), Element::float32, peer, r.stream));
    VT_CHECK(r.comm->receive(to + id(peer) * s.each(), s.each(), Element::float32, peer, r.stream));
  }
  return {};
}
Status sendrecv(NcclRank& r, const Shape& s, const float* from, float* to) {
  VT_CHECK(r.comm->send(from, s.total, Element::float32, next(s), r.stream));
  return r.comm->receive(to, s.total, Element::float32, previous(s), r.stream);
}

constexpr NcclOperation kOperations[] = {
    {"all_reduce", twice_the_others, true, all_reduce, all, sum_of_all},
    {"all_gather", the_others, true, all_gather, one_each, gathered, own, nullptr},
    {"reduce_scatter", the_others, true, reduce_scatter, all, own_part_of_sum, nullptr, own},
    {"broadcast", once, true, broadcast, all, roots},
    {"reduce", once, true, reduce, all, sum_on_root},
    {"alltoall", the_others, false, alltoall, all, exchanged},
    {"sendrecv", once, false, sendrecv, all, previous_ones},
};

}  // namespace

std::span<const NcclOperation> nccl_operations() { return kOperations; }

const NcclOperation* nccl_operation(std::string_view name) {
  for (auto& operation : kOperations)
    if (operation.name == name) return &operation;
  return nullptr;
}

}  // namespace vt::checks
