-- Findings, worst first; those that repeat an earlier one are left out.
SELECT session_id, msg_label, level, status, title, current, wanted, needs, fate
FROM findings
WHERE restates_id IS NULL
ORDER BY level, session_id, msg
