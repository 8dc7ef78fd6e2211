-- Tool calls per tool, with how they ended.
SELECT tool, MAX(kind) AS kind, COUNT(*) AS calls,
       SUM(CASE WHEN status = 'ok' THEN 1 ELSE 0 END) AS ok,
       SUM(CASE WHEN status = 'error' THEN 1 ELSE 0 END) AS errors,
       SUM(CASE WHEN status = 'interrupted' THEN 1 ELSE 0 END) AS interrupted,
       SUM(CASE WHEN status = 'missing' THEN 1 ELSE 0 END) AS missing,
       SUM(duration_ms) AS duration_ms
FROM tool_calls
GROUP BY tool
ORDER BY calls DESC, tool
