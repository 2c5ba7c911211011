"""How many ranks a launch starts, and which command is the launch."""

from __future__ import annotations

import pytest

from engine import EngineError, Preset, RuleSet
from engine.diagnostics import Source
from engine.importing.sniff import read_preset

FLAGS = "--num-layers 2 --hidden-size 64"


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet.load()


def read(script: str, rules: RuleSet, **variables: str) -> Preset:
    return read_preset(Source("run.sh", script), rules, variables=variables)


@pytest.mark.parametrize(
    ("script", "ranks"),
    [
        ("torchrun --nproc_per_node 8 --nnodes 4 train.py", 32),
        ("torchrun --nproc-per-node=8 --nnodes=4 train.py", 32),
        ("torchrun --standalone --nproc_per_node=2 train.py", 2),
        ("torchrun train.py", 1),
        ("python -m torch.distributed.launch --nproc_per_node=4 --use_env train.py", 4),
        ("python3 -m torch.distributed.run --nnodes 2 --nproc_per_node 8 train.py", 16),
        ("nsys profile -o x torchrun --nproc_per_node 8 train.py", 8),
        ("deepspeed --num_gpus 8 --num_nodes 2 train.py", 16),
        ("srun -N 4 --ntasks-per-node=8 python train.py", 32),
        ("srun --nodes 4 -n 16 python train.py", 16),
        ("srun -N 4 --ntasks-per-node=1 torchrun --nproc_per_node 8 --nnodes 4 train.py", 32),
        ("#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=8 # all cards\nsrun python train.py", 32),
        ("#SBATCH -N 4\n#SBATCH -n 24\nsrun python train.py", 24),
        ("#SBATCH --nodes=4\nsrun --ntasks-per-node 2 python train.py", 8),
        ("#SBATCH --nodes=4\ntorchrun --nnodes $SLURM_NNODES --nproc_per_node 8 train.py", 32),
        (
            "#SBATCH -N 3\n#SBATCH --gres=gpu:h100:4\ntorchrun --nnodes $SLURM_JOB_NUM_NODES "
            "--nproc_per_node $SLURM_GPUS_ON_NODE train.py",
            12,
        ),
        ("#SBATCH -N 4\n#SBATCH --ntasks-per-node=8\nWORLD_SIZE=$SLURM_NTASKS python train.py", 32),
        ("mpirun -np 16 -x A python train.py", 16),
        ("mpiexec -n 12 python train.py", 12),
        ("WORLD_SIZE=24 python train.py", 24),
        ("export WORLD_SIZE=$((3 * 8))\npython train.py", 24),
        ("python train.py", None),
        ("torchrun --nproc_per_node 8 --nnodes $NODES train.py", None),
        ("torchrun --nproc_per_node gpu train.py", None),
        ("torchrun --nproc_per_node 8 --nnodes 1:4 train.py", None),
        ("srun bash -c 'torchrun --nproc_per_node 8 --nnodes 2 train.py FLAGS'", 16),
    ],
)
def test_ranks(script: str, ranks: int | None, rules: RuleSet) -> None:
    launch = script.replace("FLAGS", FLAGS) if "FLAGS" in script else f"{script} {FLAGS}"
    preset = read(launch, rules)
    assert preset.values.get("world_size") == ranks
    assert preset.values["num_layers"] == 2


def test_a_number_of_ranks_that_is_not_known_is_told(rules: RuleSet) -> None:
    preset = read(f"torchrun --nproc_per_node 8 --nnodes $NODES train.py {FLAGS}", rules)
    assert preset.flags is not None
    assert preset.flags.unread == {"--world-size": "`$NODES` is set nowhere in the script"}
    assert read(f"torchrun --nproc_per_node 8 --nnodes $NODES train.py {FLAGS}", rules, NODES="2").values == {
        "world_size": 16,
        "num_layers": 2,
        "hidden_size": 64,
    }


@pytest.mark.parametrize(
    "script",
    [
        "python tools/checkpoint.py --load a --save b --tensor-model-parallel-size 4\ntorchrun t.py F",
        "echo torchrun t.py --num-layers 9 --hidden-size 9 --seq-length 9 --swiglu\ntorchrun t.py F",
        "if [ -f a ]; then\n  torchrun t.py --num-layers 9 --hidden-size 9\nfi\ntorchrun t.py F",
        "A='F'\nB=(--lr 1)\ntorchrun t.py $A ${B[@]}",
        "torchrun $SCRIPT F",
        "torchrun --nproc_per_node 1 --module my.trainer F",
        "time -p torchrun t.py F; echo done",
        "until torchrun t.py F; do sleep 1; done",
        "mkdir -p out && cd out || exit 1\nexec torchrun t.py F > log 2>&1",
        "(cd x; nohup torchrun t.py F &)",
        "F",
    ],
)
def test_the_launch_is_found(script: str, rules: RuleSet) -> None:
    values = read(script.replace("F", FLAGS), rules).values
    assert (values["num_layers"], values["hidden_size"]) == (2, 64)
    assert "tensor_model_parallel_size" not in values


