-- Views of the rows that `dpdissect-fleet tables --out rows` writes, for DuckDB. Run it where the
-- folder is: duckdb game.db < deploy/duckdb/views.sql
-- Rows that `dpdissect tables` wrote: read_json('rows/ends/**/*.ndjson', hive_partitioning = true,
-- union_by_name = true) in place of read_parquet.

CREATE OR REPLACE VIEW connections AS SELECT * FROM read_parquet('rows/connections/**/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE VIEW ends AS SELECT * FROM read_parquet('rows/ends/**/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE VIEW intervals AS SELECT * FROM read_parquet('rows/intervals/**/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE VIEW rollup_minutes AS SELECT * FROM read_parquet('rows/rollup/**/*.parquet', hive_partitioning = true, union_by_name = true);

-- The time in the middle of a cell of rtt_cells, in ms.
CREATE OR REPLACE MACRO rtt_cell_ms(cell) AS
  CASE WHEN cell < 64 THEN cell ELSE ((cell % 64) + 64.5) * pow(2, cell // 64 - 1) END / 1e6;

-- Percentile p (0 to 100) of the round trips of each role, by capture point and hour, by nearest
-- rank: SELECT * FROM rtt_percentile(95).
CREATE OR REPLACE MACRO rtt_percentile(p) AS TABLE
  WITH cells AS (
    SELECT point, protocol, role, date_trunc('hour', from_time) AS hour, unnest(map_keys(rtt_cells)) AS cell, unnest(map_values(rtt_cells)) AS n
    FROM rollup_minutes WHERE rtt_cells IS NOT NULL
  ), merged AS (
    SELECT point, protocol, role, hour, cell, sum(n) AS n FROM cells GROUP BY ALL
  ), ranked AS (
    SELECT *, sum(n) OVER (PARTITION BY point, protocol, role, hour ORDER BY cell) AS upto, sum(n) OVER (PARTITION BY point, protocol, role, hour) AS samples
    FROM merged
  )
  SELECT point, protocol, role, hour, max(samples)::BIGINT AS samples, rtt_cell_ms(min(cell)) AS rtt_ms
  FROM ranked WHERE upto >= greatest(1, ceil(samples * p / 100)) GROUP BY point, protocol, role, hour ORDER BY ALL;

-- The address that players connect to.
CREATE OR REPLACE MACRO server_of(a_role, a_address, b_address) AS
  CASE WHEN a_role IN ('listener', 'server') THEN a_address ELSE b_address END;

-- Servers, those first whose connections ended otherwise than by an orderly close the most.
CREATE OR REPLACE VIEW worst_servers AS
  SELECT *, cut_off / connections AS share FROM (
    SELECT c.point, server_of(a_role, a_address, b_address) AS server, count(*) AS connections,
      count(*) FILTER (e.cause NOT IN ('closed', 'still-open')) AS cut_off,
      1000.0 * sum(coalesce(a_lost_before_capture, 0) + coalesce(a_lost_after_capture, 0) + coalesce(b_lost_before_capture, 0) + coalesce(b_lost_after_capture, 0)) / sum(a_frames + b_frames) AS lost_of_1000,
      median(greatest(a_rtt_p95_ms, b_rtt_p95_ms)) AS usual_rtt_p95_ms
    FROM connections c LEFT JOIN ends e USING (point, chain, conn) GROUP BY 1, 2
  ) ORDER BY share DESC, connections DESC, point, server;

-- Why players left, by server and day, with one of the sentences that say so.
CREATE OR REPLACE VIEW why_they_left AS
  SELECT *, connections / sum(connections) OVER (PARTITION BY point, server, day) AS share FROM (
    SELECT c.point, server_of(a_role, a_address, b_address) AS server, c.last_time::DATE AS day, e.cause, e.side, count(*) AS connections,
      count(*) FILTER (e.certainty = 'proved') AS proved, min(e.sentence) AS example
    FROM connections c JOIN ends e USING (point, chain, conn) GROUP BY 1, 2, 3, 4, 5
  ) ORDER BY day, point, server, connections DESC, cause, side;

-- There may be no finding, and then this is an error.
CREATE OR REPLACE VIEW findings AS SELECT * FROM read_parquet('rows/findings/**/*.parquet', hive_partitioning = true, union_by_name = true);
