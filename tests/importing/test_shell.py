"""What a shell script comes to without being run."""

from __future__ import annotations

import time

import pytest

from engine.importing.arithmetic import NotKnown, calculate
from engine.importing.shell_found import Run
from engine.importing.shell_parts import ShellError
from engine.importing.shell_run import follow
from engine.importing.words import place, plain, unknown


def words(script: str, *arguments: str, **variables: str) -> list[str]:
    """Returns the words of the last command with flags."""
    return [plain(word) for word in run(script, *arguments, **variables).commands[-1].words]


def run(script: str, *arguments: str, **variables: str) -> Run:
    return follow(script, variables, arguments)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("X=8\na --n $X", ["a", "--n", "8"]),
        ("X=8\na --n ${X}", ["a", "--n", "8"]),
        ("a --n ${X:-4}", ["a", "--n", "4"]),
        ("X=\na --n ${X:-4}", ["a", "--n", "4"]),
        ("X=8\na --n ${X:-4}", ["a", "--n", "8"]),
        ("a --n ${X:=4} --m $X", ["a", "--n", "4", "--m", "4"]),
        ("X=8\na --n ${X:+4}", ["a", "--n", "4"]),
        ("a --n ${X:-${Y:-3}}", ["a", "--n", "3"]),
        ('a --n "${X:-"two words"}"', ["a", "--n", "two words"]),
        ('X="--a 1  --b 2"\nc $X', ["c", "--a", "1", "--b", "2"]),
        ('X="--a 1"\nc "$X"', ["c", "--a 1"]),
        ("X=(--a 1 --b '2 3')\nc \"${X[@]}\"", ["c", "--a", "1", "--b", "2 3"]),
        ('X=("--a 1" "--b 2")\nc ${X[@]}', ["c", "--a", "1", "--b", "2"]),
        ("X=(--a)\nX+=(1)\nX=(\"${X[@]}\" --b 2)\nc ${X[*]}", ["c", "--a", "1", "--b", "2"]),
        ('X=()\nc --a "${X[@]}" --b', ["c", "--a", "--b"]),
        ('c --a "" --b', ["c", "--a", "", "--b"]),
        ("X='--a'\nX+=' 1'\nc $X", ["c", "--a", "1"]),
        ("c --a 1 \\\n  --b 2", ["c", "--a", "1", "--b", "2"]),
        ("c --a 1 \\\r\n  --b 2\r\n", ["c", "--a", "1", "--b", "2"]),
        ("c --a 'x y'\"z\"\\ w # no", ["c", "--a", "x yz w"]),
        ("c --a=#1 --b#2", ["c", "--a=#1", "--b#2"]),
        ("c --a \"a\\\"b\" --b $'x\\ty'", ["c", "--a", 'a"b', "--b", "x\ty"]),
        ("c --a 1 2>&1 >log.txt | tee x", ["c", "--a", "1"]),
        ("c --a 1 &> log &", ["c", "--a", "1"]),
        ("X=(\n --a 1 # one\n # --b 2\n --c 3\n)\nd ${X[@]}", ["d", "--a", "1", "--c", "3"]),
        ("c --data <path to data> --b", ["c", "--data", "<path to data>", "--b"]),
        ("D=<data>\nc --data $D", ["c", "--data", "<data>"]),
        ("A=2 B=3\nc --n $((A * B + 1)) --m $(( ($A + 2) / 2 ))", ["c", "--n", "7", "--m", "2"]),
        ("A=8\nc --n `expr $A \\* 2` --m $(echo $A)", ["c", "--n", "16", "--m", "8"]),
        ("X=(5 6 7)\nc --n ${X[1]} --m ${#X[@]} --o $X", ["c", "--n", "6", "--m", "3", "--o", "5"]),
        ("X=(1 2)\nX[1]=9\nc --n ${X[@]}", ["c", "--n", "1", "9"]),
        ("export X=3; declare -i Y=4\nc --n $X --m $Y", ["c", "--n", "3", "--m", "4"]),
        ("X=1 c --a 1\nd --n ${X:-none}", ["d", "--n", "none"]),
        ("(X=1)\nd --n ${X:-none}", ["d", "--n", "none"]),
        ("{ X=1; }\nd --n ${X:-none}", ["d", "--n", "1"]),
        ("(( X = 3 + 1 ))\n((X += 2)); ((X++))\nc --n $X", ["c", "--n", "7"]),
        ("X=1\nunset X\nc --n ${X:-0}", ["c", "--n", "0"]),
    ],
)  # fmt: skip
def test_words(script: str, expected: list[str]) -> None:
    assert words(script) == expected


