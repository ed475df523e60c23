-- Views of the tables of tables.sql, for ClickHouse. FINAL takes the latest step of a row that came
-- twice.

-- The time in the middle of a cell of rtt_cells, in ms.
CREATE FUNCTION IF NOT EXISTS rtt_cell_ms AS (cell) -> if(cell < 64, toFloat64(cell), ((cell % 64) + 64.5) * pow(2, intDiv(cell, 64) - 1)) / 1e6;

-- The address that players connect to.
CREATE FUNCTION IF NOT EXISTS server_of AS (a_role, a_address, b_address) -> if(a_role IN ('listener', 'server'), a_address, b_address);

-- Percentile p (0 to 100) of the round trips of each role, by capture point and hour, by nearest
-- rank: SELECT * FROM rtt_percentile(p = 95).
CREATE OR REPLACE VIEW rtt_percentile AS
  SELECT point, protocol, role, hour, any(total) AS samples, rtt_cell_ms(min(cell)) AS rtt_ms
  FROM (
    SELECT point, protocol, role, hour, cell,
      sum(n) OVER (PARTITION BY point, protocol, role, hour ORDER BY cell) AS upto,
      sum(n) OVER (PARTITION BY point, protocol, role, hour) AS total
    FROM (
      SELECT point, protocol, role, toStartOfHour(from_time) AS hour, kv.1 AS cell, sum(kv.2) AS n
      FROM rollup FINAL ARRAY JOIN arrayZip(mapKeys(rtt_cells), mapValues(rtt_cells)) AS kv
      GROUP BY point, protocol, role, hour, cell
    )
  )
  WHERE upto >= greatest(1, ceil(total * {p:Float64} / 100))
  GROUP BY point, protocol, role, hour ORDER BY point, protocol, role, hour;

-- Servers, those first whose connections ended otherwise than by an orderly close the most.
CREATE OR REPLACE VIEW worst_servers AS
  SELECT c.point AS point, server_of(c.a_role, c.a_address, c.b_address) AS server, count() AS connections,
    countIf(e.cause NOT IN ('closed', 'still-open')) AS cut_off,
    cut_off / connections AS share,
    1000 * sum(ifNull(a_lost_before_capture, 0) + ifNull(a_lost_after_capture, 0) + ifNull(b_lost_before_capture, 0) + ifNull(b_lost_after_capture, 0)) / sum(a_frames + b_frames) AS lost_of_1000,
    quantileExact(0.5)(greatest(a_rtt_p95_ms, b_rtt_p95_ms)) AS usual_rtt_p95_ms
  FROM connections AS c FINAL LEFT JOIN (SELECT * FROM ends FINAL) AS e ON c.point = e.point AND c.chain = e.chain AND c.conn = e.conn
  GROUP BY point, server ORDER BY share DESC, connections DESC, point, server;

-- Why players left, by server and day, with one of the sentences that say so.
CREATE OR REPLACE VIEW why_they_left AS
  SELECT c.point AS point, server_of(c.a_role, c.a_address, c.b_address) AS server, toDate(c.last_time) AS day, e.cause AS cause, e.side AS side, count() AS connections,
    countIf(e.certainty = 'proved') AS proved,
    connections / sum(connections) OVER (PARTITION BY point, server, day) AS share,
    min(e.sentence) AS example
  FROM connections AS c FINAL INNER JOIN (SELECT * FROM ends FINAL) AS e ON c.point = e.point AND c.chain = e.chain AND c.conn = e.conn
  GROUP BY point, server, day, cause, side ORDER BY day, point, server, connections DESC, cause, side;
