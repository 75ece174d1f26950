/** Rules of the API mocks. */
export default [
  {
    id: 'MOCK-1',
    rule: 'The name of a mock has 1 to 64 characters of a-z, 0-9 and "-", and is neither "reload" nor "check".',
    where: 'mocks 1',
  },
  {
    id: 'MOCK-2',
    rule: 'The key of an operation is its unique operationId, else METHOD /template; both forms find it.',
    where: 'mocks 1',
  },
  {
    id: 'MOCK-3',
    rule: 'For duplicate names, the file takes precedence over the directory, the command line and the built-in mock; an uploaded mock is kept.',
    where: 'mocks 1',
  },
  {
    id: 'MOCK-4',
    rule: 'Mocks defined in files reject replacement, deletion, drafts, deployment and rollback with 409 managed; enabling, disabling and editing work.',
    where: 'mocks 1',
  },
  { id: 'MOCK-5', rule: 'Uploaded mocks and their edits survive a reload.', where: 'mocks 1' },
  {
    id: 'MOCK-10',
    rule: 'svc.yaml references documents by path or contains them, with settings, rules, overrides and enabled; an invalid entry is a load error, the others load.',
    where: 'mocks 2',
  },
  {
    id: 'MOCK-11',
    rule: 'SVC_MOCKS_DIR serves the YAML and JSON files directly in the folder, with their <stem>.mock.yaml; mock names are derived from file names.',
    where: 'mocks 2',
  },
  { id: 'MOCK-12', rule: 'The petstore is served unless SVC_MOCKS_SAMPLE is false.', where: 'mocks 2, 12' },
  {
    id: 'MOCK-13',
    rule: 'mock check prints the report and exits with 0, 1 or 2; mock serve starts a server with the documents; mock push uploads a document.',
    where: 'mocks 2',
  },
  { id: 'MOCK-20', rule: 'Every write passes the admin guard; reads need no credentials.', where: 'mocks 3' },
  {
    id: 'MOCK-21',
    rule: 'Every change increments the revision, which is the ETag; If-Match with another revision is 412.',
    where: 'mocks 3',
  },
  {
    id: 'MOCK-22',
    rule: 'An upload is a document, an envelope or a bundle, compressed or not; POST responds with 201, or 409 if the name exists, PUT with 201 or 200.',
    where: 'mocks 3',
  },
  {
    id: 'MOCK-23',
    rule: 'A definition that is not deployable is 422 with the report, and the live version stays.',
    where: 'mocks 3',
  },
  {
    id: 'MOCK-24',
    rule: 'A draft does not affect responses until it is deployed; omitted parts are copied from the live version.',
    where: 'mocks 3',
  },
  {
    id: 'MOCK-25',
    rule: 'With block_breaking, a deployment with breaking changes is 409 unless allow_breaking is set.',
    where: 'mocks 3',
  },
  {
    id: 'MOCK-26',
    rule: 'A rollback creates a new version with the old content; live edits are discarded.',
    where: 'mocks 3',
  },
  { id: 'MOCK-27', rule: 'A reload reports added, updated, removed and unchanged mocks.', where: 'mocks 3' },
  {
    id: 'MOCK-28',
    rule: 'Settings, overrides and rules have their own routes, with errors that name the location.',
    where: 'mocks 3, 4, 8',
  },
  {
    id: 'MOCK-30',
    rule: 'Every response names the mock, its version, the operation and the source.',
    where: 'mocks 5',
  },
  {
    id: 'MOCK-31',
    rule: 'An unknown mock is 404 with the list of mocks, a disabled one 503 with Retry-After.',
    where: 'mocks 5',
  },
  {
    id: 'MOCK-32',
    rule: 'A path that matches no template is a 404 problem with the closest template and the difference; an unsupported method is 405 with Allow.',
    where: 'mocks 5',
  },
  {
    id: 'MOCK-33',
    rule: 'Literal segments match before mixed ones, and those before parameters, with backtracking; slashes and case are significant.',
    where: 'mocks 5.1',
  },
  {
    id: 'MOCK-34',
    rule: 'Paths match with and without the path of each server URL; base_path selects a single one.',
    where: 'mocks 4',
  },
  {
    id: 'MOCK-35',
    rule: 'Security is checked by scheme; one alternative must pass with all its schemes; enforce responds with 401 and a challenge per scheme, or 403 if only a scope is missing.',
    where: 'mocks 5.2',
  },
  {
    id: 'MOCK-36',
    rule: 'Parameters are parsed by style and explode, coerced to their types and validated.',
    where: 'mocks 5.3',
  },
  {
    id: 'MOCK-37',
    rule: 'warn responds and counts the violations, enforce rejects with 415 or 422, with the response of the document or a problem.',
    where: 'mocks 5, 5.3',
  },
  {
    id: 'MOCK-38',
    rule: 'Prefer and its query forms choose status, example, dynamic and seed; applied preferences are returned in Preference-Applied.',
    where: 'mocks 5.4',
  },
  {
    id: 'MOCK-40',
    rule: 'The report of a check has errors, warnings, summary and changes with their codes.',
    where: 'mocks 6',
  },
  {
    id: 'MOCK-41',
    rule: 'References outside the document are errors; no connection is made, no file opened.',
    where: 'mocks 6',
  },
  { id: 'MOCK-42', rule: 'Breaking changes are reported by direction, with their codes.', where: 'mocks 6' },
  {
    id: 'MOCK-50',
    rule: 'A request that equals the examples of a name gets the response example of that name.',
    where: 'mocks 7.1',
  },
  {
    id: 'MOCK-51',
    rule: 'The default response is the lowest 2xx, else 2XX, default, or the lowest status.',
    where: 'mocks 7.2',
  },
  {
    id: 'MOCK-52',
    rule: 'The media type follows Accept; without an acceptable type the result is 406, a violation or nothing, depending on the validation mode.',
    where: 'mocks 7.2',
  },
  {
    id: 'MOCK-53',
    rule: 'XML follows the xml keywords; images and bytes are valid for their type.',
    where: 'mocks 7.2',
  },
  {
    id: 'MOCK-54',
    rule: 'Declared headers are sent, except those that the server sets or that would change how the body is read.',
    where: 'mocks 7.2',
  },
  {
    id: 'MOCK-55',
    rule: 'Path parameters are echoed with the type of the schema; path+body also echoes members of the request body.',
    where: 'mocks 7.3',
  },
  {
    id: 'MOCK-56',
    rule: 'Generated data is valid for its schema and the same for the same request, even after a restart.',
    where: 'mocks 7.4',
  },
  { id: 'MOCK-57', rule: 'Recursive and exponential schemas result in a bounded response.', where: 'mocks 7.4' },
  {
    id: 'MOCK-60',
    rule: 'Rules are evaluated in order, and the first match is used.',
    where: 'mocks 8',
  },
  {
    id: 'MOCK-61',
    rule: 'Overrides apply to one operation or to all, and can fail a percentage of the requests.',
    where: 'mocks 8',
  },
  {
    id: 'MOCK-62',
    rule: 'Templates are replaced by request data, keep its types, and are never evaluated.',
    where: 'mocks 8',
  },
  { id: 'MOCK-63', rule: 'State and counts belong to a session and a mock.', where: 'mocks 8' },
  {
    id: 'MOCK-70',
    rule: 'A bundle can be uploaded again; the effective document has the URLs of the mock and is valid.',
    where: 'mocks 9',
  },
  {
    id: 'MOCK-71',
    rule: 'Traffic is captured with bodies up to 16 KiB, found by request id, filtered, and streamed as events.',
    where: 'mocks 10',
  },
  {
    id: 'MOCK-72',
    rule: 'In public mode only requests with a session are captured, and only that session can see them.',
    where: 'mocks 10',
  },
  {
    id: 'MOCK-80',
    rule: 'Documents, rules, mocks and versions are limited, with an error message.',
    where: 'mocks 11',
  },
  {
    id: 'MOCK-81',
    rule: 'YAML bombs, deep nesting, circular references and names such as __proto__ result in a report in bounded time, or in plain data.',
    where: 'mocks 11, 14',
  },
  { id: 'MOCK-82', rule: 'Patterns run in linear time.', where: 'mocks 14' },
  {
    id: 'MOCK-83',
    rule: 'A deployment under load drops no request; requests in flight finish on their version.',
    where: 'mocks 14',
  },
  {
    id: 'MOCK-84',
    rule: 'Of concurrent POSTs with the same name one succeeds; concurrent PUTs apply in order.',
    where: 'mocks 14',
  },
  {
    id: 'MOCK-92',
    rule: 'Schemas with mutual references are compiled separately; skipped validation is reported with `X-Svc-Mock-Validation: skipped`.',
    where: 'mocks 13',
  },
  {
    id: 'MOCK-93',
    rule: 'A write of a mock ends when every replica serves the result; a replica that cannot compile it keeps what it served.',
    where: 'replicas 12',
  },
  {
    id: 'MOCK-94',
    rule: 'The revision and the number of mocks are compared when a change is written.',
    where: 'replicas 12',
  },
  {
    id: 'MOCK-95',
    rule: 'Edits of a mock from files are stored with the digest of the files, and hold where the files are the same.',
    where: 'replicas 12',
  },
  {
    id: 'MOCK-96',
    rule: 'Documents are stored by their SHA-256, once, as long as a version or draft has them.',
    where: 'replicas 12',
  },
  {
    id: 'MOCK-97',
    rule: 'Requests are counted without waiting for the store, and exactly when the counts are read.',
    where: 'replicas 12',
  },
  {
    id: 'MOCK-98',
    rule: 'Generated data, and what templates insert, is counted in bytes and in steps before it is made; an answer that does not fit is refused with a problem that names the bound.',
    where: 'design/architecture.md, Budgets',
  },
  {
    id: 'MOCK-99',
    rule: 'Callbacks of a document are sent to paths of the instance that take deliveries and to hosts of SVC_MOCKS_CALLBACK_ALLOWLIST, bounded in number and bytes; the response says how many are sent and why others are not. What is not done is a warning of the check.',
    where: 'issue 43.5',
  },
  {
    id: 'MOCK-100',
    rule: 'Swagger 2.0 documents are converted, OpenAPI 3.2 documents are served; documents from files and the command line can consist of several files below their folder, uploads of one.',
    where: 'issue 43.7',
  },
  {
    id: 'MOCK-101',
    rule: 'Mocks without rules and overrides respond while the state store is unavailable, and mocks survive a store that comes back empty.',
    where: 'issue 43.18',
  },
  {
    id: 'MOCK-102',
    rule: '@examples and @listLength give values and lengths of lists, declared or not; @fake is ignored with a warning',
    where: 'graphql-next 3.1',
  },
  {
    id: 'MOCK-103',
    rule: 'fail_percent of an override by path fails there alone, as often as it says',
    where: 'graphql-next 3.2',
  },
  {
    id: 'MOCK-104',
    rule: 'a subscription to a mock ends when its client disconnects',
    where: 'graphql-next 5.2',
  },
  {
    id: 'MOCK-105',
    rule: 'mocks with the scalar Upload take files, whose digest counts as their value',
    where: 'graphql-next 3, 5.1',
  },
  { id: 'MOCK-106', rule: 'with csrf, a mock refuses what any page could send', where: 'graphql-next 3.2, 5.1' },
  {
    id: 'MOCK-107',
    rule: 'schemas come from folders and svc.yaml, with the parts alongside; what is wrong is a load error',
    where: 'graphql-next 3',
  },
  {
    id: 'MOCK-108',
    rule: 'a schema of the size of GitHub’s deploys within 5 s of processor time, and valid operations give complete answers',
    where: 'graphql-next 9',
  },
  {
    id: 'MOCK-109',
    rule: 'clients of GraphQL work unmodified with mocks of schemas',
    where: 'graphql-next 3',
  },
  {
    id: 'MOCK-110',
    rule: 'no schema and no operation makes a mock fail, hang or answer without a bound',
    where: 'graphql-next 8',
  },
  { id: 'MOCK-90', rule: 'Real clients work unmodified.', where: 'mocks 15' },
  {
    id: 'MOCK-91',
    rule: 'Large real documents deploy, and their operations respond with valid bodies.',
    where: 'mocks 7.4, 13',
  },
]
