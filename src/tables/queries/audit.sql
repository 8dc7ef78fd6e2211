-- Discrepancies, in order of message.
SELECT session_id, msg_label, severity, rule, message, other_msg
FROM discrepancies
ORDER BY session_id, msg, msg_label
