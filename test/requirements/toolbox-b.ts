/** What the plugins bins, sse, websocket, jsonrpc, webhooks and orchestration promise. */
export default [
  {
    id: 'BIN-1',
    rule: 'POST /bin returns 201 with id, times, configured response, limits and the six paths and URLs.',
    where: 'toolbox 9',
  },
  {
    id: 'BIN-2',
    rule: 'A configured response has status, headers, body and delay_ms within limits and is sent as configured; anything else is invalid_json or invalid_bin and stores nothing.',
    where: 'toolbox 9',
  },
  {
    id: 'BIN-3',
    rule: 'A request of any method is recorded as received: path below the bin, raw query, header lines in order.',
    where: 'toolbox 9',
  },
  {
    id: 'BIN-4',
    rule: 'A UTF-8 body is stored as text, any other as base64; longer bodies are cut to 65536 bytes without splitting a character.',
    where: 'toolbox 9',
  },
  {
    id: 'BIN-5',
    rule: 'GET /bin/{id}/requests lists the newest first, with bin, links and count; limit is clamped to 1 and the maximum.',
    where: 'toolbox 9',
  },
  {
    id: 'BIN-6',
    rule: 'GET /bin/{id}/requests/{n} returns one request; request_not_found if it is evicted or not yet received, invalid_parameter if n is not an integer.',
    where: 'toolbox 9',
  },
  { id: 'BIN-7', rule: 'Inspection routes only accept GET and HEAD and are never captured.', where: 'toolbox 9' },
  {
    id: 'BIN-8',
    rule: 'Unknown, expired and deleted bins return 404 "bin not found" for every method and path.',
    where: 'toolbox 9',
  },
  {
    id: 'BIN-9',
    rule: 'GET /bin lists the bins of the session, newest first; anyone who knows an id can send, read and delete.',
    where: 'toolbox 9; spec Request bins',
  },
  {
    id: 'BIN-10',
    rule: 'A request is captured first, then delayed, then gets the response with X-Svc-Bin-Seq.',
    where: 'toolbox 9',
  },
  { id: 'BIN-11', rule: 'Credentials of the instance are redacted in captures.', where: 'toolbox 9; limits 4' },
  { id: 'BIN-12', rule: 'Public instances have the lower limits.', where: 'toolbox 9; spec Bounded state' },
  {
    id: 'BIN-13',
    rule: 'The oldest captures are dropped to keep the count and size limits; seq keeps counting and is unique under concurrency; memory stays flat.',
    where: 'toolbox 9',
  },
  {
    id: 'BIN-14',
    rule: 'A full instance drops its oldest bin; a public one returns bins_full, or too_many_bins for a session with ten.',
    where: 'toolbox 9',
  },
  { id: 'BIN-15', rule: 'Bins expire and free their memory without being accessed.', where: 'toolbox 9' },
  {
    id: 'BIN-16',
    rule: 'The feed sends each new capture as a request event with its seq as id and the record on one data line.',
    where: 'toolbox 9',
  },
  {
    id: 'BIN-17',
    rule: 'With Last-Event-ID, stored captures after it are sent first, in order, without loss or duplicates; a value above the newest means the newest, an invalid one is ignored.',
    where: 'toolbox 9',
  },
  {
    id: 'BIN-18',
    rule: 'A feed ends when its bin is removed or its client disconnects, and does not delay shutdown.',
    where: 'toolbox 9; core 1.2',
  },
  { id: 'BIN-19', rule: 'For a slow client, the feed buffers nothing beyond what the bin stores.', where: 'toolbox 1' },

  {
    id: 'EVENTS-1',
    rule: 'Events of /sse have id, event, retry (first only) and data; JSON data has id, count, message and timestamp.',
    where: 'toolbox 10',
  },
  {
    id: 'EVENTS-2',
    rule: 'Invalid parameters of /sse are invalid_parameter; retry and heartbeat_ms are clamped to their maximum.',
    where: 'toolbox 10',
  },
  {
    id: 'EVENTS-3',
    rule: 'The header Last-Event-ID takes precedence over the parameter; a value that is not an integer restarts; resuming at or past the end returns 204.',
    where: 'toolbox 10; WHATWG HTML 9.2',
  },
  {
    id: 'EVENTS-4',
    rule: 'A heartbeat comment is sent after an idle interval that restarts with each event; 0 disables it.',
    where: 'toolbox 10',
  },
  { id: 'EVENTS-5', rule: 'HEAD returns the headers and does not start a stream.', where: 'toolbox 1' },
  { id: 'EVENTS-6', rule: 'The stream and its timer are freed when the client disconnects early.', where: 'toolbox 1' },
  {
    id: 'EVENTS-7',
    rule: 'The next event is created only after the client has read the last one.',
    where: 'toolbox 1',
  },
  {
    id: 'EVENTS-8',
    rule: 'A stream of /sse lasts at most 10 minutes (2 on public instances).',
    where: 'toolbox 10; spec Server-Sent Events',
  },
  {
    id: 'CHAT-1',
    rule: 'A chat reply is one chunk per word, a last one with finish_reason and usage, then [DONE].',
    where: 'toolbox 10',
  },
  {
    id: 'CHAT-2',
    rule: 'The reply quotes the first 200 characters of the prompt without control characters.',
    where: 'toolbox 10',
  },
  {
    id: 'CHAT-3',
    rule: 'Values in a POST body override the query; max_tokens is clamped; a delay_ms above the maximum and wrong types are rejected.',
    where: 'toolbox 10',
  },

  {
    id: 'WS-1',
    rule: '/ws echoes text as text and binary as binary, in order, including fragmented and empty messages, and responds to pings and closes.',
    where: 'toolbox 11',
  },
  {
    id: 'WS-2',
    rule: 'A message of exactly the maximum size is accepted; one byte more closes with 1009; invalid UTF-8 closes with 1007.',
    where: 'toolbox 11',
  },
  {
    id: 'WS-3',
    rule: 'The first subprotocol offered is selected; without an offer, none is selected.',
    where: 'toolbox 11',
  },
  {
    id: 'WS-4',
    rule: 'A plain GET returns 426 with Upgrade, an unknown path 404, a malformed handshake a 4xx.',
    where: 'toolbox 11',
  },
  {
    id: 'WS-5',
    rule: '/ws/time ticks from 0, starting at once, and closes with 1000 done; out-of-range values are clamped, non-integers reject the handshake.',
    where: 'toolbox 11',
  },
  {
    id: 'WS-6',
    rule: 'Idle timeout and lifetime are 5 min and 1 h (1 min and 10 min on public instances).',
    where: 'toolbox 11; spec Bounded state',
  },
  {
    id: 'WS-7',
    rule: 'Above 256 KiB of unread echoes, reading from the client stops; in public mode an address has at most 100 WebSockets.',
    where: 'toolbox 11',
  },
  {
    id: 'WS-8',
    rule: '/ws?subprotocol= selects an offered subprotocol or none; one that is not offered is a 400',
    where: 'drop-in 8.6',
  },
  {
    id: 'WS-9',
    rule: '/ws?deflate=1 negotiates permessage-deflate when it is offered, context=0 without context takeover; a bounded number of sockets have it',
    where: 'drop-in 8.6, RFC 7692',
  },
  { id: 'WS-10', rule: '/ws?first= is sent at once', where: 'drop-in 8.6' },
  {
    id: 'WS-11',
    rule: '/ws?close= closes with a code and a reason, after messages, after a time or at once; 1005 without a code, 1006 without a close frame',
    where: 'drop-in 8.6, RFC 6455 7',
  },
  { id: 'WS-12', rule: '/ws?ping_ms= pings, and the close reason counts the pongs', where: 'drop-in 8.6' },
  { id: 'WS-13', rule: '/ws?fragment= echoes in fragments, at most 10000 of a message', where: 'drop-in 8.6' },
  { id: 'WS-14', rule: 'options of /ws that are out of range are a 400 before the 101', where: 'drop-in 8.6' },
  {
    id: 'WS-15',
    rule: 'a Sec-WebSocket-Version other than 13 is 426 with the version, on all WebSocket routes',
    where: 'drop-in 8.6, RFC 6455 4.2.2',
  },

  { id: 'RPC-1', rule: 'Each method returns its result, whatever the content type.', where: 'toolbox 12' },
  {
    id: 'RPC-2',
    rule: 'Ids and numbers keep their exact digits; integers are added without loss of precision.',
    where: 'toolbox 12',
  },
  {
    id: 'RPC-3',
    rule: 'The method error returns the requested error, with data only if given.',
    where: 'toolbox 12',
  },
  {
    id: 'RPC-4',
    rule: 'Invalid JSON is -32700; an invalid request is -32600, with its id if that is valid, otherwise null.',
    where: 'toolbox 12; JSON-RPC 2.0 5.1',
  },
  {
    id: 'RPC-5',
    rule: 'Unknown methods are -32601 with the list of methods; invalid params are -32602 with a message that starts with Invalid params.',
    where: 'toolbox 12',
  },
  { id: 'RPC-6', rule: 'A value that is nested too deeply to be serialized is -32603.', where: 'toolbox 12' },
  {
    id: 'RPC-7',
    rule: 'Notifications never get a response, even if they fail; a message with only notifications returns 204.',
    where: 'toolbox 12; JSON-RPC 2.0 4.1',
  },
  {
    id: 'RPC-8',
    rule: 'The requests of a batch run concurrently, responses keep the order, and an invalid request does not affect others.',
    where: 'toolbox 12; JSON-RPC 2.0 6',
  },
  { id: 'RPC-9', rule: 'A batch of more than 100 (public 20) is one invalid request.', where: 'toolbox 12' },

  {
    id: 'HOOK-1',
    rule: 'GET /webhooks lists schemes and demo secrets, and states that nothing is delivered.',
    where: 'toolbox 13',
  },
  { id: 'HOOK-2', rule: 'The public test vectors are valid, with every member of the report.', where: 'toolbox 13' },
  {
    id: 'HOOK-3',
    rule: 'Secrets are accepted by header or query, schemes by name or alias; several signatures are allowed; names and hex are case-insensitive.',
    where: 'toolbox 13',
  },
  {
    id: 'HOOK-4',
    rule: 'Checks run in a fixed order; an age error is reported before a signature error, signature_valid is always correct, expected_signature is always present.',
    where: 'toolbox 13',
  },
  {
    id: 'HOOK-5',
    rule: 'An age equal to the tolerance is accepted; ignore_timestamp skips only the age check.',
    where: 'toolbox 13',
  },
  { id: 'HOOK-6', rule: 'An unknown scheme is 404 on verify and 400 on sign.', where: 'toolbox 13' },
  {
    id: 'HOOK-7',
    rule: 'Sign uses the body, else payload, else a sample event, and rejects values that cannot be signed.',
    where: 'toolbox 13',
  },
  {
    id: 'HOOK-8',
    rule: 'The curl command sends exactly the signed bytes from a POSIX shell and returns 200.',
    where: 'toolbox 13',
  },
  {
    id: 'HOOK-9',
    rule: 'Receive detects the scheme and returns 204, 401 for any failure, or 404 unknown_secret_id.',
    where: 'toolbox 13',
  },

  { id: 'ORCH-1', rule: 'The four steps complete when each header is passed on.', where: 'toolbox 14' },
  {
    id: 'ORCH-2',
    rule: 'The risk score is 64-bit FNV-1a modulo 100 over the parts, 35 for the worked example.',
    where: 'toolbox 14',
  },
  { id: 'ORCH-3', rule: 'Step 3 applies five rules in order and always returns 200.', where: 'toolbox 14' },
  { id: 'ORCH-4', rule: 'Missing headers and invalid bodies are rejected, in JSON or XML.', where: 'toolbox 14' },
  { id: 'ORCH-5', rule: 'The status describes every step with an example that works.', where: 'toolbox 14' },

  {
    id: 'TBX-1',
    rule: 'bins, sse, websocket, jsonrpc, webhooks and orchestration can each be switched off alone.',
    where: 'toolbox; core 10',
  },
  {
    id: 'TBX-2',
    rule: 'Real clients work unmodified: eventsource, ws, jayson, json-rpc-2.0, standardwebhooks, octokit webhooks, stripe.',
    where: 'toolbox 15',
  },
]
