#include "orchestrator/cli/commands.hpp"
#include "orchestrator/cli/workplace.hpp"

namespace vt {

namespace {

constexpr std::string_view kBash = R"sh(_vault_test() {
  local cur=${COMP_WORDS[COMP_CWORD]} commands="run plan check resume runs status report why logs resources reap release cost baseline checks completion"
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "$commands --help --version" -- "$cur")); return; fi
  case "$cur" in
    -*) COMPREPLY=($(compgen -W "$(vault-test "${COMP_WORDS[1]}" --help 2>/dev/null | grep -oE -- '--[a-z-]+' | sort -u)" -- "$cur")) ;;
    *) case "${COMP_WORDS[1]}" in
         run|plan) COMPREPLY=($(compgen -f -X '!*.y*ml' -- "$cur") $(compgen -d -- "$cur")) ;;
         why|checks) COMPREPLY=($(compgen -W "$(vault-test checks 2>/dev/null | awk '{print $1}')" -- "$cur")) ;;
         completion) COMPREPLY=($(compgen -W "bash zsh fish" -- "$cur")) ;;
         baseline) COMPREPLY=($(compgen -W "show learn" -- "$cur")) ;;
         status|report|logs|resume) COMPREPLY=($(compgen -W "last $(vault-test runs 2>/dev/null | awk '{print $1}')" -- "$cur")) ;;
       esac ;;
  esac
}
complete -o filenames -F _vault_test vault-test
)sh";

constexpr std::string_view kZsh = R"sh(#compdef vault-test
autoload -U +X bashcompinit && bashcompinit
)sh";

constexpr std::string_view kFish =
    R"sh(set -l commands run plan check resume runs status report why logs resources reap release cost baseline checks completion
complete -c vault-test -f -n "not __fish_seen_subcommand_from $commands" -a "$commands"
complete -c vault-test -n "__fish_seen_subcommand_from run plan" -F
complete -c vault-test -f -n "__fish_seen_subcommand_from why checks" -a "(vault-test checks 2>/dev/null | string split -f1 ' ')"
complete -c vault-test -f -n "__fish_seen_subcommand_from status report logs resume" -a "last (vault-test runs 2>/dev/null | string split -f1 ' ')"
complete -c vault-test -f -n "__fish_seen_subcommand_from completion" -a "bash zsh fish"
complete -c vault-test -f -n "__fish_seen_subcommand_from baseline" -a "show learn"
complete -c vault-test -f -n "__fish_seen_subcommand_from run plan check" -l layer -l suite -l check -l level
)sh";

}  // namespace

int completion_command(const CommandLine& line) {
  if (line.name == "bash") return print(std::string(kBash)) ? 0 : 3;
  if (line.name == "zsh") return print(std::string(kZsh) + std::string(kBash)) ? 0 : 3;
  return print(std::string(kFish)) ? 0 : 3;
}

}  // namespace vt
