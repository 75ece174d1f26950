/** What authors of plugins get. */
export default [
  {
    id: 'KIT-1',
    rule: 'types of the contract, of extension points and of the test helper are exported, and hold under strict settings',
    where: 'issue 12.1',
  },
  { id: 'KIT-2', rule: 'svc/testing starts and stops servers in process, for any test runner', where: 'issue 12.1' },
  {
    id: 'KIT-3',
    rule: 'every example plugin loads from outside the product and passes its own test',
    where: 'issue 12.1',
  },
  { id: 'KIT-4', rule: 'a plugin packaged for npm loads by its name', where: 'issue 12.1' },
  { id: 'KIT-5', rule: 'new-plugin writes a plugin that type-checks, loads and passes its test', where: 'issue 12.1' },
  { id: 'KIT-6', rule: 'every block of docs/plugins.md is run as it stands there', where: 'issue 12.1' },
  {
    id: 'KIT-7',
    rule: 'a route gets its body as bytes, or parsed by the rules of Fastify when it has a body schema or its scope has a parser',
    where: 'architecture, A plugin is a Fastify plugin',
  },
  {
    id: 'KIT-8',
    rule: 'schemas, hooks, decorators, cookies, forms, uploads and scopes of Fastify work in a plugin',
    where: 'architecture, A plugin is a Fastify plugin',
  },
  {
    id: 'KIT-9',
    rule: 'app.log and request.log write lines that name the plugin and the request, in the call forms of pino',
    where: 'architecture, A plugin is a Fastify plugin',
  },
  {
    id: 'KIT-10',
    rule: 'errors with a status are answered with it, a 4xx with its message; error and not-found handlers hold in their scope',
    where: 'architecture, A plugin is a Fastify plugin',
  },
  {
    id: 'CLI-8',
    rule: 'an installed package runs from any folder, with signals and exit codes of its own',
    where: 'issue 12.2',
  },
  {
    id: 'PACK-1',
    rule: 'a package starts and serves on what npm pack built, without the bundler',
    where: 'issue 21.6',
  },
  { id: 'PACK-2', rule: 'an installed package is under 80 MB and 120 packages', where: 'issue 21.6' },
  {
    id: 'PACK-3',
    rule: 'a missing optional package is one warning that names the install command, and the server goes on without',
    where: 'issue 21.6',
  },
  {
    id: 'PACK-4',
    rule: 'in a package, plugin folders of others and changed built-in plugins are bundled from their sources and loaded again on change',
    where: 'issue 21.6',
  },
  { id: 'PACK-5', rule: 'npm pack without the development packages says what to install', where: 'issue 21.6' },
  {
    id: 'REL-1',
    rule: 'a release closes the changelog\'s "Unreleased" section and takes its notes from it',
    where: 'CONTRIBUTING.md',
  },
]
