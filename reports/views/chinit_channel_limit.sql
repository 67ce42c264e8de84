/*---
id      = "chinit_channel_limit"
title   = "The channel limit that is nearest"
grain   = "one row per lpar, qmgr and channel initiator interval"
needs   = ["channel_initiator", "growth_limit"]
classes = ["115.231"]
mq_since = "8.0.0"
note    = "Of MAXCHL, ACTCHL and TCPCHL the one with the highest share in use. TCP/IP channels are not counted separately: all active channels are compared with TCPCHL."

[columns]
nearest_limit = { unit = "text", doc = "Name of the limit: MAXCHL, ACTCHL or TCPCHL." }
nearest_limit_value = { unit = "count", doc = "The limit.", over_time = "last", across = "same" }
nearest_limit_channels = { unit = "count", doc = "Channels that count against it.", over = "max" }
nearest_limit_pct = { unit = "percent", doc = "Channels as a share of the limit.", over = "max" }
channels_wanted = { unit = "count", doc = "A quarter more than the limit, in whole hundreds and at most the largest value; null if it has the largest value.", over = "none", why = "A recommendation is not the sum of others." }
more_pct = { unit = "percent", doc = "channels_wanted, compared with the limit.", over = "none", why = "A recommendation is not the sum of others." }
channels_at_most = { unit = "count", doc = "The largest value of the limit if it has it; otherwise null.", over = "max" }
maxchl_binds = { unit = "flag", doc = "To allow channels_wanted, MAXCHL must be raised." }
actchl_binds = { unit = "flag", doc = "To allow channels_wanted, ACTCHL must be raised: it is as low as the nearest limit, or as many more active channels do not fit." }
tcpchl_binds = { unit = "flag", doc = "The same of TCPCHL." }
---*/
WITH nearest AS (
  SELECT
    c.*, k.largest_value,
    CASE greatest(current_channels_pct, active_channels_pct, tcp_channels_pct)
      WHEN current_channels_pct THEN 'MAXCHL' WHEN active_channels_pct THEN 'ACTCHL' WHEN tcp_channels_pct THEN 'TCPCHL' END AS nearest_limit,
    CASE greatest(current_channels_pct, active_channels_pct, tcp_channels_pct)
      WHEN current_channels_pct THEN max_channels WHEN active_channels_pct THEN max_active_channels WHEN tcp_channels_pct THEN max_tcp_channels
    END                                                                    AS nearest_limit_value,
    CASE greatest(current_channels_pct, active_channels_pct, tcp_channels_pct)
      WHEN current_channels_pct THEN current_channels WHEN active_channels_pct THEN active_channels WHEN tcp_channels_pct THEN active_channels
    END                                                                    AS nearest_limit_channels,
    greatest(current_channels_pct, active_channels_pct, tcp_channels_pct)  AS nearest_limit_pct
  FROM channel_initiator AS c
  JOIN growth_limit AS k ON k.object_kind = 'current channels'
),
raised AS (
  SELECT
    *,
    CASE WHEN nearest_limit_value < largest_value
      THEN least(largest_value, ceil(nearest_limit_value * 1.25::DOUBLE / 100) * 100)
    END::BIGINT AS channels_wanted
  FROM nearest
)
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, fragment, startup_interval, suspect_first,
  current_channels, active_channels, chinit_31_mib,
  nearest_limit, nearest_limit_value, nearest_limit_channels, nearest_limit_pct,
  channels_wanted,
  100 * (channels_wanted - nearest_limit_value) / nullif(nearest_limit_value, 0) AS more_pct,
  CASE WHEN nearest_limit_value >= largest_value THEN nearest_limit_value END    AS channels_at_most,
  channels_wanted > max_channels                                                 AS maxchl_binds,
  -- Where MAXCHL is the nearest, only as many more active channels as there are now must fit.
  -- A limit that is as low as the nearest one binds with it.
  greatest(active_wanted, CASE WHEN max_active_channels = nearest_limit_value THEN channels_wanted END) > max_active_channels AS actchl_binds,
  greatest(active_wanted, CASE WHEN max_tcp_channels = nearest_limit_value THEN channels_wanted END) > max_tcp_channels AS tcpchl_binds
FROM (
  SELECT
    *, CASE WHEN nearest_limit = 'MAXCHL' THEN active_channels * channels_wanted / nearest_limit_value ELSE channels_wanted END AS active_wanted
  FROM raised
)
