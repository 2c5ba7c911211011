"""Reading stays cheap: all shipped rules are read at each start of the command."""

import time

import pytest
import yaml

from engine.diagnostics import Findings, Source
from engine.files.yaml_source import parse

RULE = """\
  rule_number_{0}:
    title: Attention parameters of one layer
    symbol: P_{{attn}}
    unit: elem
    cases:
      - when: multi_latent_attention
        formula: mla_query_params + mla_latent_params + elem(num_attention_heads * v_head_dim * hidden_size)
        cite: [{{at: "megatron:megatron/training/theoretical_memory_usage.py#L62-L80", in: compute_weight}}]
      - otherwise: elem(2 * hidden_size * query_projection_size)
        cite: [{{at: "megatron:megatron/training/theoretical_memory_usage.py#L82-L93", in: compute_weight}}]
    tests:
      - given: {{hidden_size: 4096, num_attention_heads: 32}}
        expect: 41943040
"""


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML has no C parser here; the Python one is slow")
def test_four_hundred_rules_cost_little_more_than_parsing_them() -> None:
    text = "rules:\n" + "".join(RULE.format(number) for number in range(400))
    source = Source("rules.yaml", text)

    def best(action: object) -> float:
        assert callable(action)
        times = []
        for _ in range(5):
            begin = time.perf_counter()
            action()
            times.append(time.perf_counter() - begin)
        return min(times)

    nodes = best(lambda: parse(source, Findings()))
    parser = best(lambda: yaml.compose(text, Loader=yaml.CSafeLoader))
    assert nodes < 3 * parser
