/*---
id      = "compare_moved"
title   = "Largest changes by subject"
grain   = "one row per lpar, qmgr and subject"
needs   = ["compare_setting", "compare_figure"]
note    = "Likely causes come first: what was added, removed or changed, then subjects whose figures changed, then the totals of queue managers."

[columns]
moved_rank = { unit = "id", doc = "Position in the list.", label = "no", screen = 1 }
moved_class = { unit = "text", doc = "changed, figures or totals.", label = "what", screen = 3 }
moved_effect = { unit = "ratio", doc = "Largest effect size of its figures, without sign; 2 for a setting.", over = "max", label = "effect", format = ".2f", screen = 2 }
moved_change_pct = { unit = "percent", doc = "Change of the figure with the largest effect, or of the setting.", over = "none", why = "Each row is another figure or setting.", label = "change %", format = ".1f", screen = 2 }
moved_figures = { unit = "count", doc = "Settings and figures of the subject that changed.", over = "add", label = "figures", screen = 3 }
moved_text = { unit = "text", doc = "Description of the change.", label = "description", screen = 1 }
---*/
WITH
-- Numbers as mqstat.base.formatting.number_text writes them: a fraction with three significant digits, thousands separated.
labelled AS (
  SELECT
    lpar, qmgr, subject, subject_kind, figure_number, abs(effect_size) AS effect, change_pct,
    [before_mean * shown_scale, after_mean * shown_scale] AS pair, shown_unit, metric_name
  FROM compare_figure
  WHERE noteworthy AND NOT is_setting
),
worded AS (
  SELECT
    *,
    list_transform(
      pair,
      lambda value: CASE
        WHEN abs(value) >= 100 OR value = round(value) THEN format('{:,}', round(value)::BIGINT)
        WHEN abs(value) < 1e-6 THEN format('{:.3g}', value)
        ELSE regexp_replace(format('{:,.' || (2 - floor(log10(abs(value)))::INTEGER) || 'f}', value), '[.]?0+$', '')
      END
    ) AS shown
  FROM labelled
),
piece AS (
  SELECT
    lpar, qmgr, subject,
    CASE WHEN subject_kind = 'queue manager' THEN 3 ELSE 2 END AS class, effect, change_pct, 100 + figure_number AS place,
    format('{} {}{} before, {} after', metric_name, shown[1], CASE WHEN shown_unit = '' THEN '' ELSE ' ' || shown_unit END, shown[2])
      || CASE
        WHEN change_pct IS NULL THEN ''
        WHEN change_pct >= 300 THEN format(' ({:.1f} times)', 1 + change_pct / 100)
        ELSE format(' ({:+.0f} %)', change_pct) END AS words
  FROM worded
  UNION ALL
  SELECT
    lpar, qmgr, subject, 1, 2, setting_change_pct, row_number() OVER (PARTITION BY lpar, qmgr, subject ORDER BY setting = 'there' DESC, setting),
    CASE
      WHEN setting = 'there' AND subject_kind = 'records' AND change = 'appeared' THEN 'collected only after'
      WHEN setting = 'there' AND subject_kind = 'records' THEN 'collected only before'
      WHEN setting = 'there' THEN change
      ELSE format('{} {} before, {} after', setting,
        CASE WHEN try_cast(before_value AS BIGINT) IS NOT NULL AND setting_unit <> '' THEN format('{:,}', before_value::BIGINT) ELSE before_value END,
        CASE WHEN try_cast(after_value AS BIGINT) IS NOT NULL AND setting_unit <> '' THEN format('{:,}', after_value::BIGINT) ELSE after_value END)
        || CASE WHEN setting_unit IN ('mib', 'bytes') THEN CASE setting_unit WHEN 'mib' THEN ' MiB' ELSE ' bytes' END ELSE '' END
        || coalesce(format(' ({:+.0f} %)', setting_change_pct), '')
    END
  FROM compare_setting
),
grouped AS (
  SELECT
    lpar, qmgr, subject, min(class) AS class, max(effect) AS effect,
    arg_max(change_pct, effect * 1000 - place) AS change_pct, count(*) AS pieces,
    list(words ORDER BY class, effect DESC, place) AS words
  FROM piece
  GROUP BY lpar, qmgr, subject
)
SELECT
  lpar, qmgr,
  row_number() OVER (
    ORDER BY class, class = 1 AND subject = '' DESC, round(effect, 6) DESC, abs(round(change_pct, 6)) DESC NULLS FIRST, lpar, qmgr, subject
  ) AS moved_rank,
  CASE class WHEN 1 THEN 'changed' WHEN 2 THEN 'figures' ELSE 'totals' END AS moved_class,
  subject, effect AS moved_effect, change_pct AS moved_change_pct, pieces AS moved_figures,
  array_to_string(words[1:4], '; ') || CASE WHEN pieces > 4 THEN format('; and {} more', pieces - 4) ELSE '' END AS moved_text
FROM grouped
