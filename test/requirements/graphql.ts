/** Rules for GraphQL. */
export default [
  {
    id: 'GQL-1',
    rule: 'queries return the demo records in order; all filters must match, unknown ids are null, negative limits are treated as 0',
    where: 'protocols 2.1',
  },
  {
    id: 'GQL-2',
    rule: 'mutations return what they would store, with exact totals, and reject quantities outside 1 to 1000',
    where: 'protocols 2.1',
  },
  { id: 'GQL-3', rule: '/graphql/schema prints the schema that introspection shows', where: 'protocols 2.1' },
  {
    id: 'GQL-4',
    rule: 'Accept with its quality values selects one of the two media types, no request is rejected, and every response has Vary',
    where: 'protocols 2.2',
  },
  {
    id: 'GQL-5',
    rule: 'document and variable errors are 400 in response mode and 200 in legacy mode, with their code and without data',
    where: 'protocols 2.2',
  },
  {
    id: 'GQL-6',
    rule: 'requests that are not well-formed are 400 in both modes, wrong content types 415',
    where: 'protocols 2.2',
  },
  { id: 'GQL-7', rule: 'a mutation over GET is 405 with Allow: POST, before it is validated', where: 'protocols 2.2' },
  { id: 'GQL-8', rule: 'unknown members are ignored, and null is treated as absent', where: 'protocols 2.2' },
  {
    id: 'GQL-9',
    rule: 'a browser without a query gets GraphiQL, which loads nothing from other hosts',
    where: 'protocols 2.5',
  },
  { id: 'GQL-10', rule: 'depth 10, complexity 500 and 30 aliases pass, one more fails', where: 'protocols 2.3' },
  {
    id: 'GQL-11',
    rule: 'fragments are expanded once with capped costs, and cycles are validation errors',
    where: 'protocols 2.3',
  },
  { id: 'GQL-12', rule: 'introspection passes whatever its depth', where: 'protocols 2.3' },
  {
    id: 'GQL-13',
    rule: 'documents of thousands of levels, fields or tokens are errors within a second',
    where: 'protocols 7',
  },
  {
    id: 'GQL-14',
    rule: 'a query sent with its hash is found by the hash, which is case-insensitive, with POST and GET',
    where: 'protocols 2.4',
  },
  {
    id: 'GQL-15',
    rule: 'unknown hashes are 200, mismatches 400; other versions and malformed hashes are bad requests',
    where: 'protocols 2.4',
  },
  { id: 'GQL-16', rule: 'queries above 64 KiB run but are not stored', where: 'protocols 2.4' },
  {
    id: 'GQL-20',
    rule: 'a subscription over an event stream sends next events, then complete',
    where: 'protocols 2.6',
  },
  {
    id: 'GQL-21',
    rule: 'a query that accepts only an event stream gets one next event and complete, and so does a document error',
    where: 'protocols 2.6',
  },
  {
    id: 'GQL-22',
    rule: 'count and interval of a ticker are clamped; orders go from PENDING to DELIVERED',
    where: 'protocols 2.1',
  },
  { id: 'GQL-23', rule: 'a subscription ends at once when the client disconnects', where: 'protocols 2.1' },
  {
    id: 'GQL-30',
    rule: 'a handshake without a supported subprotocol is 400, a plain GET 426, and the first one offered is selected',
    where: 'protocols 2.7',
  },
  {
    id: 'GQL-31',
    rule: 'graphql-transport-ws runs queries, mutations and subscriptions, with the error codes for limits and validation',
    where: 'protocols 2.7',
  },
  { id: 'GQL-32', rule: 'violations of graphql-transport-ws have their close codes', where: 'protocols 2.7' },
  {
    id: 'GQL-33',
    rule: 'the legacy subprotocol sends acknowledgments, keep-alives, data, complete and error, and operations can be stopped',
    where: 'protocols 2.7',
  },
  { id: 'GQL-34', rule: 'at most 100 operations run on a socket', where: 'protocols 2.7' },
  { id: 'GQL-35', rule: 'idle time counts only while no operation runs', where: 'protocols 2.7' },
  { id: 'GQL-36', rule: 'other WebSocket routes keep their own choice of subprotocol', where: 'protocols 2.7' },
  {
    id: 'GQL-40',
    rule: 'the audit suite of graphql-http passes, with the two exceptions that the specification requires',
    where: 'protocols 5',
  },
  {
    id: 'GQL-41',
    rule: 'graphql-ws, subscriptions-transport-ws, graphql-sse, urql and graphql-request work unmodified',
    where: 'protocols 5',
  },
  {
    id: 'GQL-50',
    rule: 'X-Svc-Graphql and the step graphql put errors, delays, values, members and entities into an answer, whose other parts stay true',
    where: 'graphql-next 4',
  },
  {
    id: 'GQL-51',
    rule: 'the null of a field that fails climbs by the schema, as in graphql-js',
    where: 'graphql-next 4',
  },
  {
    id: 'GQL-52',
    rule: 'a wrong item of the header is 400 BAD_REQUEST and nothing runs; a wrong member of the step is invalid_rule at its place; places that the operation does not have do nothing',
    where: 'graphql-next 4',
  },
  {
    id: 'GQL-53',
    rule: 'a stream is cut after a number of events, without its end, over event streams and WebSockets',
    where: 'graphql-next 4',
  },
  {
    id: 'GQL-54',
    rule: 'delays of fields count together against the delay limit, and end when the client leaves',
    where: 'graphql-next 4, 5.2',
  },
  {
    id: 'GQL-55',
    rule: 'match.graphql knows entities, variables by JSON pointer, and the digest of the document',
    where: 'graphql-next 1',
  },
  {
    id: 'GQLSUB-1',
    rule: '/graphql/subgraphs lists eight subgraphs and three sets, with addresses of the request, session prefix included',
    where: 'graphql-next 2.1',
  },
  {
    id: 'GQLSUB-2',
    rule: 'the SDL of a subgraph is that of _service and leaves out what the protocol adds; introspection shows it',
    where: 'graphql-next 2.2',
  },
  {
    id: 'GQLSUB-3',
    rule: 'each subgraph answers with its share of the demo data; mutations store nothing',
    where: 'graphql-next 2.2',
  },
  {
    id: 'GQLSUB-4',
    rule: '_entities keeps order and duplicates, unknown keys are null, several keys must agree, and types that are not entities are BAD_USER_INPUT',
    where: 'graphql-next 2.2',
  },
  {
    id: 'GQLSUB-5',
    rule: 'required fields come from the representation alone; without them the field fails with REQUIRES_MISSING',
    where: 'graphql-next 2.2',
  },
  {
    id: 'GQLSUB-6',
    rule: '<name>Seen shows the headers that arrived, and over a WebSocket the members of connection_init',
    where: 'graphql-next 2.2',
  },
  {
    id: 'GQLSUB-7',
    rule: 'documents of subgraphs have depth 20, 5000 fields and 500 aliases, and the fields of an answer are bounded',
    where: 'graphql-next 2.2, 8',
  },
  {
    id: 'GQLSUB-8',
    rule: 'representations, batches, places of faults, files, and streams with their operations are bounded, on public instances more narrowly',
    where: 'graphql-next 8',
  },
  {
    id: 'GQLSUB-10',
    rule: 'a supergraph has the addresses of the request, and an entity tag',
    where: 'graphql-next 2.1',
  },
  {
    id: 'GQLSUB-11',
    rule: 'unknown names, sets and kinds are errors with what is known; what does not compose is 422 with codes and messages',
    where: 'graphql-next 2.1',
  },
  {
    id: 'GQLSUB-12',
    rule: 'each broken SDL is served by query, header and rule, and stays with its request',
    where: 'graphql-next 4',
  },
  {
    id: 'GQLSUB-13',
    rule: 'each gateway has a file with the addresses of the request',
    where: 'graphql-next 2.1',
  },
  {
    id: 'GQLSUB-14',
    rule: 'a federated mock joins the subgraphs as mock:{name}, with the addresses of the request',
    where: 'graphql-next 2.1, 3',
  },
  {
    id: 'GQLSUB-15',
    rule: 'a mock that is unknown, not federated or does not compose is an error that names it',
    where: 'graphql-next 2.1, 3',
  },
  {
    id: 'GQLSUB-16',
    rule: 'behind gateways with supergraphs of different sessions, traffic, rules and counts stay apart',
    where: 'graphql-next 2.1',
  },
  {
    id: 'GQLSUB-20',
    rule: 'entities out of step and failing fields of entities, by header and by rule; verification counts entity requests by type and variables',
    where: 'graphql-next 4',
  },
  {
    id: 'GQLSUB-21',
    rule: 'ftv1 traces have the fields with their types, times and errors, if the gateway asks for them',
    where: 'graphql-next 2.2',
  },
  {
    id: 'GQLSUB-30',
    rule: 'three composers take the core set and two the full one; two refuse each broken SDL',
    where: 'graphql-next 9',
  },
  {
    id: 'GQLSUB-31',
    rule: 'two gateways answer one query over five subgraphs with the demo data, one arrival for each subgraph and level',
    where: 'graphql-next 9',
  },
  {
    id: 'GQL-60',
    rule: 'batches are answered in order, each with its own errors, and conditions see each operation',
    where: 'graphql-next 5.1',
  },
  {
    id: 'GQL-61',
    rule: 'files arrive as they were sent by the multipart request specification; what is not well-formed is a bad request',
    where: 'graphql-next 5.1',
  },
  {
    id: 'GQL-62',
    rule: 'with csrf, requests that browsers send without a preflight need a header',
    where: 'graphql-next 5.1',
  },
  {
    id: 'GQL-63',
    rule: 'subscriptions as multipart/mixed have a part for each event, and their end',
    where: 'graphql-next 5.2',
  },
  {
    id: 'GQL-64',
    rule: '@defer and @stream come in the format that Accept names; the first part never waits for a deferred field',
    where: 'graphql-next 5.2',
  },
  {
    id: 'GQL-65',
    rule: 'a reserved event stream serves many operations by token',
    where: 'graphql-next 5.2',
  },
  {
    id: 'GQL-66',
    rule: 'the client’s leaving ends the generator on every transport',
    where: 'graphql-next 5.2',
  },
  {
    id: 'GQL-67',
    rule: 'persisted documents run by their id or digest, of a file and of the control plane; unknown ones are errors',
    where: 'graphql-next 5.1',
  },
  {
    id: 'GQL-68',
    rule: 'with mode only, nothing else runs on any transport but a query for _service',
    where: 'graphql-next 5.1',
  },
  {
    id: 'GQL-69',
    rule: 'events of a subscription are sent to a URL of the client, after a check and until it refuses; server errors are tried again',
    where: 'graphql-next 5.2',
  },
  {
    id: 'GQL-70',
    rule: 'callbacks go to the address of the client and to hosts in notify.allow alone, and to nobody in public mode',
    where: 'graphql-next 5.2',
  },
  {
    id: 'GQL-71',
    rule: 'at most 100 callback subscriptions run, each for at most an hour',
    where: 'graphql-next 8',
  },
]
