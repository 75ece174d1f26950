/** Rules of the OpenAPI mocks. */
export default [
  {
    id: 'MOCK-1',
    rule: 'The name of a mock is 1 to 64 of a-z, 0-9 and "-", and neither "reload" nor "check".',
    where: 'mocks 1',
  },
  {
    id: 'MOCK-2',
    rule: 'An operation is named by its unique operationId, else by METHOD /template; either form finds it.',
    where: 'mocks 1',
  },
  {
    id: 'MOCK-3',
    rule: 'Of several mocks with one name the file beats the directory, the command line and the built-in one; an uploaded one is kept.',
    where: 'mocks 1',
  },
  {
    id: 'MOCK-4',
    rule: 'Mocks that files own refuse replacing, deleting, drafts, deploy and rollback with 409 managed; switching and editing work.',
    where: 'mocks 1',
  },
  { id: 'MOCK-5', rule: 'Uploaded mocks and their edits survive a reload.', where: 'mocks 1' },
  {
    id: 'MOCK-10',
    rule: 'svc.yaml names documents by path or holds them, with settings, rules, overrides and enabled; a wrong entry is a load error, the others load.',
    where: 'mocks 2',
  },
  {
    id: 'MOCK-11',
    rule: 'SVC_MOCKS_DIR serves the YAML and JSON files directly in the folder, with <stem>.mock.yaml beside them; names are made of file names.',
    where: 'mocks 2',
  },
  { id: 'MOCK-12', rule: 'The petstore is there unless SVC_MOCKS_SAMPLE is false.', where: 'mocks 2, 12' },
  {
    id: 'MOCK-13',
    rule: 'mock check prints the report and exits with 0, 1 or 2; mock serve starts with the documents; mock push uploads.',
    where: 'mocks 2',
  },
  { id: 'MOCK-20', rule: 'Every write passes the admin guard; reads are open.', where: 'mocks 3' },
  {
    id: 'MOCK-21',
    rule: 'Every change raises the revision, which is the ETag; If-Match with another one is 412.',
    where: 'mocks 3',
  },
  {
    id: 'MOCK-22',
    rule: 'An upload is a document, an envelope or a bundle, compressed or not; POST answers 201, 409 for a taken name, PUT 201 or 200.',
    where: 'mocks 3',
  },
  {
    id: 'MOCK-23',
    rule: 'A definition that is not deployable is 422 with the report, and what answers stays.',
    where: 'mocks 3',
  },
  {
    id: 'MOCK-24',
    rule: 'A draft answers nothing until it is deployed; parts that it leaves out are those of live.',
    where: 'mocks 3',
  },
  {
    id: 'MOCK-25',
    rule: 'With block_breaking a deploy that breaks clients is 409 unless it is allowed.',
    where: 'mocks 3',
  },
  {
    id: 'MOCK-26',
    rule: 'A rollback is a new version with the old content; live edits are dropped.',
    where: 'mocks 3',
  },
  { id: 'MOCK-27', rule: 'A reload says what was added, updated, removed and left unchanged.', where: 'mocks 3' },
  {
    id: 'MOCK-28',
    rule: 'Settings, overrides and rules have routes of their own, with errors that name the place.',
    where: 'mocks 3, 4, 8',
  },
  { id: 'MOCK-30', rule: 'Every answer names the mock, its version, the operation and its source.', where: 'mocks 5' },
  {
    id: 'MOCK-31',
    rule: 'An unknown mock is 404 with the known ones, a disabled one 503 with Retry-After.',
    where: 'mocks 5',
  },
  {
    id: 'MOCK-32',
    rule: 'A path that no template matches is a 404 problem that says what nearly matched and why; a method that the path lacks is 405 with Allow.',
    where: 'mocks 5',
  },
  {
    id: 'MOCK-33',
    rule: 'Templates match literal before mixed before parameter, with backtracking, without folding.',
    where: 'mocks 5.1',
  },
  {
    id: 'MOCK-34',
    rule: 'Paths answer with and without the path of each server; base_path fixes one.',
    where: 'mocks 4',
  },
  {
    id: 'MOCK-35',
    rule: 'Security passes by scheme, alternatives are OR, schemes inside one AND; enforce answers 401 with a challenge each, 403 when only a scope is missing.',
    where: 'mocks 5.2',
  },
  {
    id: 'MOCK-36',
    rule: 'Parameters are read by style and explode, coerced to their types and checked.',
    where: 'mocks 5.3',
  },
  {
    id: 'MOCK-37',
    rule: 'warn answers and counts the violations, enforce refuses with 415 or 422, as the document describes it or as a problem.',
    where: 'mocks 5, 5.3',
  },
  {
    id: 'MOCK-38',
    rule: 'Prefer and its query forms choose status, example, dynamic and seed; what was used comes back as Preference-Applied.',
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
  { id: 'MOCK-42', rule: 'Changes that break clients are told by direction, with their codes.', where: 'mocks 6' },
  {
    id: 'MOCK-50',
    rule: 'A request that equals the examples of one name gets the response of that name.',
    where: 'mocks 7.1',
  },
  {
    id: 'MOCK-51',
    rule: 'Without more the lowest 2xx answers, else 2XX, default, the lowest status.',
    where: 'mocks 7.2',
  },
  {
    id: 'MOCK-52',
    rule: 'The media type follows Accept; nothing that fits is 406, a violation or ignored by the validation mode.',
    where: 'mocks 7.2',
  },
  {
    id: 'MOCK-53',
    rule: 'XML is written by the xml keywords; pictures and bytes are valid for their type.',
    where: 'mocks 7.2',
  },
  {
    id: 'MOCK-54',
    rule: 'Declared headers are sent, but none that the server itself says or that would change how the body is read.',
    where: 'mocks 7.2',
  },
  {
    id: 'MOCK-55',
    rule: 'Path parameters are echoed with the type of the schema; path+body echoes members of the request as well.',
    where: 'mocks 7.3',
  },
  {
    id: 'MOCK-56',
    rule: 'Generated data fits its schema and is the same for the same request, also after a restart.',
    where: 'mocks 7.4',
  },
  { id: 'MOCK-57', rule: 'Recursive and exponential schemas give a finite answer within bounds.', where: 'mocks 7.4' },
  {
    id: 'MOCK-60',
    rule: 'Rules apply in their order by what they match; the first that matches decides.',
    where: 'mocks 8',
  },
  {
    id: 'MOCK-61',
    rule: 'Overrides apply to one operation or to all, and fail a share of the requests.',
    where: 'mocks 8',
  },
  {
    id: 'MOCK-62',
    rule: 'Templates are replaced by what the request holds, keep types, and are never evaluated.',
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
    rule: 'Traffic is captured with bodies up to 16 KiB, found by request id, filtered, and fed as events.',
    where: 'mocks 10',
  },
  {
    id: 'MOCK-72',
    rule: 'In public mode only requests with a session are captured and seen by that session.',
    where: 'mocks 10',
  },
  {
    id: 'MOCK-80',
    rule: 'Documents, rules, mocks and versions are bounded, with an error in words.',
    where: 'mocks 11',
  },
  {
    id: 'MOCK-81',
    rule: 'YAML bombs, deep nesting, circular references and foreign names give a report in bounded time, or plain data.',
    where: 'mocks 11, 14',
  },
  { id: 'MOCK-82', rule: 'Patterns run in linear time.', where: 'mocks 14' },
  {
    id: 'MOCK-83',
    rule: 'Deploying under load drops no request; requests in flight end on the version they began with.',
    where: 'mocks 14',
  },
  { id: 'MOCK-84', rule: 'Two uploads of one name at once: one POST wins, PUTs apply in order.', where: 'mocks 14' },
  {
    id: 'MOCK-92',
    rule: 'Schemas that refer to one another are compiled one by one; what can not be checked is reported with `X-Svc-Mock-Validation: skipped`.',
    where: 'mocks 13',
  },
  { id: 'MOCK-90', rule: 'Real clients work unmodified.', where: 'mocks 15' },
  {
    id: 'MOCK-91',
    rule: 'Large real documents deploy, and their operations answer with bodies that fit.',
    where: 'mocks 7.4, 13',
  },
]
