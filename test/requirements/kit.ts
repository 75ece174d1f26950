/** Rules for plugin authors: types, test helper, examples, documentation and packaging. */
export default [
  {
    id: 'KIT-1',
    rule: 'types of the contract, extension points and the test helper are exported and compile under strict settings',
    where: 'issue 12.1',
  },
  { id: 'KIT-2', rule: 'svc/testing starts and stops servers in process, for any test runner', where: 'issue 12.1' },
  {
    id: 'KIT-3',
    rule: 'every example plugin loads from outside the project and passes its own test',
    where: 'issue 12.1',
  },
  { id: 'KIT-4', rule: 'a plugin that is an npm package loads by its name', where: 'issue 12.1' },
  { id: 'KIT-5', rule: 'new-plugin creates a plugin that type-checks, loads and passes its test', where: 'issue 12.1' },
  {
    id: 'KIT-6',
    rule: 'every block of docs/plugins.md, docs/state.md, docs/three-demos.md and docs/command-line.md is run',
    where: 'issue 12.1',
  },
  {
    id: 'KIT-7',
    rule: "a route gets its body as bytes, or parsed by Fastify's rules if it has a body schema or its scope has a parser",
    where: 'architecture, A plugin is a Fastify plugin',
  },
  {
    id: 'KIT-8',
    rule: 'schemas, hooks, decorators, cookies, forms, uploads and scopes of Fastify work in a plugin',
    where: 'architecture, A plugin is a Fastify plugin',
  },
  {
    id: 'KIT-9',
    rule: "app.log and request.log write lines with the plugin and the request id, with pino's call signatures",
    where: 'architecture, A plugin is a Fastify plugin',
  },
  {
    id: 'KIT-10',
    rule: 'errors with a status are sent with it, 4xx with their message; error and not-found handlers apply to their scope',
    where: 'architecture, A plugin is a Fastify plugin',
  },
  {
    id: 'CLI-8',
    rule: 'an installed package runs from any folder and passes on signals and exit codes',
    where: 'issue 12.2',
  },
  {
    id: 'PACK-1',
    rule: 'a package starts and serves what npm run build wrote, without esbuild',
    where: 'issue 21.6',
  },
  {
    id: 'PACK-2',
    rule: 'an installed package is under 60 MB and 8 packages, and has no sources of the core and the plugins',
    where: 'issue 21.6',
  },
  {
    id: 'PACK-3',
    rule: 'packages that only some installations need are files of the package, loaded when they are configured',
    where: 'issue 21.6',
  },
  {
    id: 'PACK-4',
    rule: 'in a package, third-party plugins are bundled from their sources, reloaded on change, and get the packages that the host shares',
    where: 'issue 21.6',
  },
  {
    id: 'MAN-1',
    rule: 'the dependencies of the root manifest are the packages that core, plugins and bin import',
    where: 'issue 42.6',
  },
  {
    id: 'MAN-2',
    rule: 'the root manifest has no workspaces and no peer dependencies, and at most 25 development dependencies',
    where: 'issue 42.6',
  },
  {
    id: 'PACK-5',
    rule: 'npm run build without the development dependencies tells what to install',
    where: 'issue 21.6',
  },
  {
    id: 'PACK-7',
    rule: 'the package has a bill of materials with the packages whose licenses it names',
    where: 'issue 52.8',
  },
  { id: 'PACK-8', rule: 'a license that is not on the list fails the build', where: 'issue 52.8' },
  {
    id: 'PACK-9',
    rule: 'the executable loads and reloads plugins in JavaScript, and refuses those in TypeScript',
    where: 'issue 52.2',
  },
  {
    id: 'ACTION-1',
    rule: 'the action starts svc in an empty folder; outputs and variables name addresses, process, log and reports',
    where: 'distribution 3',
  },
  {
    id: 'ACTION-2',
    rule: 'the report writes captured requests, log and summary, and stops svc',
    where: 'distribution 3',
  },
  {
    id: 'ACTION-3',
    rule: 'findings of the probe fail the report; what cannot be collected is a warning',
    where: 'distribution 3',
  },
  {
    id: 'ACTION-4',
    rule: 'wrong inputs, and an svc that does not start, are exit code 1 with the reason',
    where: 'distribution 9',
  },
  { id: 'ACTION-5', rule: 'inputs of the action are variables, never part of a script', where: 'distribution 3' },
  { id: 'RELEASE-1', rule: 'one version in package, chart and action; a release changes all', where: 'distribution 8' },
  { id: 'RELEASE-2', rule: 'a release has checksums in the format of sha256sum', where: 'distribution 8' },
  {
    id: 'RELEASE-3',
    rule: 'the release workflow pins actions by commit, has rights for each job, and runs scripts that exist',
    where: 'distribution 8',
  },
  {
    id: 'CHART-1',
    rule: 'the chart renders six sets of values as their golden files say, and all kinds are valid by the schemas of Kubernetes',
    where: 'distribution 2',
  },
  {
    id: 'CHART-2',
    rule: 'default values and deploy/kubernetes agree on container, probes, ports, security context and volumes',
    where: 'distribution 2',
  },
  {
    id: 'CHART-3',
    rule: 'rendering fails for unknown and contradictory values, and names them',
    where: 'distribution 9',
  },
  { id: 'CHART-4', rule: 'pods restart for variables and secrets, never for svc.yaml', where: 'distribution 2' },
  {
    id: 'CHART-5',
    rule: 'the state store of the chart has a generated password that an upgrade keeps',
    where: 'distribution 2',
  },
  { id: 'CHART-6', rule: 'the notes name the addresses, and warn about unprotected settings', where: 'distribution 2' },
  {
    id: 'PACK-6',
    rule: 'npm pack in the checkout fails and names the commands that build and pack',
    where: 'issue 42.6',
  },
  {
    id: 'REL-1',
    rule: 'a release closes the changelog\'s "Unreleased" section and takes its notes from it',
    where: 'CONTRIBUTING.md',
  },
  {
    id: 'KIT-11',
    rule: 'options of test servers that are wrong or misspelled are refused in the words of svc check',
    where: 'docs/plugins.md',
  },
]
