#include "orchestrator/cli/online.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "orchestrator/engine/next_step.hpp"
#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

bool stops_layer(const OnlineAnswer& a) {
  return !a.problem.empty() ||
         std::any_of(a.findings.begin(), a.findings.end(), [](auto& f) { return f.weight == Finding::Weight::stops; });
}

OnlineAnswer ask(const Clouds& clouds, const Layer& layer) {
  OnlineAnswer out{layer.name, layer.provider, {}, {}, {}, {}};
  auto provider = clouds.provider(layer.provider);
  if (!provider) {
    out.problem = "provider " + layer.provider + " cannot run yet in this version";
    return out;
  }
  out.findings = provider->preflight(layer);
  if (provider->existing_hosts()) return out;
  auto offers = provider->candidates(layer);
  if (!offers) {
    if (!stops_layer(out)) out.problem = offers.error().what;  // else it has been said why
    return out;
  }
  out.offers = std::move(offers).take();
  auto first = std::find_if(out.offers.begin(), out.offers.end(), [](auto& o) { return o.price_known && o.in_stock; });
  if (first != out.offers.end()) out.first = *first;
  std::stable_sort(out.offers.begin(), out.offers.end(),
                   [](auto& a, auto& b) { return std::tuple(!a.price_known, a.hourly) < std::tuple(!b.price_known, b.hourly); });
  return out;
}

std::string finding_text(const TextStyle& style, const OnlineAnswer& a, const Finding& f) {
  bool stops = f.weight == Finding::Weight::stops;
  auto lead = a.layer + (stops ? " STOPS " : " warns ") + std::string(rule_for(f.kind).name) + ": ";
  return wrapped(style, lead, one_line(f.what + (f.remedy.empty() ? "" : "; " + f.remedy), 2000), stops ? Tone::bad : Tone::caution);
}

std::string offers_text(const TextStyle& style, const std::vector<OnlineAnswer>& answers) {
  Table table;
  bool any = false;
  for (auto& a : answers)
    for (auto& o : a.offers) {
      any = true;
      table.add({{a.layer, Tone::strong},
                 {one_line(o.text)},
                 {o.price_known ? o.hourly.text() + "/h" : "price unknown", o.price_known ? Tone::plain : Tone::caution},
                 {o.in_stock ? "" : "not in stock", Tone::caution},
                 {one_line(o.price_source), Tone::faint}});
    }
  return any ? "offers, cheapest first (the plan's order decides which is tried first)\n" + table.text(style) : "";
}

}  // namespace

std::vector<OnlineAnswer> ask_online(const Clouds& clouds, const RunPlan& plan) {
  std::vector<OnlineAnswer> out(plan.layers.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < out.size(); ++i) threads.emplace_back([&, i] { out[i] = ask(clouds, *plan.layers[i].layer); });
  threads.clear();
  return out;
}

void apply_prices(const std::vector<OnlineAnswer>& answers, std::map<std::string, Offer>& offers) {
  for (auto& a : answers)
    if (a.first) offers[a.layer].hourly = a.first->hourly, offers[a.layer].market = a.first->market, offers[a.layer].price_known = true;
}

std::string online_text(const std::vector<OnlineAnswer>& answers, const TextStyle& style) {
  std::string out = "\nasked the providers; nothing was created\n";
  for (auto& a : answers) {
    for (auto& f : a.findings) out += finding_text(style, a, f);
    if (!a.problem.empty()) out += wrapped(style, a.layer + " STOPS ", one_line(a.problem, 2000), Tone::bad);
    if (a.findings.empty() && a.problem.empty()) out += a.layer + ": nothing in the way\n";
  }
  return out + offers_text(style, answers);
}

nlohmann::json online_json(const std::vector<OnlineAnswer>& answers) {
  auto out = nlohmann::json::array();
  for (auto& a : answers) {
    nlohmann::json layer{{"layer", a.layer}, {"provider", a.provider}, {"stops", stops_layer(a)}, {"problem", a.problem}};
    layer["findings"] = nlohmann::json::array(), layer["offers"] = nlohmann::json::array();
    for (auto& f : a.findings)
      layer["findings"].push_back(
          {{"kind", rule_for(f.kind).name}, {"stops", f.weight == Finding::Weight::stops}, {"what", f.what}, {"remedy", f.remedy}});
    for (auto& o : a.offers)
      layer["offers"].push_back({{"offer", o.text},
                                 {"machine", o.machine},
                                 {"market", o.market},
                                 {"zone", o.zone},
                                 {"hourly_microusd", o.price_known ? nlohmann::json(o.hourly.micro) : nlohmann::json()},
                                 {"price_source", o.price_source},
                                 {"in_stock", o.in_stock}});
    out.push_back(std::move(layer));
  }
  return out;
}

bool stops(const std::vector<OnlineAnswer>& answers) { return std::any_of(answers.begin(), answers.end(), stops_layer); }

}  // namespace vt
