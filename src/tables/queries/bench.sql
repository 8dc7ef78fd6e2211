-- Measurements against limits, the least efficient first.
SELECT session_id, msg_label, metric, params, value, unit, limit_value, limit_unit, efficiency, gap
FROM efficiencies
ORDER BY efficiency, session_id, msg
