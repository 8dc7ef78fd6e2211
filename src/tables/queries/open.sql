-- Plan items still open at the end, with the message that last shows each.
SELECT session_id, item_label, MAX(item) AS item, MAX(last_state) AS last_state, MAX(msg) AS last_msg
FROM plan_items
WHERE accepted AND last_state IN ('pending', 'active', 'blocked', 'other')
GROUP BY session_id, item_id, item_label
ORDER BY session_id, last_msg, item_label
