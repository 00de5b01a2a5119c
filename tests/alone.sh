#!/bin/sh
# Run each test file in a process of its own, in random order where pytest-randomly is installed.
# Usage: sh tests/alone.sh path/to/python [files]; only the output of files that fail is shown.
python=$1
shift
export python
if "$python" -c 'import pytest_randomly' 2>/dev/null; then order="-p randomly"; else order=""; fi
export order
[ $# -gt 0 ] || set -- $(find tests -name 'test_*.py' | sort)
printf '%s\n' "$@" | xargs -P "${WORKERS:-2}" -n 1 sh -c '
    said=$("$python" -m pytest -q -p no:cacheprovider -p no:xdist $order "$0" 2>&1)
    code=$?
    # 5: all its tests are slow, and left out
    if [ $code -ne 0 ] && [ $code -ne 5 ]; then
        printf "%s\n%s\n" "FAILED ALONE: $0" "$said"
        exit 1
    fi
    printf "%s\n" "$0: $(printf "%s" "$said" | tail -n 1)"
'
