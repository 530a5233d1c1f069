#!/bin/sh
# Runs the loop on a fresh repository and shows what it left. Exits with loopctl's code.
# With a FOLDER as argument everything stays there; without, it is removed at the end.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -gt 0 ]; then
  mkdir -p "$1"
  work=$(cd "$1" && pwd)
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi

python3 "$here/make_repository.py" "$work/repository"
cd "$work/repository"
export LOOPCTL_HOME="$work/home"

code=0
loopctl run "make the failing tests pass" \
  --stop "python3 -m unittest -q" \
  --max-rounds 5 \
  --agent "cmd:python3 '$here/agent.py'" || code=$?

for branch in $(git for-each-ref --format='%(refname:short)' refs/heads/loopctl/); do
  printf '\nOn the branch %s:\n' "$branch"
  git --no-pager log --oneline "main..$branch"
  git --no-pager diff --stat "main..$branch"
done
exit "$code"
