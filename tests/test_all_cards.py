"""The cards of all scenarios: the lines of a site file that accept a finding."""

from __future__ import annotations

import pytest

from mqstat.base.errors import SiteError
from mqstat.sql.site import parse_site
from tests.estates import in_tiers, judged_together
from tests.outputs import Outputs


@pytest.mark.parametrize("name", in_tiers(judged_together()))
@pytest.mark.slow
def test_the_lines_that_accept_a_finding_accept_exactly_it(name: str, outputs: Outputs) -> None:
    document = outputs.scenario(name).document
    in_breach = [
        (finding["key"], finding["rule_id"], subject["lpar"], subject["qmgr"], subject["subject"])
        for finding in document["findings"]
        if finding["severity"] != "broken"
        for subject in finding["subjects"]
    ]
    keys = [finding["key"] for finding in document["findings"] if finding["severity"] != "broken"]
    assert list(dict.fromkeys(key for key, *_ in in_breach)) == keys
    for finding in document["findings"]:
        if finding["severity"] == "broken":
            assert finding["accept"] == ""
            continue
        with pytest.raises(SiteError, match="reason must be a text that states why"):
            parse_site(finding["accept"], "site.toml")
        site = parse_site(finding["accept"].replace('reason = ""', 'reason = "agreed"'), "site.toml")
        assert site.overrides
        assert all(override.off for override in site.overrides)
        for key, rule_id, *subject in in_breach:
            covered = any(each.rule_id == rule_id and each.holds(*subject) for each in site.overrides)
            assert covered == (key == finding["key"]), (finding["key"], rule_id, subject)
