-- What the user asked for, and what took it up.
SELECT session_id, msg_label, position, polarity, text, mirrored_item, acted_msg
FROM directives
ORDER BY session_id, msg, msg_label, position
