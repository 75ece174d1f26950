/** Rules of the catalog, the pages made from it, and the routes of the instance and the control plane. */
export default [
  {
    id: 'CTL-1',
    rule: 'A router path is shown as a template: parameters in braces, a wildcard as {*path}, a doubled colon as one.',
    where: 'core 9; limits 6',
  },
  {
    id: 'CTL-2',
    rule: 'The catalog has version, count, categories and endpoints with all fields, defaults filled in.',
    where: 'core 9',
  },
  {
    id: 'CTL-3',
    rule: 'Each route description gives one endpoint, with its own path and methods if it has them.',
    where: 'core 9, 10.6',
  },
  {
    id: 'CTL-4',
    rule: 'An implicit HEAD of a GET route is not listed as a method of the endpoint.',
    where: 'core 4.4, 9',
  },
  {
    id: 'CTL-5',
    rule: 'A route that takes every method is ANY, expanded to GET, POST, PUT, PATCH, DELETE.',
    where: 'core 9',
  },
  {
    id: 'CTL-6',
    rule: 'Categories are in the fixed order, followed by others in alphabetical order.',
    where: 'core 9',
  },
  {
    id: 'CTL-10',
    rule: 'The document is valid OpenAPI 3.1.0 and has every path and method of the catalog.',
    where: 'core 9; core 12',
  },
  { id: 'CTL-11', rule: 'The tag of an operation is its category.', where: 'core 9' },
  { id: 'CTL-12', rule: 'Operation ids are unique.', where: 'core 9' },
  {
    id: 'CTL-13',
    rule: 'Every path parameter is declared and required; no parameter is declared twice.',
    where: 'OpenAPI 3.1.0, 4.8.12',
  },
  {
    id: 'CTL-14',
    rule: 'Templates that differ only in parameter names are one path, and every operation of them is described.',
    where: 'core 9; OpenAPI 3.1.0, 4.8.8',
  },
  {
    id: 'CTL-15',
    rule: 'Only methods that have a field in a path item are in the document.',
    where: 'OpenAPI 3.1.0, 4.8.9',
  },
  {
    id: 'CTL-16',
    rule: 'A request body is described per media type with the examples of that type, never on GET, HEAD and TRACE.',
    where: 'OpenAPI 3.1.0, 4.8.13; RFC 9110, 9.3',
  },
  {
    id: 'CTL-17',
    rule: 'Every operation has a response; keys that are not a status are left out.',
    where: 'OpenAPI 3.1.0, 4.8.16',
  },
  {
    id: 'CTL-20',
    rule: 'The landing page lists every endpoint by category with methods, summary and a runnable curl command.',
    where: 'core 9',
  },
  {
    id: 'CTL-21',
    rule: 'The links of the landing page are relative and it refers to no other host; the console is linked while it is enabled.',
    where: 'core 9, 10.5',
  },
  { id: 'CTL-22', rule: 'All text on the landing page is escaped.', where: 'core 9' },
  {
    id: 'CTL-23',
    rule: 'The content security policy of the landing page allows only its own style sheet, by hash.',
    where: 'core 9',
  },
  {
    id: 'CTL-24',
    rule: 'The landing page is always 200; its footer has version, instance id, and public mode when it is on.',
    where: 'core 9; specification, Instance and control plane',
  },
  {
    id: 'CTL-25',
    rule: 'Pages are cached per base URL, in a bounded cache.',
    where: 'specification, Bounded state and caps',
  },
  { id: 'CTL-26', rule: 'A curl command sends exactly the example, whatever characters it contains.', where: 'core 9' },
  { id: 'CTL-27', rule: 'The server in the OpenAPI document is the base URL of the request.', where: 'core 9' },
  {
    id: 'CTL-28',
    rule: 'The API reference works below any prefix and loads nothing from other hosts.',
    where: 'core 9',
  },
  {
    id: 'CTL-29',
    rule: 'Below /docs/ only the files of the API reference are served, with type, ETag and 304.',
    where: 'core 9; RFC 9110, 13.1.2',
  },
  { id: 'CTL-30', rule: 'Health responds with 200 or 503 and the negotiated record.', where: 'core 9' },
  { id: 'CTL-31', rule: 'The health switches respond with 200 and the state after the change.', where: 'core 9' },
  { id: 'CTL-32', rule: 'The health switches pass the admin guard first.', where: 'core 9' },
  {
    id: 'CTL-33',
    rule: 'Identity responds to any method with the full record and counts its requests.',
    where: 'core 9',
  },
  { id: 'CTL-34', rule: 'No response contains the admin token.', where: 'core 2; specification, Configuration' },
  {
    id: 'CTL-35',
    rule: 'Version has build facts and modes; the minimum Node version is the required one.',
    where: 'core 9',
  },
  { id: 'CTL-36', rule: 'Ready responds with 200 while serving and must not be stored.', where: 'core 9' },
  { id: 'CTL-37', rule: 'Config returns the effective configuration.', where: 'core 2' },
  { id: 'CTL-38', rule: 'Status has all its fields, with plugin counts and generation.', where: 'limits 5; core 9' },
  { id: 'CTL-39', rule: 'Every route of the core is in the catalog and has an example.', where: 'core 9' },
  {
    id: 'CTL-40',
    rule: 'Every example works unchanged; sending all of them leaves the instance unchanged.',
    where: 'core 9; plugin contract, RouteExample',
  },
  { id: 'CTL-41', rule: 'Plugins are listed by name with counts, load errors and generation.', where: 'core 10.5' },
  { id: 'CTL-42', rule: 'In public mode plugin paths are null and files are base names.', where: 'core 10.3, 10.5' },
  {
    id: 'CTL-43',
    rule: 'A plugin is shown with its routes; for an unknown one the 404 lists the known names.',
    where: 'core 10.5',
  },
  {
    id: 'CTL-44',
    rule: 'Options with names that look secret are masked, and strings are cut at 200 characters.',
    where: 'core 10.5',
  },
  { id: 'CTL-45', rule: 'Each result of enabling or disabling has its status and body.', where: 'console 5' },
  {
    id: 'CTL-46',
    rule: 'cascade and force are query flags: a true value or the bare name.',
    where: 'console 5; core 10.4',
  },
  {
    id: 'CTL-47',
    rule: 'Reload responds with 200 and the changes, or with 422 if a file could not be read.',
    where: 'core 10.4',
  },
  {
    id: 'CTL-48',
    rule: 'The admin guard comes first for reloads and for enabling and disabling plugins.',
    where: 'core 9, 10.4, 10.5',
  },
]
