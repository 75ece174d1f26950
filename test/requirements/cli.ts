/** The command line. */
export default [
  { id: 'CLI-1', rule: 'without a command the server starts, with the file that --config names', where: 'issue 12.2' },
  {
    id: 'CLI-2',
    rule: 'an unknown command or option gives exit code 2 and a suggestion',
    where: 'issue 12.2',
  },
  { id: 'CLI-3', rule: 'output is colored only on terminals, and not if NO_COLOR is set', where: 'issue 12.2' },
  { id: 'CLI-4', rule: 'plugins lists all plugins that were found, with states and reasons', where: 'issue 12.2' },
  { id: 'CLI-5', rule: 'routes prints the catalog of enabled endpoints', where: 'issue 12.2' },
  {
    id: 'CLI-6',
    rule: 'check reports every mistake with file, line, column and remedy; the exit code tells whether there are errors',
    where: 'issue 12.2',
  },
  { id: 'CLI-7', rule: 'inspecting a configuration opens no port and writes no file', where: 'issue 12.2' },
  {
    id: 'SCHEMA-1',
    rule: 'svc.schema.json is generated from the schemas that validate svc.yaml, and is up to date',
    where: 'issue 12.3',
  },
  {
    id: 'SCHEMA-2',
    rule: 'the schema accepts the example and rejects the mistakes that the server reports',
    where: 'issue 12.3',
  },
  { id: 'SCHEMA-3', rule: 'svc schema includes the plugins of the configuration in use', where: 'issue 12.3' },
  {
    id: 'CLI-9',
    rule: 'on a terminal, the pages and first requests are printed after the start, unless --quiet, CI or JSON logs',
    where: 'distribution 7',
  },
]
