# What action.yml runs: source it with the name of a step, in the checkout of a pull request.
#
# Nothing in the checkout may run, or choose what is installed or where the token goes. So Python is isolated (-I), and
# every other program comes from elsewhere and gets what is named here of the environment, and no more.
set -euo pipefail
unset CDPATH

GIVEN_PATH=$PATH
MARK="<!-- promptls diff -->"
# How to reach the network, which a company sets for its runners, and GitHub Enterprise.
NETWORK=(http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR GH_HOST GH_ENTERPRISE_TOKEN)

# The directories of the search path that do not lie in the checkout, links resolved.
path_elsewhere() {
  local place real checkout path=""
  checkout=$(cd -P -- "$GITHUB_WORKSPACE" && pwd)
  while IFS= read -r -d : place; do
    case $place in /*) ;; *) continue ;; esac
    real=$(cd -P -- "$place" 2>/dev/null && pwd) || continue
    case $real/ in "$checkout"/*) ;; *) path+=${path:+:}$real ;; esac
  done <<<"$1:"
  echo "$path"
}
PATH=$(path_elsewhere "$PATH")

# Run a program, which may follow settings of variables, outside of the checkout.
clean() (
  cd "$RUNNER_TEMP"
  local name kept=("PATH=$PATH" "HOME=$RUNNER_TEMP")
  for name in "${NETWORK[@]}"; do
    if [ -n "${!name-}" ]; then kept+=("$name=${!name}"); fi
  done
  exec env -i "${kept[@]}" "$@"
)

# The environment counts for what a coding agent gets.
promptls() {
  PATH=$GIVEN_PATH "$RUNNER_TEMP/promptls/bin/python" -I -m promptls "$@"
}

install() {
  # Where setup-python puts Python, it finds its library only so.
  local library="LD_LIBRARY_PATH=${PYTHON%/bin/*}/lib"
  clean "$library" "$PYTHON" -I -m venv "$RUNNER_TEMP/promptls"
  clean "$library" ${PIP_INDEX_URL:+"PIP_INDEX_URL=$PIP_INDEX_URL"} "$RUNNER_TEMP/promptls/bin/python" -I -m pip \
    install --quiet --disable-pip-version-check "$ACTION"
}

gh_api() {
  clean GH_TOKEN="$GH_TOKEN" gh api "$@"
}

# For others to see: neither a path outside of the folder nor a name of a person is in them.
pages() {
  local folder=$CHECKED pages="$RUNNER_TEMP/promptls-pages"
  if [ ! -d "$folder" ]; then folder=$(dirname -- "$folder"); fi
  mkdir -p "$pages"
  promptls map "$folder" --redact --html "$pages/map.html"
  if [ -n "$BASE" ] && ! promptls diff "$BASE...HEAD" --folder "$folder" --redact --html "$pages/diff.html"; then
    echo "::warning::promptls has no page of the changes: the clone needs \"fetch-depth: 0\"."
  fi
}

# The comment is written once and then kept up to date. A fork's token may not write: the summary has it all.
comment() {
  local folder=$CHECKED said="$RUNNER_TEMP/promptls.md" own id author begin known="" to
  if [ ! -d "$folder" ]; then folder=$(dirname -- "$folder"); fi
  echo "$MARK" >"$said"
  promptls diff "$BASE...HEAD" --folder "$folder" --format markdown >>"$said"
  if [ -n "$PAGES" ]; then printf '\n[The map and the changes as pages](%s)\n' "$PAGES" >>"$said"; fi
  cat "$said" >>"$GITHUB_STEP_SUMMARY"
  own=$(gh_api graphql --raw-field 'query={viewer{login}}' --jq .data.viewer.login) || own=""
  # Anybody can begin a comment with the mark.
  while IFS=$'\t' read -r id author begin; do
    if [ "$author" = "$own" ] && [ "$begin" = "$MARK" ]; then
      known=$id
      break
    fi
  done < <(gh_api "$COMMENTS" --paginate --jq ".[] | [.id, .user.login, (.body // \"\")[:${#MARK}]] | @tsv")
  if [ -n "$known" ]; then to=(--method PATCH "$OWN/$known"); else to=(--method POST "$COMMENTS"); fi
  if [ -z "$own" ] || ! gh_api "${to[@]}" --field "body=@$said" >"$RUNNER_TEMP/promptls.answer"; then
    echo "::warning::promptls cannot comment on this pull request; the summary has its text."
  fi
}

check() {
  local options=(--fail-on "$FAIL_ON")
  if [ "$NETWORK_ALLOWED" != true ]; then options+=(--no-network); fi
  if [ -n "$CHANGED" ]; then options+=(--changed "$CHANGED"); fi
  if [ -n "$BASELINE" ]; then options+=(--baseline "$BASELINE"); fi
  if [ -n "$SARIF" ]; then
    without_links "$SARIF"
    promptls check "$CHECKED" "${options[@]}" --format sarif >"$SARIF" || [ $? -eq 1 ]
  fi
  promptls check "$CHECKED" "${options[@]}" --format github
}

# A link in the checkout would lead what is written elsewhere: one in the place of the file goes, one above it ends this.
without_links() {
  local name=${1#"$PWD/"} directory
  case $name in /*) return ;; esac
  directory=$(dirname -- "$name")
  if [ "$(cd -P -- "$directory" && pwd)" != "$(cd -P . && cd -L -- "$directory" && pwd -L)" ]; then
    echo "::error::A link leads $name elsewhere; name another file."
    exit 1
  fi
  rm -f -- "$name"
}

"$1"
