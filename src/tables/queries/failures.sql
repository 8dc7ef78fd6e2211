-- Tool calls that failed.
SELECT session_id, msg_label, tool, status, exit_code, COALESCE(command, target) AS target
FROM tool_calls
WHERE status = 'error' OR exit_code <> 0
ORDER BY session_id, msg, msg_label
