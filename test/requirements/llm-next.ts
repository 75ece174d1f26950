/** The realism of the mock LLM: what it counts, how its streams look, its speed and its limits. */
export default [
  {
    id: 'LLMN-1',
    rule: 'the ledger counts what was written to the connection: a stream that was cut counts the tokens before the cut',
    where: 'llm-next 2',
  },
  {
    id: 'LLMN-2',
    rule: 'the ledger is grouped and filtered by provider, model, key, session, operation, status and time',
    where: 'llm-next 2',
  },
  {
    id: 'LLMN-3',
    rule: 'attempts are counted by request id, idempotency key or the count of an SDK',
    where: 'llm-next 2',
  },
  { id: 'LLMN-4', rule: 'the ledger as CSV follows RFC 4180 and contains no formulas', where: 'llm-next 2' },
  { id: 'LLMN-5', rule: 'costs follow the first price that matches a call', where: 'llm-next 2' },
  {
    id: 'LLMN-6',
    rule: 'in public mode, the ledger shows only the sessions of the caller and no keys',
    where: 'llm-next 2',
  },
  {
    id: 'LLMN-7',
    rule: 'a client that disconnects before the reply begins is counted with the prompt that the model has read, as status 499',
    where: 'llm-next 2',
  },
  {
    id: 'LLMN-8',
    rule: 'a provider of another plugin can keep records for its clients, and enter what it does outside of requests in the ledger',
    where: 'llm-next 21',
  },
  {
    id: 'LLMN-10',
    rule: 'the first part of stream shapes changes the bytes and chunks of a stream, not its events',
    where: 'llm-next 3',
  },
  {
    id: 'LLMN-11',
    rule: 'the second part of stream shapes changes events as each format says, and does nothing elsewhere',
    where: 'llm-next 3',
  },
  {
    id: 'LLMN-12',
    rule: 'a stream shape is named by header, by a rule or by a provider, in this order',
    where: 'llm-next 3',
  },
  {
    id: 'LLMN-20',
    rule: 'a request can name its exact reply, which every format sends and which wins over modes and rules, but not over faults',
    where: 'llm-next 10',
  },
  {
    id: 'LLMN-21',
    rule: 'an exact reply that cannot be read, or is of another kind than the route, gets a native 400 with the path of the mistake',
    where: 'llm-next 10',
  },
  {
    id: 'LLMN-22',
    rule: 'a request that does not meet its own expectation gets 417 with the differences, before faults, rules and credentials',
    where: 'llm-next 11',
  },
  {
    id: 'LLMN-30',
    rule: 'buckets start full and refill continuously; a refused request takes nothing and is admitted after exactly the stated time',
    where: 'llm-next 7',
  },
  {
    id: 'LLMN-31',
    rule: 'the headers of each format show the configured limits and count down to the token, after a complete reply with what it used',
    where: 'llm-next 7',
  },
  { id: 'LLMN-32', rule: 'a refusal has the status, words and headers of each format', where: 'llm-next 7' },
  {
    id: 'LLMN-33',
    rule: 'the first entry that matches provider, model and key applies; headers limit a request for its session',
    where: 'llm-next 7',
  },
  {
    id: 'LLMN-40',
    rule: 'a prompt that exceeds the context window gets the error of each format, or loses its oldest messages where the format does so',
    where: 'llm-next 6',
  },
  {
    id: 'LLMN-41',
    rule: 'a reply ends where the context window or the output limit of its model ends',
    where: 'llm-next 6',
  },
  {
    id: 'LLMN-42',
    rule: 'cached tokens are whole blocks of the longest known prefix, in the fields of each format; prompt totals stay the same',
    where: 'llm-next 6',
  },
  {
    id: 'LLMN-43',
    rule: 'the cache is off without configuration and header; Anthropic caches what is marked, for 5 minutes or an hour',
    where: 'llm-next 6',
  },
  {
    id: 'LLMN-50',
    rule: 'draws of a profile follow its distribution and repeat for the same request, unless its seed is random',
    where: 'llm-next 4',
  },
  {
    id: 'LLMN-51',
    rule: 'the pace comes from the figures of the request, its profile, a rule, the profile of the provider or its latency, in this order',
    where: 'llm-next 4',
  },
  {
    id: 'LLMN-52',
    rule: 'an unknown profile or a wrong distribution is a native 400, or a load error in svc.yaml',
    where: 'llm-next 4',
  },
  { id: 'LLMN-53', rule: 'profiles are listed, and their draws can be read', where: 'llm-next 4' },
  {
    id: 'LLMN-54',
    rule: 'generations beyond the slots wait in order of arrival; beyond the queue, or after its timeout, they are refused',
    where: 'llm-next 5',
  },
  {
    id: 'LLMN-55',
    rule: 'a request can state the load among which it runs',
    where: 'llm-next 5',
  },
  {
    id: 'LLMN-56',
    rule: '/tokenize gives the tokens of a prompt, as many as the usage of a request with it counts',
    where: 'llm-next 9',
  },
  {
    id: 'LLMN-57',
    rule: 'with an encoding of OpenAI, prompts, replies, streams and limits count its tokens; a missing package is an error that names it',
    where: 'llm-next 9',
  },
  {
    id: 'LLMN-60',
    rule: "an inference gateway's scrape of a provider's metrics is complete, in vLLM's names, with all series at 0 from the start",
    where: 'llm-next 8',
  },
  {
    id: 'LLMN-61',
    rule: 'the metrics count what the provider serves; cancelled generations are aborted ones',
    where: 'llm-next 8',
  },
  {
    id: 'LLMN-62',
    rule: 'gauges can be functions of the clock, or stated for a time by a guarded request',
    where: 'llm-next 8',
  },
  {
    id: 'LLMN-63',
    rule: 'providers with metrics have adapters that routes load and unload, sleep, and are ready after a time',
    where: 'llm-next 9, distribution 5.4',
  },
  {
    id: 'LLMN-150',
    rule: 'a stored response can be retrieved, continued, replayed and deleted; one that is not stored cannot',
    where: 'llm-next 12',
  },
  {
    id: 'LLMN-151',
    rule: 'in a chain, tool outputs need their calls and calls their outputs',
    where: 'llm-next 12',
  },
  {
    id: 'LLMN-152',
    rule: 'the state of a background response is a function of its record and the clock; a replay of its events is the same each time',
    where: 'llm-next 12',
  },
  {
    id: 'LLMN-153',
    rule: 'a conversation collects the items of its responses, of which one runs at a time',
    where: 'llm-next 12',
  },
  {
    id: 'LLMN-154',
    rule: 'compaction items carry a sealed summary, and a changed one is refused',
    where: 'llm-next 12',
  },
  {
    id: 'LLMN-155',
    rule: 'a WebSocket carries the events of responses, one response at a time in each lane',
    where: 'llm-next 13',
  },
  {
    id: 'LLMN-156',
    rule: 'in public mode, what has an id exists only for the session that made it',
    where: 'llm-next 22',
  },
  {
    id: 'LLMN-160',
    rule: 'files are stored within bounds, listed page by page, and described where the input names them',
    where: 'llm-next 14',
  },
  { id: 'LLMN-161', rule: 'an upload becomes a file when its parts have exactly its bytes', where: 'llm-next 14' },
  {
    id: 'LLMN-162',
    rule: 'the output of a batch contains the very replies of its endpoint, and each item is counted once',
    where: 'llm-next 14',
  },
  {
    id: 'LLMN-163',
    rule: 'the state of a batch follows from its plan and the clock, and wrong input ends in a failed batch',
    where: 'llm-next 14',
  },
  { id: 'LLMN-164', rule: 'message batches end with a result for each request', where: 'llm-next 15' },
  { id: 'LLMN-165', rule: 'files of Anthropic can be named in messages, but not downloaded', where: 'llm-next 15' },
  {
    id: 'LLMN-166',
    rule: 'files of Gemini are uploaded in a resumable way or with one request',
    where: 'llm-next 16',
  },
  {
    id: 'LLMN-167',
    rule: 'batches of Gemini answer requests inline or from a file, in the same form',
    where: 'llm-next 16',
  },
  {
    id: 'LLMN-170',
    rule: 'a stored interaction can be read, continued and deleted; errors have the form of this API',
    where: 'llm-next 17',
  },
  {
    id: 'LLMN-171',
    rule: 'in a chain of interactions, results need their calls and calls their results',
    where: 'llm-next 17',
  },
  {
    id: 'LLMN-172',
    rule: 'the events of an interaction are the same in each replay, and go on after the last event that the client saw',
    where: 'llm-next 17',
  },
  {
    id: 'LLMN-175',
    rule: 'images have the proportions of the requested size, and can be edited, varied and streamed',
    where: 'llm-next 20',
  },
  {
    id: 'LLMN-180',
    rule: 'a realtime session begins with its defaults on a WebSocket, for OpenAI, its aliases and Azure',
    where: 'llm-next 18',
  },
  {
    id: 'LLMN-181',
    rule: 'each event of a realtime client has its effect, and a wrong one gets an error while the socket stays',
    where: 'llm-next 18',
  },
  {
    id: 'LLMN-182',
    rule: 'a realtime response has its events in order, its usage with audio tokens, and is one call in the ledger',
    where: 'llm-next 18',
  },
  {
    id: 'LLMN-183',
    rule: 'input audio is committed by hand or by turn detection, transcribed and answered',
    where: 'llm-next 18',
  },
  {
    id: 'LLMN-184',
    rule: 'a running realtime response is cancelled by the client or by speech',
    where: 'llm-next 18',
  },
  { id: 'LLMN-185', rule: 'faults and rate limits apply to each realtime response', where: 'llm-next 18' },
  {
    id: 'LLMN-186',
    rule: 'a client secret carries its session, for its provider and until it expires',
    where: 'llm-next 18',
  },
  {
    id: 'LLMN-187',
    rule: 'sockets of providers are bounded in number, messages, items and bytes',
    where: 'llm-next 18, 22',
  },
  {
    id: 'LLMN-188',
    rule: 'a provider has a default plan of batches, and can keep no responses, conversations and interactions',
    where: 'llm-next 19',
  },
  {
    id: 'LLMN-189',
    rule: "spans and metrics describe generations by OpenTelemetry's conventions for generative AI, without prompts and replies",
    where: 'llm-next 21',
  },
  {
    id: 'LLMN-190',
    rule: 'a live session begins with its setup, and answers turns and results of functions',
    where: 'llm-next 18',
  },
  { id: 'LLMN-191', rule: 'live audio goes in and out, transcribed and counted in tokens', where: 'llm-next 18' },
  { id: 'LLMN-192', rule: 'input interrupts a live turn, and the rest is not sent', where: 'llm-next 18' },
  { id: 'LLMN-193', rule: 'a live session is resumed by the handle of its last turn', where: 'llm-next 18' },
  {
    id: 'LLMN-194',
    rule: 'wrong messages close a live socket with 1007 and a reason; faults and limits apply to each turn',
    where: 'llm-next 18',
  },
  {
    id: 'LLMN-200',
    rule: 'a provider of another plugin can generate, plan events, chain records and seal tokens with what llm offers',
    where: 'llm-next 21',
  },
  {
    id: 'LLMN-201',
    rule: 'a stream of a background reply ends when the reply is cancelled or deleted',
    where: 'llm-next 12, 17',
  },
  {
    id: 'LLMN-202',
    rule: 'rules of the instance act on messages of sockets and on items of batches',
    where: 'llm-next 13, 14',
  },
  {
    id: 'LLMN-203',
    rule: 'sockets of providers end after their lifetime, with the last message of their protocol',
    where: 'llm-next 13, 18',
  },
  {
    id: 'LLMN-204',
    rule: 'silence for the idle timeout of a realtime session, after its last response, is committed and answered',
    where: 'llm-next 18',
  },
  {
    id: 'LLMN-205',
    rule: 'a record belongs to its owner: the same name or id in another session of public mode is another record, and an upload with a name that exists is refused',
    where: 'llm-next 14, 16',
  },
  {
    id: 'LLMN-206',
    rule: 'a context window drops messages by the tokens that each of them has, and a tokenizer takes texts of a bounded length, all of a request together',
    where: 'llm-next 10, 17',
  },
  {
    id: 'LLMN-207',
    rule: 'results of a batch are counted while its items run, one batch after the other: what does not fit is an error of its item that names the bound',
    where: 'llm-next 14, 15, 16',
  },
]
