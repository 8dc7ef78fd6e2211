-- Tokens per session and model, each message counted once.
SELECT session_id, model, COUNT(*) AS messages, SUM(input_tokens) AS input_tokens, SUM(cache_read_tokens) AS cache_read_tokens,
       SUM(cache_write_tokens) AS cache_write_tokens, SUM(output_tokens) AS output_tokens
FROM messages
WHERE copied_from IS NULL AND (input_tokens IS NOT NULL OR output_tokens IS NOT NULL)
GROUP BY session_id, model
ORDER BY session_id, model
