#include "orchestrator/cli/examples.hpp"

namespace vt {

namespace {

struct Examples {
  std::string_view command, text;
};

constexpr Examples kExamples[] = {
    {"",
     "  vault-test run plans/quickstart.yaml      this machine and a pod-like host\n"
     "  vault-test plan plans/blackwell.yaml      what would run where; spends nothing\n"
     "  vault-test check vault@cube-01.lan        one machine, no plan\n"
     "  vault-test why os.kernel                  why a check has its verdict\n"
     "Exit status: 0 passed, 1 a check failed, 2 usage or plan, 3 infrastructure, 4 budget, 5 something may be left behind,\n"
     "130 interrupted.\n"},
    {"run",
     "  vault-test run plans/quickstart.yaml\n"
     "  vault-test run plans/blackwell.yaml --layer cube --level quick\n"
     "  vault-test run plans/quickstart.yaml --check 'os.*' --keep\n"
     "  vault-test run plans/quickstart.yaml --layer podlike --on last/podlike\n"
     "  vault-test run plans/clouds.yaml --rehearse\n"
     "  vault-test run plans/quickstart.yaml --json | jq .event\n"},
    {"plan",
     "  vault-test plan plans/blackwell.yaml\n  vault-test plan plans/blackwell.yaml --set gpus=2 --json\n"
     "  vault-test plan plans/clouds.yaml --online\n"},
    {"check",
     "  vault-test check local --suite os\n"
     "  vault-test check local --suite gpu-compute --device cpu\n"
     "  vault-test check vault@cube-01.lan --identity ~/.ssh/id_ed25519\n"
     "  vault-test check root@10.0.0.7 --port 2222 --host-key SHA256:… --check 'gpu.*'\n"},
    {"resume", "  vault-test resume\n  vault-test resume 20261120-103000\n"},
    {"runs", "  vault-test runs\n  vault-test runs --limit 5 --json\n"},
    {"status", "  vault-test status\n  vault-test status 20261120-103000 --json\n"},
    {"report", "  vault-test report --format junit -o report.xml\n  vault-test report last --format markdown\n"},
    {"why", "  vault-test why os.kernel\n  vault-test why gpu.count 20261120-103000\n"},
    {"logs", "  vault-test logs last cube\n  vault-test logs last cube os.units\n"},
    {"resources", "  vault-test resources\n  vault-test resources --all --json\n"},
    {"reap",
     "  vault-test reap --dry-run\n  vault-test reap\n"
     "  vault-test reap --write-key sweeper.key\n  vault-test reap --stateless --key sweeper.key --account my-gpu-tests\n"},
    {"shell", "  vault-test shell last runpod-5090\n  vault-test shell 20261120-103000 gpu-node/gpu-node-2\n"},
    {"release", "  vault-test release vt-k3x9abcd-…\n"},
    {"cost", "  vault-test cost\n  vault-test cost --since 7d --by check\n  vault-test cost --reconcile --json\n"},
    {"checks", "  vault-test checks\n  vault-test checks 'gpu.*' --json\n"},
    {"baseline",
     "  vault-test baseline show\n  vault-test baseline show 'RTX 5090'\n"
     "  vault-test baseline learn last\n  vault-test baseline learn 20261120-103000 -o my-5090.yaml\n"},
    {"completion", "  vault-test completion bash > ~/.local/share/bash-completion/completions/vault-test\n"},
};

}  // namespace

std::string examples_for(std::string_view command) {
  for (auto& row : kExamples)
    if (row.command == command) return std::string(row.text);
  return {};
}

}  // namespace vt
