#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "orchestrator/model/text.hpp"
#include "providers/runpod/api.hpp"

namespace vt::runpod {

namespace {

using Kind = Finding::Kind;

/// Status 400 says "no capacity" in words alone. The sentences are those that users and RunPod's own tools have reported
/// (runpod/containers tests/runpod_smoke/pod.py, runpod-plugins-official breaking-changes.md, both of August 2026).
constexpr std::string_view kCapacity[] = {"no longer any instances available", "no instances available", "does not have the resources",
                                          "not enough free gpus"};
/// These do not say that nothing was made. One of them also ends in "try again later", so capacity is looked for first.
constexpr std::string_view kUnclear[] = {"something went wrong", "internal server error", "timed out", "timeout"};

constexpr Duration kDefaultRetry{10'000};
constexpr std::int64_t kLongestRetrySeconds = 600;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

template <std::size_t N>
bool contains_one_of(const std::string& text, const std::string_view (&parts)[N]) {
  return std::any_of(std::begin(parts), std::end(parts), [&](auto part) { return text.find(part) != std::string::npos; });
}

/// An error as RunPod itself words it (RFC 9457), not a page of something in between.
struct Problem {
  bool well_formed = false;  ///< its title or detail, and the status that it came with
  std::string sentence;      ///< detail and the fields that are wrong, safe to print
};

Problem problem_of(const HttpReply& reply) {
  Problem out;
  out.sentence = "HTTP status " + std::to_string(reply.status);
  auto body = parse_json_object(reply.body, "RunPod");
  if (!body) return out;
  auto detail = json_text(*body, "detail");
  bool worded = !detail.empty() || !json_text(*body, "title").empty();
  out.well_formed = worded && json_number(*body, "status") == static_cast<double>(reply.status);
  std::vector<std::string> parts;
  if (!detail.empty()) parts.push_back(detail);
  auto& errors = json_member(*body, "errors");
  for (std::size_t i = 0; errors.is_array() && i < std::min<std::size_t>(errors.size(), 5); ++i)
    if (errors[i].is_string()) parts.push_back(errors[i].get<std::string>());
  if (!parts.empty()) out.sentence += ": " + printable(cut_text(join(parts, "; "), 400));
  return out;
}

Duration retry_after(const HttpReply& reply, const CloudAccess& cloud) {
  auto header = reply.headers.find("retry-after");
  std::int64_t seconds = -1;
  if (header != reply.headers.end()) std::from_chars(header->second.data(), header->second.data() + header->second.size(), seconds);
  if (seconds < 0) return cloud.paced(kDefaultRetry);
  return cloud.paced(std::chrono::seconds(std::min(seconds, kLongestRetrySeconds)));
}

CreateOutcome classify_400(const Problem& problem) {
  auto text = lower(problem.sentence);
  if (!problem.well_formed) return Ambiguous{problem.sentence};
  if (contains_one_of(text, kCapacity)) return Refused{Kind::stock_out, problem.sentence};
  if (contains_one_of(text, kUnclear)) return Ambiguous{problem.sentence};
  return Refused{Kind::policy, problem.sentence};
}

/// The front before RunPod's API turns requests away with a page of its own, "error code: 1010": it did not pass them on.
bool is_from_front(const HttpReply& reply) {
  return (reply.status == 401 || reply.status == 403) && lower(reply.body).find("error code: 1") != std::string::npos;
}

/// Refused if it was RunPod, or the front, that said so: anything else between us may have passed the request on before it failed.
CreateOutcome refused_for_sure(Kind kind, const HttpReply& reply, const Problem& problem) {
  if (problem.well_formed || is_from_front(reply)) return Refused{kind, problem.sentence};
  return Ambiguous{problem.sentence + ", not in RunPod's words"};
}

CreateOutcome classify_made(const HttpReply& reply) {
  auto body = parse_json_object(reply.body, "RunPod");
  auto pod = body ? read_pod(*body) : Result<Pod>(fail(body.error()));
  if (!pod) return Ambiguous{"HTTP status " + std::to_string(reply.status) + ", but " + pod.error().what};
  return Created{pod->id};
}

}  // namespace

CreateOutcome classify_create(const HttpResult& result, const CloudAccess& cloud) {
  if (!result) {
    auto& failure = result.error();
    if (failure.refused_by_us) return Refused{Kind::policy, failure.what};
    return failure.sent ? CreateOutcome(Ambiguous{failure.what}) : CreateOutcome(Refused{Kind::network, failure.what});
  }
  auto& reply = *result;
  if (reply.status >= 200 && reply.status < 300) return classify_made(reply);
  auto problem = problem_of(reply);
  switch (reply.status) {
    case 400: return classify_400(problem);
    case 401:
    case 403: return refused_for_sure(Kind::auth, reply, problem);
    case 402: return refused_for_sure(Kind::funds, reply, problem);
    case 404:
    case 405:
    case 410:
    case 415:
    case 422: return refused_for_sure(Kind::policy, reply, problem);
    case 429: return Refused{Kind::rate, problem.sentence, retry_after(reply, cloud)};
    default: return Ambiguous{problem.sentence};  // 5xx was seen with a pod that exists and is billed
  }
}

Error read_error(const HttpReply& reply) {
  auto what = problem_of(reply).sentence;
  switch (reply.status) {
    case 401:
    case 403: return {Errc::auth, what};
    case 404: return {Errc::not_found, what};
    case 408:
    case 429: return {Errc::transport, what};
    default: return {reply.status >= 500 || reply.status < 400 ? Errc::transport : Errc::refused, what};
  }
}

}  // namespace vt::runpod
