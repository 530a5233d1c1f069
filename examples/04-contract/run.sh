#!/bin/sh
# Runs the loop on a fresh repository and shows its last round, criterion by criterion.
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

cp -R "$here/project" "$work/repository"
cd "$work/repository"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
git init -q -b main
git add -A
git -c user.name=Example -c user.email=example@example.invalid commit -q -m "A greeter and its contract"
export LOOPCTL_HOME="$work/home"

code=0
loopctl run "make the greeter do what contract.py asks for" \
  --name greeter \
  --protect contract.py \
  --max-rounds 5 \
  --agent "cmd:python3 '$here/agent.py'" || code=$?

printf '\nThe first round:\n'
loopctl show greeter --round 1 | sed -n '/^FAIL/,/^$/p'
exit "$code"
