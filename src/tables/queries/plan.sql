-- Every change of the plan.
SELECT session_id, msg_label, seq, item, from_state, to_state, kind, evidence_msg, certainty
FROM transitions
WHERE kind <> 'unchanged'
ORDER BY session_id, msg, msg_label, seq
