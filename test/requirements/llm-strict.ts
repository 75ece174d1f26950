/** Refusals in the words of vendors, signatures, hard streams and directives. */
export default [
  {
    id: 'STR-1',
    rule: 'the first source of a level applies as a whole: header, directive, rule, provider, server, environment',
    where: 'llm-strict 1',
  },
  {
    id: 'STR-2',
    rule: 'a wrong level, parameter or id in X-Svc-Validation is a native 400 with the nearest name',
    where: 'llm-strict 1',
  },
  { id: 'STR-3', rule: 'a provider takes the members of its list, at any depth', where: 'llm-strict 1' },
  {
    id: 'STR-4',
    rule: 'the step llm of a rule sets the level, and is an error with fail, abort, respond and forward',
    where: 'llm-strict 1',
  },
  {
    id: 'STR-5',
    rule: 'the upstream of a probe refuses what vendors refuse, and reports the rules',
    where: 'llm-strict 1',
  },
  { id: 'STR-6', rule: 'mistakes in svc.yaml are load errors that name the member', where: 'llm-strict 1' },
  {
    id: 'STR-7',
    rule: 'a fault wins over a refusal, which is plain JSON and no fault, and takes no tokens of a limit',
    where: 'llm-strict 2',
  },
  {
    id: 'STR-8',
    rule: 'among several violations the refusal is that of the first by phase, table and place',
    where: 'llm-strict 2',
  },
  {
    id: 'STR-9',
    rule: 'counts of tokens, items of batches and messages of sockets are checked',
    where: 'llm-strict 2',
  },
  {
    id: 'STR-10',
    rule: 'records have the level and the violations, and lists of them can be filtered by a rule',
    where: 'llm-strict 2',
  },
  {
    id: 'STR-11',
    rule: 'match.llm.violation works in rules, filters and verification, also for what was found on arrival',
    where: 'llm-strict 2',
  },
  {
    id: 'STR-12',
    rule: 'each rule has a request that violates it alone, a neighbor that does not, and the error of the catalog',
    where: 'llm-strict 3, 12',
  },
  { id: 'STR-13', rule: 'requests that vendors document or take are not refused', where: 'llm-strict 3, 11' },
  {
    id: 'STR-14',
    rule: 'models are in the classes of their names; names that start with svc are in none',
    where: 'llm-strict 3',
  },
  {
    id: 'STR-15',
    rule: 'the names that checks know are those of the types of the official packages',
    where: 'llm-strict 3.1, 12',
  },
  {
    id: 'STR-16',
    rule: 'Azure has the rules of OpenAI, with its text for unknown parameters and its own members',
    where: 'llm-strict 3.2',
  },
  { id: 'STR-17', rule: 'consecutive messages of one role are one turn at Anthropic', where: 'llm-strict 3.3' },
  {
    id: 'STR-18',
    rule: 'a body above 32 MB is 413 request_too_large at Anthropic, where the server lets it in',
    where: 'llm-strict 3.3',
  },
  {
    id: 'STR-19',
    rule: 'Claude on Vertex AI and in InvokeModel has the same rules, with fewer beta features and its own members',
    where: 'llm-strict 3.4',
  },
  { id: 'STR-20', rule: 'several wrong members of a request to Gemini are listed together', where: 'llm-strict 3.6' },
  {
    id: 'STR-21',
    rule: 'Vertex AI takes more keywords in schemas, requires a role, and has its own text for signatures',
    where: 'llm-strict 3.7',
  },
  {
    id: 'STR-22',
    rule: 'a setup of Gemini Live that is refused closes the socket with 1007 and the message',
    where: 'llm-strict 3.8',
  },
  {
    id: 'STR-23',
    rule: 'signatures of thinking are the same each time, find changes, and stay valid after a restart',
    where: 'llm-strict 4',
  },
  {
    id: 'STR-24',
    rule: 'Claude models that bind thinking refuse it after another system text, tools or messages',
    where: 'llm-strict 3.3, 4',
  },
  {
    id: 'STR-25',
    rule: 'parts are signed in Gemini 3 always, in other models with thoughts, on the first call or the last part',
    where: 'llm-strict 4',
  },
  {
    id: 'STR-26',
    rule: 'blocks of a reply keep their order where the wire has one, and are joined elsewhere',
    where: 'llm-strict 4',
  },
  {
    id: 'STR-27',
    rule: 'a call with several names is that of the first that the request offers',
    where: 'llm-strict 4',
  },
  {
    id: 'STR-28',
    rule: 'shapes change calls, usage, nulls, finish reasons and ends of streams and of complete replies',
    where: 'llm-strict 5',
  },
  {
    id: 'STR-29',
    rule: 'events with a content coding can be decoded when they arrive, or at the end only',
    where: 'llm-strict 5',
  },
  {
    id: 'STR-30',
    rule: 'errors have another status or body by shape, and ledger, records and metrics count what was computed',
    where: 'llm-strict 5',
  },
  {
    id: 'STR-31',
    rule: 'official clients and foreign parsers read each shape as the table says',
    where: 'llm-strict 5, 11',
  },
  { id: 'STR-32', rule: 'X-Svc-Reply-Size makes a text of exactly that length', where: 'llm-strict 5' },
  { id: 'STR-33', rule: 'each item of a directive acts as its header', where: 'llm-strict 6' },
  {
    id: 'STR-34',
    rule: 'the model does not see a directive, in any format; body is as received',
    where: 'llm-strict 6',
  },
  {
    id: 'STR-35',
    rule: 'a directive acts on a number of requests, and while its message is newer than the last of the assistant',
    where: 'llm-strict 6',
  },
  {
    id: 'STR-36',
    rule: 'a header wins over a directive, which wins over rules and providers; a header of a fault wins over all',
    where: 'llm-strict 6',
  },
  {
    id: 'STR-37',
    rule: 'wrong items of directives are native errors, and directives can be switched off',
    where: 'llm-strict 6',
  },
  {
    id: 'STR-38',
    rule: 'the catalog lists rules, classes, lists and limits with their sources, and names the nearest rule',
    where: 'llm-strict 7',
  },
  {
    id: 'STR-39',
    rule: 'metrics, tags of the inspector and the console show violations and refusals by rule',
    where: 'llm-strict 8',
  },
  {
    id: 'STR-40',
    rule: 'what is visited, kept and shown of a request is bounded, and the time grows with the conversation',
    where: 'llm-strict 9',
  },
  { id: 'STR-41', rule: 'a check costs less than parsing the request', where: 'llm-strict 9' },
  { id: 'STR-42', rule: 'a rule that a plugin reports and does not list is logged once', where: 'llm-strict 10' },
  {
    id: 'STR-43',
    rule: 'each refusal raises the exception class of the official client, with type and message',
    where: 'llm-strict 11',
  },
  { id: 'STR-44', rule: 'loops of official clients and of agent frameworks are not refused', where: 'llm-strict 11' },
  {
    id: 'STR-45',
    rule: 'coding agents run three turns, directly and through a gateway, without a refusal',
    where: 'llm-strict 11',
  },
  {
    id: 'STR-46',
    rule: 'examples of the documentation call models as their vendors take it, unless the page names the rule',
    where: 'llm-strict 11',
  },
]