@pytest.mark.parametrize(
    ("condition", "taken"),
    [
        ('[ "$X" = a ]', True),
        ('[ "$X" == b ]', False),
        ("[[ $X == a* ]]", True),
        ('[[ $X == "a*" ]]', False),
        ("[[ $X != a && -n $X ]]", False),
        ('[ -z "$NONE" ]', True),
        ('[ -n "$NONE" ]', False),
        ("[ $N -gt 3 -a $N -le 4 ]", True),
        ("[[ $N -lt 3 || ( $X == a ) ]]", True),
        ("! [ $N -eq 4 ]", False),
        ("test $N -ge 5", False),
        ("(( N > 3 ))", True),
        ('[ "$X" = a ] && [ "$N" = 4 ]', True),
        ('[ "$X" = b ] || [ "$N" = 4 ]', True),
        ("true", True),
        ("false", False),
    ],
)
def test_conditions(condition: str, taken: bool) -> None:
    script = f"X=a\nN=4\nif {condition}; then Y=yes; else Y=no; fi\nc --y $Y"
    assert words(script) == ["c", "--y", "yes" if taken else "no"]
    if " && " not in condition and " || " not in condition and not condition.startswith("!"):
        assert words(f"X=a\nN=4\nY=no\n{condition} && Y=yes\nc --y $Y")[2] == ("yes" if taken else "no")


def test_branches() -> None:
    script = """
    case $SIZE in
        7B | 8B) H=4096 ;;
        13?) H=5120 ;;
        *) H=1 ;;
    esac
    if [ $SIZE = 7B ]; then L=32; elif [ $SIZE = 13B ]; then L=40; else L=2; fi
    c --h $H --l $L
    """
    assert words(script, SIZE="8B")[2::2] == ["4096", "2"]
    assert words(script, SIZE="13B")[2::2] == ["5120", "40"]
    assert words(script)[2::2] == ["1", "2"]


def test_loops_and_arguments() -> None:
    parsed = """
    TP=1
    while [[ $# -gt 0 ]]; do
        case "$1" in
            --tp) TP="$2"; shift 2 ;;
            --help) echo usage; exit 0 ;;
            *) REST+=("$1"); shift ;;
        esac
    done
    c --tp $TP "${REST[@]}"
    """
    assert words(parsed) == ["c", "--tp", "1"]
    assert words(parsed, "--tp", "8", "--x", "9") == ["c", "--tp", "8", "--x", "9"]
    assert words('f() { d --n $1 "${@}"; }\nf 3 --m') == ["d", "--n", "3", "3", "--m"]
    assert words('c "$@" --n $# --m ${2:-5} --o ${1}', "x y") == ["c", "x y", "--n", "1", "--m", "5", "--o", "x", "y"]
    every = run("for X in 1 2 3; do c --n $X; done")
    assert [plain(command.words[2]) for command in every.commands] == ["1", "2", "3"]


@pytest.mark.parametrize(
    "script",
    [
        "CMD=\"c --n 8 --s 'a b'\"\neval $CMD",
        'eval "c --n 8" --s "\'a b\'"',
        "bash -c 'c --n 8 --s \"a b\"'",
        'X="--n 8"\nsrun -N 2 bash -lc "cd /x; c $X --s \'a b\'"',
        "sbatch <<EOF\nc --n 8 --s 'a b'\nEOF",
        "N=8\nssh host \"cd /w && python t.py --q 1 && c --n $N --s 'a b'\"",
        "cat > run.sh <<'END'\npython t.py --q 1\nc --n 8 --s 'a b'\nEND\n",
    ],
)
def test_texts_that_a_shell_is_told_to_run(script: str) -> None:
    assert words(script) == ["c", "--n", "8", "--s", "a b"]


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("c --n $X", "`$X` is set nowhere in the script"),
        ("c --n ${X%a}", "`${X%a}` is not understood"),
        ("c --n $(nproc)", "`$(nproc)` is the output of a command, which is not run"),
        ("c --n `nproc`", "`nproc` is the output of a command, which is not run"),
        ("c --n $3", "the script is given no argument 3"),
        ("c --n $((2 * $X))", "`$X` is set nowhere in the script"),
        ("c --n $((2 * X))", "`X` is set nowhere in the script"),
        ("c --n $((1 / 0))", "the calculation divides by zero"),
        ("read X\nc --n $X", "what a command reads is not known"),
        ("if [ -f a ]; then X=1; else X=2; fi\nc --n $X", "`$X` depends on a condition that is not known"),
        ("X=1\n[ -f a ] && X=2\nc --n $X", "`$X` depends on a condition that is not known"),
        ("case $(hostname) in a) X=1 ;; *) X=2 ;; esac\nc --n $X", "`$X` depends on a condition that is not known"),
    ],
)
def test_what_cannot_be_known(script: str, reason: str) -> None:
    assert unknown(run(script).commands[-1].words[2]).strip("`") == reason.strip("`")