def test_options_of_a_launcher_are_no_flags(rules: RuleSet) -> None:
    preset = read(f"torchrun --nproc_per_node 2 --master_port 6000 $SCRIPT {FLAGS}", rules)
    assert preset.flags is not None
    assert not preset.flags.unknown
    assert preset.values["world_size"] == 2


@pytest.mark.parametrize(
    ("setting", "values"),
    [
        ("export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True", {"expandable_segments": True}),
        (
            "export PYTORCH_CUDA_ALLOC_CONF='max_split_size_mb:512,expandable_segments:False'",
            {"expandable_segments": False},
        ),
        ("export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:512", {}),
        ("export NCCL_GRAPH_REGISTER=0", {"nccl_graph_register": False}),
    ],
)
def test_the_environment_of_the_launch(setting: str, values: dict[str, bool], rules: RuleSet) -> None:
    found = read(f"{setting}\npython t.py {FLAGS}", rules).values
    assert {name: found[name] for name in found if name not in ("num_layers", "hidden_size")} == values


@pytest.mark.parametrize(
    ("flag", "help"),
    [
        ("--num-layer 2", "did you mean --num-layers?"),
        ("--hidden-szie 2", "did you mean --hidden-size?"),
        ("--tensor-parallel-size 2", "did you mean --tensor-model-parallel-size?"),
        ("--seq-len 2", "did you mean --seq-length?"),
        ("--num-layers-per-stage 2", "did you mean --num-layers-per-virtual-pipeline-stage?"),
        ("--sequence_paralel", "did you mean --sequence-parallel?"),
    ],
)
def test_slips_are_errors(flag: str, help: str, rules: RuleSet) -> None:
    with pytest.raises(EngineError) as caught:
        read(f"python t.py {FLAGS} {flag}", rules)
    (finding,) = caught.value.diagnostics
    assert (finding.code, finding.help) == ("E509", help)
    assert finding.span is not None
    assert finding.span.column == len(f"python t.py {FLAGS} ") + 1


@pytest.mark.parametrize("flag", ["--my-extension 3", "--adapter-rank 8", "--seq", "--ckpt-format2 x", "--num-tiles 4"])
def test_flags_of_extensions_are_remarked_on(flag: str, rules: RuleSet) -> None:
    preset = read(f"python t.py {FLAGS} {flag}", rules)
    assert preset.flags is not None
    assert [remark.code for remark in preset.flags.remarks] == ["W503"]
    assert list(preset.flags.unknown) == [flag.split()[0]]


def test_everything_that_is_wrong_is_told_at_once(rules: RuleSet) -> None:
    script = "python t.py --num-layers many --bf16 \\\n --fp16 --hiden-size 8 --swiglu 3 --seq-length --num-experts 1 2"
    with pytest.raises(EngineError) as caught:
        read(script, rules)
    found = sorted((item.span.line, item.span.column, item.code) for item in caught.value.diagnostics if item.span)
    assert found == [
        (1, 26, "E502"), (2, 2, "E502"), (2, 9, "E509"), (2, 33, "E502"), (2, 35, "E502"), (2, 62, "E502"),
    ]  # fmt: skip


def test_flags_of_which_the_launcher_takes_one(rules: RuleSet) -> None:
    script = f"python t.py {FLAGS} --num-layers-per-virtual-pipeline-stage 1 --num-virtual-stages-per-pipeline-rank 2"
    with pytest.raises(EngineError) as caught:
        read(script, rules)
    (finding,) = caught.value.diagnostics
    named = "--num-layers-per-virtual-pipeline-stage and --num-virtual-stages-per-pipeline-rank"
    assert (finding.code, finding.message) == ("E502", f"{named} exclude each other")
    assert len(finding.related) == 1


def test_variables_that_are_given_win_over_those_of_the_scheduler(rules: RuleSet) -> None:
    script = f"#SBATCH --nodes=4\ntorchrun --nnodes $SLURM_NNODES --nproc_per_node 8 train.py {FLAGS}"
    assert read(script, rules, SLURM_NNODES="2").values["world_size"] == 16


def test_a_range_of_nodes_gives_no_number(rules: RuleSet) -> None:
    script = f"#SBATCH --nodes=2-4\ntorchrun --nnodes $SLURM_NNODES --nproc_per_node 8 train.py {FLAGS}"
    assert "world_size" not in read(script, rules).values
