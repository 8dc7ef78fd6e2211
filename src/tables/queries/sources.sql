-- What became of the bytes and records of each file.
SELECT session_id, file, format, bytes_read, bytes_used, bytes_skipped, records, kept, copies, skipped
FROM sources
ORDER BY session_id, file
