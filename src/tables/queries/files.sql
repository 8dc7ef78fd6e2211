-- Files that the session wrote.
SELECT session_id, path, state, written_msg, read_msg, writes, reads
FROM artefacts
ORDER BY session_id, path