def test_branches_of_an_unknown_condition_that_agree() -> None:
    assert words("if [ -f a ]; then X=1; Y=2; else X=1; Y=2; fi\nc --n $X$Y") == ["c", "--n", "12"]
    found = run("A=(--a)\nif [ -f a ]; then A+=(--b); fi\nc ${A[@]}")
    assert [plain(word) for word in found.commands[-1].words] == ["c", "--a"]
    assert len(found.left_out) == 1
    assert run("[ -f a ] || c --n 1").commands[-1].doubtful


def test_words_know_where_they_stand() -> None:
    script = 'X=8\nA=(--a "$X"\n  --b)\nc ${A[@]} --n=$((X+1))'
    command = run(script).commands[-1]
    stands = [script[slice(*place(word))] for word in command.words]
    assert stands == ["c", "--a", "8", "--b", "--n=$((X+1))"]
    assert script[command.start : command.end] == "c ${A[@]} --n=$((X+1))"


def test_other_scripts_are_not_read() -> None:
    found = run('source a.sh\n. "$DIR/b.sh"\nc --n 1')
    assert [name for _, _, name in found.sourced] == ["a.sh", "$DIR/b.sh"]


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("c 'x", "this quote is not closed: '"),
        ('c "x', 'this quote is not closed: "'),
        ("c $(x", "this command is not closed"),
        ("c ${x", "this variable is not closed"),
        ("c $((1 + 2)", "this calculation is not closed"),
        ("X=(a", "this array is not closed"),
        ("if a; then b", "`if` is not closed"),
        ("for x in a; do b", "`for` is not closed"),
        ("case x in a) b;;", "`case` is not closed"),
        ("{ a", "`{` is not closed"),
        ("[[ a", "`[[` is not closed"),
        ("${a:-" * 100 + "}" * 100, "this is nested too deeply to be read"),
        ("{ " * 200 + "} " * 200, "blocks are nested too deeply to be read"),
    ],
)
def test_what_a_shell_would_refuse(script: str, message: str) -> None:
    with pytest.raises(ShellError) as caught:
        run(script)
    assert caught.value.message == message


@pytest.mark.parametrize(
    "script",
    [
        "X=aaaaaaaaaa\n" + 'X="$X$X"\n' * 60 + "c --x $X",
        "A=(a b)\n" + 'A=("${A[@]}" "${A[@]}")\n' * 60 + 'c --x "${A[@]}"',
        'while [ 1 = 1 ]; do X="$X a"; done',
        "while true; do sleep 1; done\nc --x 1",
        "f() { f; f; }\nf",
        'X=\'eval "$X"; eval "$X"\'\neval "$X"',
        "c --x $((9**9**9))",
        ":(){ :|:& };:",
        "<a" * 20_000,
        "$" * 20_000,
        "cat <<E\n" * 2_000,
    ],
)
def test_hostile_scripts_end_soon(script: str) -> None:
    start = time.monotonic()
    run(script)
    assert time.monotonic() - start < 20


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8 * 4", 32), ("(1 + 2) * 3", 9), ("-7 / 2", -3), ("-7 % 2", -1), ("2 ** 3 ** 2", 512), ("7 - 2 - 1", 4),
        ("1 < 2 && 3 > 4", 0), ("a ? 5 : 6", 5), ("010", 8), ("!0", 1), ("1 << 4 | 1", None), ("6 & 3 ^ 1", 3),
        ("a == 2 || b", 1), ("~0", -1), ("+a", 2),
    ],
)  # fmt: skip
def test_calculations(text: str, value: int | None) -> None:
    numbers = {"a": 2, "b": 3}
    if value is None:
        with pytest.raises(NotKnown):
            calculate(text, numbers.__getitem__)
    else:
        assert calculate(text, numbers.__getitem__) == value


@pytest.mark.parametrize("text", ["", "1 +", "(1", "1 2", "1 ? 2", "a.b", "9" * 30, "2 ** 64", "1 % 0", "(" * 99 + "1"])
def test_calculations_without_a_value(text: str) -> None:
    with pytest.raises(NotKnown):
        calculate(text, lambda name: 1)
