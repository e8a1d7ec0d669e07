#include "orchestrator/planner/undone_parts.hpp"

namespace vt {

namespace {

Check undone(const char* id, const char* title, const char* why, const char* what) {
  Check check;
  check.id = id, check.title = title, check.why = why;
  check.how = NoRunner{what};
  check.typical = Duration{0};
  check.remedy = "leave it out of the plan, or test an image that was built already";
  return check;
}

}  // namespace

std::vector<const Check*> undone_parts(const Layer& layer) {
  static const Check build = undone("image.build", "The image is built", "What is tested must be what the repository builds.",
                                    "this version cannot build images with Packer; the provider's stock image is booted");
  static const Check ansible = undone("ansible.apply", "The playbook is applied", "What is tested must be what the playbook makes.",
                                      "this version cannot apply Ansible playbooks");
  std::vector<const Check*> out;
  if (layer.options.contains("build.packer")) out.push_back(&build);
  if (layer.options.contains("ansible.playbook")) out.push_back(&ansible);
  return out;
}

}  // namespace vt
