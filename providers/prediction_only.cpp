#include "providers/prediction_only.hpp"

namespace vt {

Quote PredictionOnly::quote(const Layer&) const {
  Quote quote;
  quote.known = false;
  return quote;
}

std::vector<Finding> PredictionOnly::preflight(const Layer&) {
  return {
      {Finding::Kind::unsupported, Finding::Weight::stops, sentence(), "leave the layer out with --layer; `vault-test plan` works on it"}};
}

CreateOutcome PredictionOnly::create(const Layer&, const Resource&) { return Refused{Finding::Kind::unsupported, sentence()}; }
Result<Allocation> PredictionOnly::wait_ready(const Layer&, const Resource&, Deadline) { return fail(Errc::refused, sentence()); }
Status PredictionOnly::destroy(const Resource&) { return fail(Errc::refused, sentence()); }
Result<Listing> PredictionOnly::list_owned(const std::string&) { return fail(Errc::refused, sentence()); }

}  // namespace vt
