"""A preset: values for inputs, as a person writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.diagnostics import EngineError, Findings, Source, Span
from engine.files.yaml_source import MappingNode, ScalarNode, describe, parse, to_plain

if TYPE_CHECKING:
    from engine.importing.megatron_flags import FlagReport
    from engine.ruleset import RuleSet

NOT_MODELLED = "not_modelled"
"""Key of a preset under which launch flags stand that move memory and that no input stands for."""


@dataclass(frozen=True)
class Preset:
    """Values by input name. `None` means the same as leaving the input out.

    Attributes:
        values: as written; they are validated against a rule set when it is evaluated.
        path: where they were read, for messages.
        places: position of each key and of each value in the file.
        flags: what became of the launch flags, or of the fields of a model's configuration, that the preset was made
            of; None for another origin.
    """

    values: Mapping[str, Any]
    path: str = "preset"
    places: Mapping[str, tuple[Span, Span]] = field(default_factory=dict, repr=False, compare=False)
    flags: FlagReport | None = field(default=None, repr=False, compare=False)

    @classmethod
    def load(cls, path: str | Path, rules: RuleSet | None = None) -> Preset:
        """Reads a configuration from a file, or from standard input for `-`.

        The file may be a preset (YAML), a launch script, an argument file, a training log, or the `config.json` of a
        model; its contents tell which.

        Args:
            path: the file.
            rules: the rule set whose inputs launch flags are read for; None for the rules that are shipped.

        Raises:
            EngineError: the file cannot be read as what it is.
        """
        from engine.importing.sniff import read_preset, read_source

        return read_preset(read_source(path), rules)

    @classmethod
    def from_yaml(cls, source: Source) -> Preset:
        """Reads a preset from YAML.

        Raises:
            EngineError: the text is not a flat mapping of inputs to values.
        """
        findings = Findings()
        tree = parse(source, findings)
        if tree is not None and not isinstance(tree, MappingNode):
            findings.add("E203", f"a preset is a mapping of inputs to values, but this is {describe(tree)}", tree.span)
        findings.raise_if_errors()
        assert isinstance(tree, MappingNode)
        places = {name: (entry.key_span, entry.value.span) for name, entry in tree.entries.items()}
        values = {name: to_plain(entry.value) for name, entry in tree.entries.items()}
        unmodelled = values.pop(NOT_MODELLED, None)
        if unmodelled is None:
            return cls(values, source.path, places)
        if not isinstance(unmodelled, dict) or not all(isinstance(why, str) for why in unmodelled.values()):
            message = f"`{NOT_MODELLED}` is a mapping of launch flags to what they are about"
            findings.add("E502", message, places[NOT_MODELLED][1])
            findings.raise_if_errors()
        from engine.importing.megatron_flags import FlagReport

        return cls(values, source.path, places, FlagReport({}, unmodelled=unmodelled))

    @classmethod
    def from_megatron_flags(cls, flags: Mapping[str, Any], rules: RuleSet | None = None) -> Preset:
        """Makes a preset of Megatron-LM's launch flags, for example `{"hidden-size": 4096, "swiglu": True}`.

        Args:
            flags: flag to value, with or without leading dashes, with dashes or underscores. True means a switch that
                was given; None and, for a switch, False mean a flag that was not. Values may be the text of a command
                line. `world-size` and `data-parallel-size`, which launchers pass in other ways, may stand among them.
            rules: the rule set whose inputs the flags are read for; None for the rules that are shipped.

        Returns:
            The preset; its `flags` tell which flags were used and which were not.

        Raises:
            EngineError: a value that does not fit, or flags that contradict each other (E502 to E507).
        """
        from engine.importing.megatron_flags import from_megatron_flags

        return from_megatron_flags(flags, rules)

    @classmethod
    def from_hf_config(cls, config: Mapping[str, Any]) -> Preset:
        """Makes a preset of the `config.json` of a Hugging Face model: the model's shape, without any layout.

        Args:
            config: the fields of the file; of a model with several parts, `text_config` counts.

        Returns:
            The preset; its `flags` tell which fields were used, and what the rules do not model.

        Raises:
            EngineError: it is no configuration of a language model (E501).
        """
        from engine.importing.hf_config import from_hf_config

        return from_hf_config(config)

    def overlaid(self, changes: Mapping[str, Any], groups: Mapping[str, tuple[str, ...]]) -> Preset:
        """Returns the preset with some values changed.

        Args:
            changes: input name to new value; None sets the absent value.
            groups: for each member of an either-or group the other members; setting one withdraws the others.
        """
        withdrawn = {other for name in changes for other in groups.get(name, ()) if other not in changes}
        kept = {name: value for name, value in self.values.items() if name not in withdrawn}
        places = {name: place for name, place in self.places.items() if name not in changes}
        return replace(self, values={**kept, **changes}, places=places)


def parse_setting(text: str) -> tuple[str, Any]:
    """Reads a `--set name=value` argument; the value is read as YAML.

    Raises:
        EngineError: the text is not of this form (E506).
    """
    name, equals, value = text.partition("=")
    findings = Findings()
    if not equals or not name.strip():
        findings.add("E506", f"`{text}` is not of the form name=value", help="for example --set micro_batch_size=4")
        findings.raise_if_errors()
    node = parse(Source(f"--set {name}", value), findings) if value.strip() else None
    if findings.has_errors:
        raise EngineError(findings.sorted())
    if isinstance(node, MappingNode):
        findings.add("E506", f"the value of `{name}` cannot be a mapping")
        findings.raise_if_errors()
    return name.strip(), None if node is None or (isinstance(node, ScalarNode) and node.value is None) else to_plain(
        node
    )
