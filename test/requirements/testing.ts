/** Rules, conditions, sessions and resets for automated tests. */
export default [
  {
    id: 'MATCH-1',
    rule: 'Conditions on method, path, host, headers, query, cookies, body, session and client are joined by and.',
    where: 'docs/testing.md',
  },
  {
    id: 'MATCH-2',
    rule: 'A path template has {name} and * for a segment or a part of one and ** for any number of segments; the others are compared decoded. Paths that no rule can see are errors.',
    where: 'docs/testing.md',
  },
  {
    id: 'MATCH-3',
    rule: 'A value test is a plain value or a set of operators joined by and; an absent value passes only exists: false and not.',
    where: 'docs/testing.md',
  },
  {
    id: 'MATCH-4',
    rule: 'JSON bodies are tested at JSON pointers, by JSONPath, or for what they contain.',
    where: 'docs/testing.md',
  },
  {
    id: 'MATCH-5',
    rule: 'Patterns have RE2 syntax and run in linear time; evaluations of JSONPath are bounded.',
    where: 'docs/testing.md',
  },
  {
    id: 'MATCH-6',
    rule: 'A wrong condition is an error with its place, what was expected, and the nearest known name.',
    where: 'docs/testing.md',
  },
  {
    id: 'MATCH-7',
    rule: 'Conditions that do not hold are explained with their place, what was expected and what the request has.',
    where: 'docs/testing.md',
  },
  {
    id: 'MATCH-8',
    rule: 'Plugins register protocols with conditions of their own; these never hold for requests of another protocol.',
    where: 'docs/testing.md',
  },
  {
    id: 'MATCH-9',
    rule: 'Rules are indexed by method and literal path prefix: the others are not tested.',
    where: 'docs/testing.md',
  },
  {
    id: 'MATCH-10',
    rule: 'Conditions can be combined by any and none, test what the path captures, and test several values of a name together.',
    where: 'docs/testing.md',
  },
  {
    id: 'MATCH-11',
    rule: 'JSON bodies are compared as a whole, in any order, or against a JSON Schema, within the budget of steps.',
    where: 'docs/testing.md',
  },
  {
    id: 'MATCH-12',
    rule: 'References in templates are replaced by data of the request, the rule, the time and drawn values, or by the text behind |.',
    where: 'docs/testing.md',
  },
  {
    id: 'MATCH-13',
    rule: 'A text that is a single reference keeps the type of its value, and long integers keep their digits.',
    where: 'docs/testing.md',
  },
  {
    id: 'MATCH-14',
    rule: 'An unknown reference is an error when it is stored, with its place and the nearest word.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-1',
    rule: 'A list of steps is played once, loops or stays at its last step; a single step acts on every request.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-2',
    rule: 'The first matches can be skipped, every n-th or a share of the rest acts, a number of times.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-3',
    rule: 'Exactly one rule acts on a request: by priority, then session before instance, then source, then age.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-4',
    rule: 'Counters are per session, or of the instance.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-5',
    rule: 'Counting is atomic: two requests never get the same act.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-6',
    rule: 'A failure has a status, Retry-After and message, and responses, entries and logs name the rule.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-7',
    rule: 'Delays are constant or drawn from a distribution, repeatably, and added to those of headers.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-8',
    rule: 'A rule breaks connections like X-Svc-Abort.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-9',
    rule: 'Fault headers win over rules; the control plane and preflights have no rules.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-10',
    rule: 'The body is read for conditions that need it, and only then.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-28',
    rule: 'Conditions on the body do not hold for a body without a known end that the route reads as it arrives.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-11',
    rule: 'Quiet requests are neither captured nor logged.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-12',
    rule: 'WebSocket handshakes are refused by rules.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-13',
    rule: 'A metric counts hits by what the rule did.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-14',
    rule: 'Rules are stored, shown with their state, changed and removed over HTTP.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-15',
    rule: 'A list of rules is stored completely or not at all; rules without a name are named.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-16',
    rule: 'A wrong rule is rejected with the place of the first mistake and what was expected.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-17',
    rule: 'A rule belongs to the session of the request, or to the instance.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-33',
    rule: 'A wrong rule or verification gets all its mistakes at once, each with its place, and the nearest alternatives.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-18',
    rule: 'Rules end at their time, and their number is bounded; those of the session idle longest are removed first.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-19',
    rule: 'Rules of svc.yaml are validated, belong to the file, and keep their counters over a reload.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-20',
    rule: 'Rules stored over HTTP outlive a reload.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-21',
    rule: 'In public mode a caller sees and changes the rules of its own session only.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-22',
    rule: 'A rule can send a text, JSON, bytes or nothing, with status and headers.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-23',
    rule: 'References in responses are replaced by data of the request, and never evaluated again.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-24',
    rule: 'A rule can send chunks and events at their times.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-25',
    rule: 'Responses of rules are sandboxed in browsers.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-26',
    rule: 'Failures have the format of the protocol of the route.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-27',
    rule: 'Failures of gRPC calls have the gRPC status of their HTTP status.',
    where: 'docs/testing.md',
  },
  {
    id: 'SESSION-4',
    rule: 'The path prefix /s/{session} is removed once, decoded, and only with a valid name.',
    where: 'docs/testing.md',
  },
  {
    id: 'SESSION-5',
    rule: 'Headers name a session before baggage, and baggage before credentials; invalid names count as absent.',
    where: 'docs/testing.md',
  },
  {
    id: 'SESSION-6',
    rule: 'A session can be named by path prefix, header, baggage or credential; the path comes first.',
    where: 'docs/testing.md',
  },
  {
    id: 'SESSION-7',
    rule: 'Routes, inspector and control plane see the path without the prefix; the control plane uses the session.',
    where: 'docs/testing.md',
  },
  {
    id: 'SESSION-8',
    rule: 'Below the prefix the control plane is protected and exempt like without it.',
    where: 'docs/testing.md',
  },
  {
    id: 'SESSION-9',
    rule: 'Generated URLs and redirects to the service keep the prefix.',
    where: 'docs/testing.md',
  },
  {
    id: 'SESSION-10',
    rule: 'The base path is removed before the session prefix, and comes before it in generated URLs.',
    where: 'docs/testing.md',
  },
  {
    id: 'SESSION-11',
    rule: 'State, WebSockets and gRPC calls belong to the session, however it is named.',
    where: 'docs/testing.md',
  },
  {
    id: 'SESSION-12',
    rule: 'A wrong section sessions of svc.yaml is reported.',
    where: 'docs/testing.md',
  },
  {
    id: 'RESET-1',
    rule: 'A reset removes what each plugin keeps of a session, and nothing of another one.',
    where: 'docs/testing.md',
  },
  {
    id: 'RESET-2',
    rule: 'A reset of the instance must be requested by name, and needs the admin token if one is configured.',
    where: 'docs/testing.md',
  },
  {
    id: 'RESET-3',
    rule: 'Unknown kinds and wrong bodies are rejected.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-30',
    rule: 'Rules test and change scenarios of their session in one atomic step; their number is bounded.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-31',
    rule: 'Plugins add steps, which answer in place of a route or are for the routes that ask for them.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-32',
    rule: 'A response can have several fields of one name, an order of fields, no type, and a reason phrase.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-34',
    rule: 'A response can have trailers over HTTP/1.1 and HTTP/2.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-35',
    rule: 'Interim responses come before the response, in order, but not over HTTP/1.0.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-36',
    rule: 'A body can be given by its size, which is bounded.',
    where: 'docs/testing.md',
  },
  {
    id: 'ANSWER-1',
    rule: 'X-Svc-Answer is the response of any route and of unknown paths: a status, JSON, or base64url of it.',
    where: 'docs/faults.md',
  },
  {
    id: 'ANSWER-2',
    rule: 'Order, case, repetition, reason, trailers and interim responses are as the header says.',
    where: 'docs/faults.md',
  },
  {
    id: 'ANSWER-3',
    rule: 'Requests and statuses without content get none; a delay is before the head.',
    where: 'docs/faults.md',
  },
  {
    id: 'ANSWER-4',
    rule: 'X-Svc-Answer comes after X-Svc-Expect and fault headers and before rules, which do not count.',
    where: 'docs/faults.md',
  },
  {
    id: 'ANSWER-5',
    rule: 'On model routes X-Svc-Answer comes before the credential, and with X-Svc-Fail after it.',
    where: 'docs/faults.md',
  },
  {
    id: 'ANSWER-6',
    rule: 'The control plane, the console, pages of the instance and preflights ignore X-Svc-Answer.',
    where: 'docs/faults.md',
  },
  {
    id: 'ANSWER-7',
    rule: 'Browsers may read X-Svc-Answer; it can refuse a WebSocket handshake.',
    where: 'docs/faults.md',
  },
  {
    id: 'ANSWER-8',
    rule: 'A wrong X-Svc-Answer is 400 with its place.',
    where: 'docs/faults.md',
  },
  {
    id: 'ANSWER-9',
    rule: 'What templates of X-Svc-Answer insert is bounded.',
    where: 'docs/faults.md',
  },
  {
    id: 'ANSWER-10',
    rule: 'The documentation lists every header that acts on every route.',
    where: 'docs/README.md',
  },
  {
    id: 'ANSWER-11',
    rule: 'encoding of X-Svc-Answer is the content coding of the response.',
    where: 'docs/faults.md',
  },
  {
    id: 'ENCODING-1',
    rule: 'X-Svc-Encoding codes whole bodies of all routes, errors included, with the length of the coding.',
    where: 'docs/faults.md',
  },
  {
    id: 'ENCODING-2',
    rule: 'Each part of a coded stream can be decoded as it comes.',
    where: 'docs/faults.md',
  },
  {
    id: 'ENCODING-3',
    rule: 'Streams of models are coded as well.',
    where: 'docs/faults.md',
  },
  {
    id: 'ENCODING-4',
    rule: 'Three values are wrong on purpose, and the fault is named.',
    where: 'docs/faults.md',
  },
  {
    id: 'ENCODING-5',
    rule: 'What has a coding, no content or a part of it, and the control plane stay as they are; a wrong value is 400.',
    where: 'docs/faults.md',
  },
  {
    id: 'ENCODING-6',
    rule: 'HTTP/2 has the same codings.',
    where: 'docs/faults.md',
  },
  {
    id: 'ENCODING-7',
    rule: 'The encoding of a rule does the same; the header wins.',
    where: 'docs/faults.md',
  },
  {
    id: 'ENCODING-8',
    rule: 'Captures have the plain body, and counts the coded bytes.',
    where: 'docs/faults.md',
  },
  {
    id: 'ENCODING-9',
    rule: 'A writer of a coded stream waits for the client; clients that disconnect harm nothing.',
    where: 'docs/faults.md',
  },
  {
    id: 'LLMRULE-1',
    rule: 'A reply of a rule is sent in the format of every provider, with text, tool calls and their ids.',
    where: 'docs/testing.md',
  },
  {
    id: 'LLMRULE-2',
    rule: 'Failures of rules on model routes have the words, status and headers of the provider, after its credential check.',
    where: 'docs/testing.md',
  },
  {
    id: 'LLMRULE-3',
    rule: 'Conditions on model requests test the neutral form.',
    where: 'docs/testing.md',
  },
  {
    id: 'LLMRULE-4',
    rule: 'Rules script a conversation: a tool call, then the answer after its result.',
    where: 'docs/testing.md',
  },
  {
    id: 'LLMRULE-5',
    rule: 'Replies of rules are cut, counted, paced and broken like those of the engine; embeddings are padded.',
    where: 'docs/testing.md',
  },
  {
    id: 'LLMRULE-6',
    rule: 'A wrong reply is rejected with its place.',
    where: 'docs/testing.md',
  },
  {
    id: 'LLMRULE-7',
    rule: 'A refusal has a form of its own in formats that have one; others send it as filtered text.',
    where: 'docs/testing.md',
  },
  {
    id: 'LLMRULE-8',
    rule: 'Texts of replies refer to the request like those of responses.',
    where: 'docs/testing.md',
  },
  {
    id: 'FIXTURE-1',
    rule: 'Files in llm.fixtures are rules of the instance, in the order of their names, after rules stored over HTTP.',
    where: 'docs/testing.md',
  },
  {
    id: 'FIXTURE-2',
    rule: 'Files with rules are watched; a file that is wrong has no rules, and the rest counts.',
    where: 'docs/testing.md',
  },
  {
    id: 'FIXTURE-3',
    rule: 'Wrong paths, files and rules are reported with file and line; their number is bounded, and links do not leave the folder.',
    where: 'docs/testing.md',
  },
  {
    id: 'FIXTURE-4',
    rule: 'With strict fixtures, a text generation on which no rule acts gets 404, which names the closest rule.',
    where: 'docs/testing.md',
  },
  {
    id: 'FIXTURE-5',
    rule: 'Fixture files of aimock are translated; what rules cannot say is reported.',
    where: 'docs/testing.md',
  },
  {
    id: 'FIXTURE-6',
    rule: 'The examples of aimock give the same replies as aimock itself.',
    where: 'docs/testing.md',
  },
  {
    id: 'FIXTURE-7',
    rule: 'svc fixtures import writes fixture files of aimock as rules.',
    where: 'docs/testing.md',
  },
  {
    id: 'TESTLIB-1',
    rule: 'svc/testing stores and reads rules, requests and resets, in the process and against a running instance.',
    where: 'docs/testing.md',
  },
  {
    id: 'TESTLIB-2',
    rule: 'A session of svc/testing has a name of its own, a base URL and headers, and is reset at its end.',
    where: 'docs/testing.md',
  },
  {
    id: 'TESTLIB-3',
    rule: 'Errors of svc/testing have the status and the body of the response.',
    where: 'docs/testing.md',
  },
  {
    id: 'TESTLIB-4',
    rule: 'svc/testing verifies requests, with the closest ones in the error if they are not the expected ones.',
    where: 'docs/testing.md',
  },
  {
    id: 'TESTLIB-5',
    rule: 'svc/testing waits for a number of requests, and says what came if they do not.',
    where: 'docs/testing.md',
  },
  {
    id: 'TESTLIB-8',
    rule: 'svc/testing stores the rules of a YAML or JSON file, all or none.',
    where: 'docs/testing.md',
  },
  {
    id: 'TESTLIB-9',
    rule: 'svc/testing attaches to the instance of SVC_URL with the token of SVC_ADMIN_TOKEN, and keeps the base path.',
    where: 'docs/testing.md',
  },
  {
    id: 'TESTLIB-7',
    rule: 'What a tester needs first takes fewer than ten lines, which the documentation shows.',
    where: 'docs/testing.md',
  },
  {
    id: 'TESTLIB-6',
    rule: 'svc/testing exports the requests of a session or of all as an HTTP archive.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-60',
    rule: 'An entry of rules in svc.yaml can name a file or folder with rules, which come in the order of the list.',
    where: 'docs/testing.md',
  },
  {
    id: 'RULE-61',
    rule: 'body_file responds with a file below the folder of the file with the rule; over HTTP it is an error.',
    where: 'docs/testing.md',
  },
  {
    id: 'NOTIFY-1',
    rule: 'notify sends requests after the response, with references filled from the request that matched.',
    where: 'docs/testing.md',
  },
  {
    id: 'NOTIFY-2',
    rule: 'notify reaches hosts in notify.allow and own routes that take deliveries, nothing else.',
    where: 'docs/testing.md',
  },
  {
    id: 'NOTIFY-3',
    rule: 'A notification of an own path is sent in nobody’s name, for the session of the request.',
    where: 'docs/testing.md',
  },
  {
    id: 'NOTIFY-4',
    rule: 'A request that notify has sent causes no notification.',
    where: 'docs/testing.md',
  },
  {
    id: 'NOTIFY-5',
    rule: 'Failed, too large and too many notifications are shown and do not change the response.',
    where: 'docs/testing.md',
  },
  {
    id: 'NOTIFY-6',
    rule: 'Mistakes in notify are reported with their place.',
    where: 'docs/testing.md',
  },
  {
    id: 'NOTIFY-7',
    rule: 'Public instances: two notifications for each step; hosts for rules of files only.',
    where: 'docs/testing.md',
  },
  {
    id: 'NOTIFY-8',
    rule: 'A stop waits for notifications within the drain time and drops the rest.',
    where: 'docs/testing.md',
  },
]
