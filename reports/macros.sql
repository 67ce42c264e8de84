-- Macros of views, reports and rules, for every database with views. Callers name the columns, so that a text shows what it reads.

-- A part as a percentage of the whole; null if the whole is 0.
CREATE MACRO pct(part, whole) AS 100 * part / nullif(whole, 0);

-- A count or an amount per second; null if there are no seconds.
CREATE MACRO per_s(amount, seconds) AS amount / nullif(seconds, 0);

-- A counter that IBM's layout declares as a signed word, read unsigned: above 2,147,483,647 it is stored as a negative number. It stays negative, and
-- so impossible, where it would be more in a second than this component reaches.
CREATE MACRO unsigned_word(counter, seconds, most_per_s) AS CASE WHEN counter < 0 AND counter + 4294967296 <= most_per_s * seconds THEN counter + 4294967296 ELSE counter END;

-- A partial record (QQSTPART) has no depth and no uncommitted flag if its queue is shared, before 9.3.3 any; one of a private queue lacks only the age.
CREATE MACRO depth_unknown(partial, shared, version) AS coalesce(partial, false) AND (coalesce(shared, false) OR coalesce(10000 * try_cast(split_part(version, '.', 1) AS INTEGER) + 100 * try_cast(split_part(version, '.', 2) AS INTEGER) + try_cast(split_part(version, '.', 3) AS INTEGER), 0) < 90303);

-- Pages of 4 KiB in MiB.
CREATE MACRO pages_mib(pages) AS pages * 4096 / 1048576;

-- The place of a severity in the order of findings.
CREATE MACRO severity_rank(severity) AS list_position(['critical', 'warning', 'info'], severity);

-- The place of a weight, what a finding means for the work, in the order of findings.
CREATE MACRO weight_rank(weight) AS list_position(['loss', 'outage', 'delay', 'waste', 'collection'], weight);

-- Whether an interval is long enough to be judged: rates and peaks of a fragment are chance. Where that is not known, 10 seconds are enough.
CREATE MACRO judgeable(seconds, fragment) AS NOT coalesce(fragment, seconds < 10);

-- Whether an interval is long enough and not one in which the queue manager or channel initiator started.
CREATE MACRO settled(seconds, fragment, startup) AS NOT coalesce(fragment, seconds < 10) AND NOT coalesce(startup, false);

-- Who called MQ: job and transaction; without a job the transaction with its connection type, the user ID, or the connection type alone.
CREATE MACRO caller(job, transaction, connection_type, user_id) AS coalesce(job || coalesce('/' || transaction, ''), connection_type || ' ' || transaction, 'user ' || user_id, connection_type);

-- Pages of 4 KiB that a message takes in a page set, from its bytes with all headers but the MQMD (MQ 7.0.1 and later; MP16, 'Size of page sets').
CREATE MACRO pages_per_message(bytes) AS CASE WHEN bytes <= 3635 THEN 1 ELSE 1 + ceil((bytes - 3635) / 4048) END;

-- Bytes that a message without offload takes in a CF structure, from its bytes and those of its headers: elements of 256 bytes, at least six, and an entry (MP16, 'Application structures').
CREATE MACRO structure_bytes_per_message(bytes, headers) AS CASE WHEN bytes + headers <= 1536 THEN 1792 ELSE ceil((bytes + headers) / 256) * 256 + 256 END;

-- The value at x of a line through points with ascending xs, linear between them; beyond the ends the value of the end.
CREATE MACRO interpolated(x, xs, ys) AS CASE WHEN x <= xs[1] THEN ys[1] WHEN x >= xs[len(xs)] THEN ys[len(xs)] WHEN x IS NOT NULL THEN ys[len(list_filter(xs, lambda v: v <= x))] + (x - xs[len(list_filter(xs, lambda v: v <= x))]) * (ys[len(list_filter(xs, lambda v: v <= x)) + 1] - ys[len(list_filter(xs, lambda v: v <= x))]) / (xs[len(list_filter(xs, lambda v: v <= x)) + 1] - xs[len(list_filter(xs, lambda v: v <= x))]) END;

-- Log bytes of a persistent message that is put and got with a commit each, from its bytes and those of its headers (MP16, 'How can we estimate the required log data rate for a system?').
CREATE MACRO log_bytes_per_message(bytes, headers) AS bytes + headers + 1000 + CASE WHEN bytes >= 5000 THEN 150 * pages_per_message(bytes + headers) ELSE 0 END;

-- The value of the row with the highest peak; of several the first in time, so that the answer does not depend on the order in which rows are read.
CREATE MACRO at_peak(value, peak, moment) AS arg_max(value, (peak, -epoch_us(moment), value)) FILTER (WHERE peak IS NOT NULL);

-- Backouts of a task that undo work, at least: without the most with which a task of its type ends (view connection_type).
CREATE MACRO rollbacks_of(backouts, ended, end_backouts) AS CASE WHEN ended AND backouts <= end_backouts THEN 0 WHEN ended AND end_backouts > 0 THEN backouts - end_backouts ELSE backouts END;

-- A longest time, if it happened in its interval. Null where it is carried over from an earlier one: it is longer than the total, or at least 1 ms and equal to that of the same owner before.
CREATE MACRO believed(longest, total, previous) AS CASE WHEN longest > total OR (longest >= 1000 AND longest = previous) THEN NULL ELSE longest END;

-- A part of a difference for `explained`; `texts` = view difference_part as a map from part to its texts.
CREATE MACRO difference_of(texts, part, amount) AS {'size': -abs(amount), 'text': CASE WHEN amount > 0 THEN texts[part].positive_text ELSE texts[part].negative_text END, 'amount': amount};

-- What explains a difference: the part that covers nine tenths of it, otherwise all parts of two hundredths or more with their numbers, and what is left above a tenth with what it may be.
CREATE MACRO explained(difference, parts, left_texts) AS concat_ws(
  chr(59) || ' ',
  list_aggregate(list_transform(
    CASE WHEN greatest(abs(difference - list_sort(parts)[1].amount), abs(difference - list_sum(list_transform(parts, lambda p: p.amount)))) <= 0.1 * abs(difference)
      THEN list_sort(parts)[1:1] ELSE list_filter(list_sort(parts), lambda p: -50 * p.size >= abs(difference)) END,
    lambda p: p.text || format(' {:,}', -p.size)), 'string_agg', chr(59) || ' '),
  CASE WHEN abs(difference - list_sum(list_transform(parts, lambda p: p.amount))) > 0.1 * abs(difference)
    THEN format('not explained {:,}: {}', abs(difference - list_sum(list_transform(parts, lambda p: p.amount)))::BIGINT,
      CASE WHEN difference > list_sum(list_transform(parts, lambda p: p.amount)) THEN left_texts.positive_text ELSE left_texts.negative_text END) END);
